package io.berth.submit.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// One who is attached to a session beside its two ends: he is shown what the job says from then on
/// and gives it input. Nobody waits for him: who is far behind with what he is shown is sent away.
final class Attachment {
    /// Who is sent away reads the rest within that time, or misses it.
    static final Duration GOES_WITHIN = Duration.ofSeconds(10);

    /// Bytes of messages that are not on their way yet, with what holds them.
    private static final int MOST_BEHIND = 1 << 20;

    /// What holds a message while it waits, however short it is.
    private static final int MESSAGE = 512;

    private static final byte[] END_OF_INPUT = Frame.control("eof").message().array();

    private final ServerWebSocket socket;
    private final ChannelHandlerContext connection;
    private final Duration goesWithin;
    private final AtomicInteger behind = new AtomicInteger();
    private final AtomicBoolean leaves = new AtomicBoolean();

    /// @param connection the WebSocket's own place in the pipeline
    Attachment(ServerWebSocket socket, ChannelHandlerContext connection, Duration goesWithin) {
        this.socket = socket;
        this.connection = connection;
        this.goesWithin = goesWithin;
    }

    /// Hands his input on, the next when the job's connection has taken the last.
    ///
    /// @param as how the job is to hear it
    void giveInputTo(ServerWebSocket job, UnaryOperator<Buffer> as) {
        socket.pause();
        // What is fetched is frames: of a message in two the second would never come.
        socket.frameHandler(frame -> {
            if (frame.isText() || (frame.isBinary() && !frame.isFinal())) {
                leave(Session.REFUSED, "a message is one binary frame");
            }
        });
        socket.binaryMessageHandler(message -> {
            if (leaves.get() || !isInput(message)) {
                socket.fetch(1);
                return;
            }
            try {
                var unused =
                        job.writeBinaryMessage(as.apply(message)).onComplete(_ -> socket.fetch(1));
            } catch (IllegalStateException e) {
                // The job has gone, and with it the session.
                socket.fetch(1);
            }
        });
        socket.fetch(1);
    }

    /// What else an end says, such as signals, is the user's own.
    private static boolean isInput(Buffer message) {
        boolean ends =
                message.length() == END_OF_INPUT.length
                        && Arrays.equals(message.getBytes(), END_OF_INPUT);
        return ends || (message.length() > 0 && message.getByte(0) == Channel.INPUT.ordinal());
    }

    void show(Buffer message) {
        if (leaves.get()) {
            return;
        }
        int cost = message.length() + MESSAGE;
        try {
            if (behind.addAndGet(cost) > MOST_BEHIND) {
                leave(Session.REFUSED, "it does not keep up with what the step writes");
                return;
            }
            var unused =
                    socket.writeBinaryMessage(message).onComplete(_ -> behind.addAndGet(-cost));
        } catch (IllegalStateException e) {
            // He left meanwhile.
        }
    }

    /// Sends him away: at first by a word, which waits behind what he has not read.
    void leave(short status, String why) {
        if (!leaves.compareAndSet(false, true)) {
            return;
        }
        Session.close(socket, status, why);
        // From the connection's own place in the pipeline on: the channel's close would ask the
        // connection, which first writes all that waits.
        Runnable close =
                () -> {
                    var unused = connection.close();
                };
        var unused =
                connection.executor().schedule(close, goesWithin.toMillis(), TimeUnit.MILLISECONDS);
    }

    void ping() {
        Session.ping(socket);
    }
}
