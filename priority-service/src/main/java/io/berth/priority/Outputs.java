package io.berth.priority;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.Rank;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.priority.Rankings.Change;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes what the service says. Nothing waits for the brokers here: they keep the order, and a
/// write that failed for good shows at the next one.
final class Outputs implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Outputs.class);
    private static final String SERVICE = "priority-service";

    private final Producer<byte[], byte[]> producer;
    private final Events<Ranked> rankings = new Events<>(Topics.RANKINGS, SERVICE);
    private final Events<FairShares> fairShares = new Events<>(Topics.FAIR_SHARES, SERVICE);
    private final Events<DeadLetter> deadLetters =
            new Events<>(Topics.deadLetters(SERVICE), SERVICE);
    private volatile @Nullable Exception failure;

    Outputs(Producer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    void write(Change change) {
        if (change.rank().isPresent()) {
            Rank rank = change.rank().get();
            String id = "ranked/" + change.job() + "/" + rank.version();
            send(rankings.record(change.cell(), new Ranked(change.job(), rank), id));
        } else {
            byte[] key = change.job().toString().getBytes(StandardCharsets.UTF_8);
            send(new ProducerRecord<>(Topics.RANKINGS.name(), change.cell(), key, null));
        }
    }

    void write(FairShares shares) {
        send(fairShares.record(0, shares, "fair-shares/" + shares.version()));
    }

    void write(DeadLetter letter) {
        LOG.atWarn()
                .addKeyValue("record", letter.position())
                .addKeyValue("cause", letter.cause())
                .log("Record cannot be read; it is left in the dead letters");
        send(deadLetters.record(0, letter, letter.position()));
    }

    /// @throws KafkaException if a write has failed: what is published is then not what was said
    void check() {
        Exception failed = failure;
        if (failed != null) {
            throw new KafkaException("a write failed", failed);
        }
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        var unused =
                producer.send(
                        record,
                        (_, error) -> {
                            if (error != null) {
                                failure = error;
                            }
                        });
    }

    @Override
    public void close() {
        producer.close();
    }
}
