package io.berth.submit.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.util.concurrent.atomic.AtomicInteger;

/// One who is attached to a session beside its two ends: he is shown what the job says from then on
/// and gives it input. Nobody waits for him: who is far behind with what he is shown is sent away.
final class Attachment {
    /// Bytes of messages that are not on their way yet.
    private static final int MOST_BEHIND = 1 << 20;

    private static final Buffer END_OF_INPUT =
            Buffer.buffer(Frame.control("eof").message().array());

    private final ServerWebSocket socket;
    private final AtomicInteger behind = new AtomicInteger();

    Attachment(ServerWebSocket socket) {
        this.socket = socket;
    }

    /// Hands his input on, the next when the job's connection has taken the last.
    void giveInputTo(ServerWebSocket job) {
        socket.pause();
        socket.binaryMessageHandler(message -> {
            if (!isInput(message)) {
                socket.fetch(1);
                return;
            }
            try {
                var unused = job.writeBinaryMessage(message).onComplete(_ -> socket.fetch(1));
            } catch (IllegalStateException e) {
                // The job has gone, and with it the session.
                socket.fetch(1);
            }
        });
        socket.fetch(1);
    }

    /// What else an end says, such as signals, is the user's own.
    private static boolean isInput(Buffer message) {
        return message.equals(END_OF_INPUT)
                || (message.length() > 0 && message.getByte(0) == Channel.INPUT.ordinal());
    }

    void show(Buffer message) {
        try {
            if (behind.addAndGet(message.length()) > MOST_BEHIND) {
                leave(Session.REFUSED, "it does not keep up with what the step writes");
                return;
            }
            var unused =
                    socket.writeBinaryMessage(message)
                            .onComplete(_ -> behind.addAndGet(-message.length()));
        } catch (IllegalStateException e) {
            // He left meanwhile.
        }
    }

    void leave(short status, String why) {
        Session.close(socket, status, why);
    }

    void ping() {
        Session.ping(socket);
    }
}
