package io.berth.submit.kafka;

import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.RecordMetadata;

/// Waits for the log to acknowledge a record.
final class Acknowledgement {
    private Acknowledgement() {}

    /// @throws Unavailable if it does not in time, or names no offset: whether the record was
    ///   written is not known
    static RecordMetadata of(CompletableFuture<RecordMetadata> write, Deadline due) {
        RecordMetadata written;
        try {
            written = write.get(due.left().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new Unavailable("the log did not acknowledge in time: outcome unknown", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping: outcome unknown", e);
        }
        if (!written.hasOffset()) {
            throw new Unavailable("the log acknowledged without an offset: outcome unknown");
        }
        return written;
    }
}
