package io.berth.simulation;

import io.berth.simulation.SimulatedLog.FencedOff;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;

/// A writer of records in transactions.
final class TransactionalProducer {

    private final SimulatedClients machine;
    private final SimulatedLog log;
    private final String id;
    private long epoch;
    private boolean fenced;

    /// The commit has happened, and its answer is on its way.
    private boolean unanswered;

    TransactionalProducer(SimulatedClients machine, String id) {
        this.machine = machine;
        this.log = machine.log();
        this.id = id;
    }

    public void initTransactions() {
        machine.callBrokers();
        epoch = log.initTransactions(id);
    }

    public void beginTransaction() {
        checkFenced();
    }

    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        machine.callBrokers();
        try {
            return CompletableFuture.completedFuture(log.send(id, epoch, record).metadata());
        } catch (FencedOff e) {
            fenced = true;
            return CompletableFuture.failedFuture(
                    new InvalidProducerEpochException(e.getMessage()));
        }
    }

    public void flush() {}

    public void commitTransaction() {
        machine.call();
        if (machine.cutOff() && machine.random().nextBoolean()) {
            throw new TimeoutException("the brokers do not answer");
        }
        fenced = fenced || log.fenced(id, epoch);
        checkFenced();
        if (!unanswered) {
            try {
                machine.committed(log.commit(id, epoch));
            } catch (FencedOff e) {
                throw new AssertionError("it was not fenced", e);
            }
            unanswered = machine.cutOff() || machine.random().nextInt(16) == 0;
        } else {
            unanswered = machine.cutOff();
        }
        if (unanswered) {
            throw new TimeoutException("no answer yet");
        }
    }

    public void abortTransaction() {
        machine.callBrokers();
        checkFenced();
        try {
            log.abort(id, epoch);
        } catch (FencedOff e) {
            fenced = true;
            checkFenced();
        }
    }

    private void checkFenced() {
        if (fenced) {
            throw new ProducerFencedException(id + " has another epoch");
        }
    }

    public void close(Duration limit) {}
}
