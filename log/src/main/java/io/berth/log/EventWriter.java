package io.berth.log;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/// Writes events one by one; each is done when all in-sync replicas have it.
public final class EventWriter implements AutoCloseable {

    private final Producer<byte[], byte[]> producer;

    public EventWriter(Producer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    /// Writes a record. The future fails if the outcome is a failure or stays unknown.
    public CompletableFuture<RecordMetadata> write(ProducerRecord<byte[], byte[]> record) {
        var written = new CompletableFuture<RecordMetadata>();
        try {
            var unused =
                    producer.send(
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
        producer.close();
    }
}
