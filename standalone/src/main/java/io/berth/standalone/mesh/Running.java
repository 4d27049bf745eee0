package io.berth.standalone.mesh;

import io.berth.embedded.PostgresServer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A process of this mesh.
interface Running {

    /// Makes one. On a thread that lives as long as the process may.
    interface Start {
        Running start() throws IOException;
    }

    long pid();

    boolean isAlive();

    /// Has that done when it has ended.
    void whenEnded(Runnable then);

    /// How it ended, once it did.
    String end();

    /// Asks it to end.
    void stop();

    /// Whether it ended within that time.
    boolean awaitEnd(Duration limit) throws InterruptedException;

    void kill();

    static Running of(Process process) {
        return new Running() {
            @Override
            public long pid() {
                return process.pid();
            }

            @Override
            public boolean isAlive() {
                return process.isAlive();
            }

            @Override
            public void whenEnded(Runnable then) {
                var unused = process.onExit().thenRun(then);
            }

            @Override
            public String end() {
                return "exit " + process.exitValue();
            }

            @Override
            public void stop() {
                process.destroy();
            }

            @Override
            public boolean awaitEnd(Duration limit) throws InterruptedException {
                return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            }

            @Override
            public void kill() {
                process.destroyForcibly();
            }
        };
    }

    /// A database server, which stops in its own orderly way.
    static Running of(PostgresServer server) {
        return new Running() {
            @Override
            public long pid() {
                return server.pid();
            }

            @Override
            public boolean isAlive() {
                return !server.onExit().isDone();
            }

            @Override
            public void whenEnded(Runnable then) {
                var unused = server.onExit().thenRun(then);
            }

            @Override
            public String end() {
                close();
                return "exit " + server.onExit().join().exitValue();
            }

            @Override
            public void stop() {
                close();
            }

            @Override
            public boolean awaitEnd(Duration limit) {
                return server.onExit().isDone();
            }

            @Override
            public void kill() {
                close();
            }

            private void close() {
                try {
                    server.close();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
        };
    }
}
