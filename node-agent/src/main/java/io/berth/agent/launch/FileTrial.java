package io.berth.agent.launch;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/// A trial of a script's files that goes on beside the rest of a launch. Closed before it has come
/// to its end, it is broken off.
final class FileTrial implements AutoCloseable {

    /// Of nothing.
    static final FileTrial NONE = new FileTrial(CompletableFuture.completedFuture(true));

    private final Future<Boolean> ended;

    private FileTrial(Future<Boolean> ended) {
        this.ended = ended;
    }

    /// What is tried.
    interface Trying {
        void run() throws LaunchRefused, IOException, InterruptedException;
    }

    static FileTrial begin(Trying trying) {
        Callable<Boolean> all =
                () -> {
                    trying.run();
                    return true;
                };
        var task = new FutureTask<>(all);
        Thread.ofVirtual().name("try-files").start(task);
        return new FileTrial(task);
    }

    /// Waits for its end.
    ///
    /// @throws LaunchRefused if one of the files cannot be used
    void await() throws LaunchRefused, IOException, InterruptedException {
        try {
            var unused = ended.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LaunchRefused refused) {
                throw refused;
            }
            if (e.getCause() instanceof IOException failed) {
                throw new IOException(failed.getMessage(), e);
            }
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        var unused = ended.cancel(true);
    }
}
