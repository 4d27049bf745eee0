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
    /// @throws NoAnswer if there is none in time
    static <T> T await(Supplier<Uni<T>> work, Duration timeout) {
        try {
            return VertxContextSupport.subscribeAndAwait(() ->
                    work.get().ifNoItem().after(timeout).failWith(() -> new NoAnswer(timeout)));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the database's client failed", e);
        }
    }
}
