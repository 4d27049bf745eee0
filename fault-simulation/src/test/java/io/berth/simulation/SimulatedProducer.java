package io.berth.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/// A writer of records outside of transactions: they come in their order, and some of them late,
/// though it is dead by then.
final class SimulatedProducer {

    private final SimulatedClients machine;

    SimulatedProducer(SimulatedClients machine) {
        this.machine = machine;
    }

    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        machine.call();
        var written = new CompletableFuture<RecordMetadata>();
        machine.write(
                record,
                (metadata, error) -> {
                    if (error == null) {
                        written.complete(metadata);
                    } else {
                        written.completeExceptionally(error);
                    }
                    callback.onCompletion(metadata, error);
                });
        return written;
    }

    public void flush() {
        machine.callBrokers();
        machine.landAll();
    }

    public void close() {}

    public void close(Duration limit) {}
}
