package io.berth.submit.session;

import io.berth.slurm.session.Frame;
import io.berth.submit.TooBusy;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// The meeting place of two ends. What one sends before the other is there waits in its own
/// connection; when one goes, the other is sent away. Others may be [attached][Attachment]
/// meanwhile.
final class Session {
    static final short GONE = 1001;

    /// Whoever is closed so has done something that he should not.
    static final short REFUSED = 1008;

    /// Which end.
    enum End {
        USER,
        JOB
    }

    /// The gateway itself in the user's place.
    interface Listener {
        /// The job's end is there, paused: it is the listener's to read.
        void came(ServerWebSocket job);

        /// The session is over; it may be that the job's end never came.
        void over();

        /// Comes every while as the time passes ([System#nanoTime]).
        void look(long nanoTime);
    }

    private final boolean again;
    private final Runnable over;
    private final @Nullable Listener listener;
    private @Nullable ServerWebSocket user;
    private @Nullable ServerWebSocket job;
    private boolean jobCounts;
    private final List<Attachment> attached = new CopyOnWriteArrayList<>();
    private boolean ended;

    /// @param again whether ends that lost their connection come again
    /// @param over runs once, when an end that was here is gone
    /// @param listener null if the user's end comes by a connection
    Session(boolean again, Runnable over, @Nullable Listener listener) {
        this.again = again;
        this.over = over;
        this.listener = listener;
    }

    synchronized boolean userCame() {
        return user != null || listener != null || ended;
    }

    /// Takes an end's connection. Each end comes once; one that comes again has lost its
    /// connection, of which this did not hear.
    ///
    /// @param counts whether the end counts what it is told by the other
    void join(End end, ServerWebSocket socket, boolean counts) {
        if (!joined(end, socket, counts)) {
            var unused = socket.close(REFUSED, "this end is already there");
            if (again) {
                end();
            }
        }
    }

    private synchronized boolean joined(End end, ServerWebSocket socket, boolean counts) {
        if (ended
                || (end == End.USER ? user : job) != null
                || (end == End.USER && listener != null)) {
            return false;
        }
        socket.pause();
        if (end == End.USER) {
            user = socket;
        } else {
            job = socket;
            jobCounts = counts;
        }
        socket.closeHandler(_ -> end());
        socket.exceptionHandler(_ -> end());
        if (listener != null) {
            listener.came(socket);
        }
        if (user != null && job != null) {
            relay(user, job, _ -> {});
            // Its last word is shown before the user has it, who goes then.
            relay(job, user, message -> attached.forEach(it -> it.show(message)));
        }
        return true;
    }

    /// @param beside is told each message first
    private void relay(ServerWebSocket from, ServerWebSocket to, Handler<Buffer> beside) {
        from.binaryMessageHandler(message -> {
            beside.handle(message);
            pass(message, from, to);
        });
        from.resume();
    }

    /// Whether both ends are here.
    synchronized boolean meets() {
        return !ended && user != null && job != null;
    }

    int attached() {
        return attached.size();
    }

    /// Takes one who is beside the two ends.
    ///
    /// @param connection the WebSocket's own place in the pipeline
    /// @param gone runs once, when his connection is closed
    synchronized void attach(
            ServerWebSocket socket, ChannelHandlerContext connection, Runnable gone) {
        var attachment = new Attachment(socket, connection, Attachment.GOES_WITHIN);
        attached.add(attachment);
        socket.closeHandler(_ -> {
            attached.remove(attachment);
            gone.run();
        });
        socket.exceptionHandler(_ -> attachment.leave(GONE, "the connection is broken"));
        if (ended || job == null) {
            attachment.leave(GONE, "the job is gone");
        } else {
            attachment.giveInputTo(job, this::beside);
        }
    }

    private void pass(Buffer message, ServerWebSocket from, ServerWebSocket to) {
        try {
            Relay.pass(message, from, to);
        } catch (IllegalStateException e) {
            // It was closed meanwhile.
            end();
        }
    }

    /// Sends everybody away.
    void end() {
        ServerWebSocket first;
        ServerWebSocket second;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            first = user;
            second = job;
        }
        over.run();
        close(first, GONE, "the other end is gone");
        close(second, GONE, "the other end is gone");
        attached.forEach(it -> it.leave(GONE, "the session is over"));
        if (listener != null) {
            listener.over();
        }
    }

    static void close(@Nullable ServerWebSocket socket, short status, String why) {
        if (socket != null && !socket.isClosed()) {
            // A paused connection would not see its own end.
            socket.resume();
            var unused = socket.close(status, why);
        }
    }

    /// Says something to the job in the user's name.
    ///
    /// @return whether the job is there
    /// @throws TooBusy if it does not take what it is told
    synchronized boolean tellJob(Buffer message) {
        if (ended || job == null || job.isClosed()) {
            return false;
        }
        if (job.writeQueueFull()) {
            throw new TooBusy("the job does not take what it is told");
        }
        var unused = job.writeBinaryMessage(beside(message));
        return true;
    }

    /// What is said to the job beside the two ends, as it is to hear it.
    private Buffer beside(Buffer message) {
        return jobCounts ? Buffer.buffer(Frame.beside(message.getBytes())) : message;
    }

    /// Keeps the connections from being taken for idle ones.
    void ping() {
        synchronized (this) {
            ping(user);
            ping(job);
        }
        attached.forEach(Attachment::ping);
        if (listener != null) {
            listener.look(System.nanoTime());
        }
    }

    static void ping(@Nullable ServerWebSocket socket) {
        if (socket != null && !socket.isClosed()) {
            var unused = socket.writePing(Buffer.buffer());
        }
    }
}
