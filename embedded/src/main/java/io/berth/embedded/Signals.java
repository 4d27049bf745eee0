package io.berth.embedded;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Ending a PostgreSQL server by the signals that it knows.
///
/// Source: PostgreSQL manual, "Shutting Down the Server".
final class Signals {

    private static final int LIMIT_SECONDS = 10;

    private Signals() {}

    /// INT (rolls back what runs and ends cleanly), then QUIT (recovers at the next start), then
    /// KILL; each has its time.
    static void stop(ProcessHandle server) throws IOException {
        send("INT", server);
        if (ended(server)) {
            return;
        }
        send("QUIT", server);
        if (ended(server)) {
            return;
        }
        server.destroyForcibly();
        if (!ended(server)) {
            throw new IOException("PostgreSQL with process id " + server.pid() + " does not end");
        }
    }

    private static void send(String signal, ProcessHandle process) throws IOException {
        if (process.isAlive()) {
            try {
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "kill -" + signal + " \"$0\"",
                                Long.toString(process.pid()))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean ended(ProcessHandle process) {
        try {
            process.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("waiting for process " + process.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }
}
