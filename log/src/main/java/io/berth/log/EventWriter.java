package io.berth.log;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/// Writes events one by one; each is done when all in-sync replicas have it.
///
/// The producer is made for the first of them: one that was made while the brokers do not let it in
/// never gets its id, and writes nothing though they do so later.
public final class EventWriter implements AutoCloseable {

    private static final Duration FOR_EVER = Duration.ofMillis(Long.MAX_VALUE);

    private final Supplier<Producer<byte[], byte[]>> make;
    private @Nullable Producer<byte[], byte[]> producer;
    private boolean closed;

    public EventWriter(Supplier<Producer<byte[], byte[]>> make) {
        this.make = make;
    }

    private synchronized Producer<byte[], byte[]> producer() {
        if (closed) {
            throw new IllegalStateException("write an event: the writer is closed");
        }
        Producer<byte[], byte[]> made = producer;
        if (made == null) {
            made = make.get();
            producer = made;
        }
        return made;
    }

    /// Writes a record. The future fails if the outcome is a failure or stays unknown.
    public CompletableFuture<RecordMetadata> write(ProducerRecord<byte[], byte[]> record) {
        var written = new CompletableFuture<RecordMetadata>();
        try {
            var unused =
                    producer()
                            .send(
                                    record,
                                    (metadata, error) -> {
                                        if (error == null) {
                                            written.complete(metadata);
                                        } else {
                                            written.completeExceptionally(error);
                                        }
                                    });
        } catch (RuntimeException e) {
            // Closed, fenced or interrupted: told as every other failure is.
            written.completeExceptionally(e);
        }
        return written;
    }

    @Override
    public void close() {
        close(FOR_EVER);
    }

    /// @param limit for what is not acknowledged yet
    public void close(Duration limit) {
        Producer<byte[], byte[]> made;
        synchronized (this) {
            closed = true;
            made = producer;
        }
        if (made != null) {
            made.close(limit);
        }
    }
}
