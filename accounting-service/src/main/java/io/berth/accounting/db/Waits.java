package io.berth.accounting.db;

import io.quarkus.vertx.VertxContextSupport;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.function.Supplier;

/// Waiting for the database's client, from a plain thread.
final class Waits {

    private Waits() {}

    /// Work that is begun and not answered in time may yet be done.
    ///
    /// @throws IllegalStateException if there is no answer in time
    static <T> T await(Supplier<Uni<T>> work, Duration timeout) {
        return await(() ->
                work.get()
                        .ifNoItem()
                        .after(timeout)
                        .failWith(() ->
                                new IllegalStateException(
                                        "the database has not answered for "
                                                + timeout.toSeconds()
                                                + " s")));
    }

    static <T> T await(Supplier<Uni<T>> work) {
        try {
            return VertxContextSupport.subscribeAndAwait(work);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the database's client failed", e);
        }
    }
}
