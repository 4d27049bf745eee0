package io.berth.submit.session;

import io.berth.slurm.session.Frame;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What an agent tells of a job's output: `output <offset>`, bytes, `end`; or `refused <why>`; or
/// `busy <why>`. It is read from the connection as the one who asked takes it.
public final class OutputAnswer implements Session.Listener {
    private static final String REFUSED = "refused ";
    private static final String BUSY = "busy ";
    private static final Duration TAKES_WITHIN = Duration.ofSeconds(30);

    private final CompletableFuture<Long> begin = new CompletableFuture<>();
    private final Runnable closed;
    private Runnable endSession = () -> {};
    private @Nullable ServerWebSocket agent;
    private @Nullable MultiEmitter<? super byte[]> reader;
    private boolean whole;
    private boolean over;

    /// Whether the reader has taken what it was given last.
    private boolean taken = true;

    private long emittedAt;

    /// The node lets nobody more read.
    static final class Busy extends IOException {
        private static final long serialVersionUID = 1;

        Busy(String why) {
            super(why);
        }
    }

    /// @param closed runs once
    OutputAnswer(Runnable closed) {
        this.closed = closed;
    }

    void endsWith(Runnable end) {
        endSession = end;
    }

    /// Which byte it begins with; fails if there is none.
    CompletableFuture<Long> begin() {
        return begin;
    }

    /// Which byte it begins with.
    public long offset() {
        return begin.join();
    }

    /// The bytes. It fails if the agent goes before their end.
    ///
    /// @param gone whether the reader has left already: nothing tells of that any more
    public Multi<byte[]> bytes(BooleanSupplier gone) {
        return Multi.createFrom()
                .<byte[]>emitter(
                        to -> {
                            readInto(to);
                            if (gone.getAsBoolean()) {
                                close();
                            }
                        },
                        BackPressureStrategy.BUFFER);
    }

    private synchronized void readInto(MultiEmitter<? super byte[]> to) {
        reader = to;
        to.onTermination(this::close);
        to.onRequest(this::fetch);
        // What was asked for before it was listened to.
        fetch(Math.max(1, to.requested()));
        if (over) {
            finish(to);
        }
    }

    private synchronized void fetch(long frames) {
        taken = true;
        if (agent != null && !over) {
            agent.fetch(frames);
        }
    }

    @Override
    public synchronized void came(ServerWebSocket job) {
        agent = job;
        job.binaryMessageHandler(this::take);
        job.fetch(1);
    }

    void take(Buffer message) {
        try {
            Frame frame = Frame.read(ByteBuffer.wrap(message.getBytes()));
            switch (frame.channel()) {
                case OUTPUT -> emit(frame.payload());
                case CONTROL -> told(frame);
                // Nobody says that here.
                case INPUT, ERROR, BESIDE -> close();
            }
        } catch (IllegalArgumentException e) {
            close();
        }
    }

    private synchronized void emit(byte[] bytes) {
        if (reader == null) {
            close();
        } else {
            waits();
            reader.emit(bytes);
        }
    }

    private synchronized void waits() {
        taken = false;
        emittedAt = System.nanoTime();
    }

    private void told(Frame frame) {
        String text = new String(frame.payload(), StandardCharsets.UTF_8);
        if (text.startsWith("output ")) {
            waits();
            begin.complete(Long.parseLong(frame.words().getLast()));
        } else {
            synchronized (this) {
                whole = true;
            }
            begin.completeExceptionally(
                    text.startsWith(BUSY)
                            ? new Busy(text.substring(BUSY.length()))
                            : new IOException(
                                    text.startsWith(REFUSED)
                                            ? text.substring(REFUSED.length())
                                            : text));
            close();
        }
    }

    /// Ends the session of one who has taken nothing of what there was for long.
    @Override
    public void look(long nanoTime) {
        boolean stands;
        synchronized (this) {
            stands = !taken && nanoTime - emittedAt > TAKES_WITHIN.toNanos();
        }
        if (stands) {
            close();
        }
    }

    /// Ends the session, if it has not ended.
    public void close() {
        endSession.run();
    }

    @Override
    public void over() {
        begin.completeExceptionally(new IOException("its node went away"));
        MultiEmitter<? super byte[]> to;
        synchronized (this) {
            over = true;
            to = reader;
        }
        if (to != null) {
            finish(to);
        }
        closed.run();
    }

    private void finish(MultiEmitter<? super byte[]> to) {
        if (whole) {
            to.complete();
        } else {
            to.fail(new IOException("the node went away"));
        }
    }
}
