package io.berth.placement.kafka;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.NodeName;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Recorded;
import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.RoundEvent.Decided;
import io.berth.contracts.topic.NodePartitions;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.replay.DecisionDigest;
import io.berth.core.replay.Recordings;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.log.Events;
import io.berth.log.KeyExchange;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes a round: its facts, and the inputs that it used up, in one transaction.
///
/// A transaction that fails ends the tenure: what is in memory is then ahead of the log.
public final class RoundWriter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RoundWriter.class);

    private final CellLog log;
    private final Producer<byte[], byte[]> producer;
    private final StateDigest digest;
    private final Function<NodeName, @Nullable String> sealFor;
    private final KeyExchange exchange = new KeyExchange();

    /// @param producer with transactions initialised
    /// @param sealFor the key for which those of a node's orders are sealed, as
    ///   [io.berth.contracts.event.NodeSeen] names it; null if it opens none
    RoundWriter(
            CellLog log,
            Producer<byte[], byte[]> producer,
            StateDigest digest,
            Function<NodeName, @Nullable String> sealFor) {
        this.log = log;
        this.producer = producer;
        this.digest = digest;
        this.sealFor = sealFor;
    }

    /// What a round has to say.
    ///
    /// @param inputs that were applied, in order
    /// @param decided the round without its digest
    public record Round(
            CellStatus cell,
            List<Input> inputs,
            List<Fact> facts,
            List<DeadLetter> letters,
            Decided decided) {}

    /// The broker's time, in epoch milliseconds. It is asked with a record that is not committed,
    /// so that nobody reads it.
    ///
    /// @param last what the cell's last round says already
    /// @throws Fenced if another instance leads the cell now
    public long brokerTime(CellStatus last) {
        try {
            producer.beginTransaction();
            var asked = producer.send(new Records(log, last).state(CellLog.CELL_STATES, last));
            producer.flush();
            long told = asked.get().timestamp();
            producer.abortTransaction();
            return told;
        } catch (KafkaException e) {
            throw fences(e) || fences(e.getCause()) ? fenced(e) : e;
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (ExecutionException e) {
            throw fences(e.getCause())
                    ? fenced(e)
                    : new KafkaException("ask for the broker's time", e.getCause());
        }
    }

    /// Writes the round; the broker's time of its last record, in epoch milliseconds. When this
    /// returns, all of it is in the log.
    ///
    /// @throws Fenced if another instance leads the cell now
    /// @throws Oversized before anything is written
    public long write(Round round) {
        List<ProducerRecord<byte[], byte[]>> records = records(round);
        records.forEach(RoundWriter::checkSize);
        try {
            producer.beginTransaction();
            Future<RecordMetadata> last = null;
            for (var record : records) {
                last = producer.send(record);
            }
            commit();
            return last == null ? round.cell().cellTime() : last.get().timestamp();
        } catch (KafkaException e) {
            throw fences(e) || fences(e.getCause()) ? fenced(e) : e;
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (ExecutionException e) {
            throw new KafkaException("cannot write round " + round.cell().round(), e.getCause());
        }
    }

    /// A broker also says that the transaction is in an invalid state: a successor has ended it. A
    /// producer that has been told before it is asked to commit has that as its cause.
    private static boolean fences(@Nullable Throwable failure) {
        return failure instanceof ProducerFencedException
                || failure instanceof InvalidProducerEpochException
                || failure instanceof InvalidTxnStateException;
    }

    private Fenced fenced(Exception e) {
        return new Fenced(
                "another placement-service leads cell "
                        + log.cell()
                        + " now, or this one stood still too long",
                e);
    }

    @Override
    public void close() {
        // What is not committed is not to be: to wait for its end would be to wait for the brokers.
        producer.close(Duration.ZERO);
    }

    /// Commits. A commit without an answer may have happened: it is asked for again, never aborted.
    private void commit() {
        boolean committed = false;
        while (!committed) {
            try {
                producer.commitTransaction();
                committed = true;
            } catch (TimeoutException e) {
                LOG.warn("Commit has no answer yet, asking again");
            }
        }
    }

    private List<ProducerRecord<byte[], byte[]>> records(Round round) {
        var identified = new Records(log, round.cell());
        var latest = new LinkedHashMap<String, ProducerRecord<byte[], byte[]>>();
        var words = new ArrayList<ProducerRecord<byte[], byte[]>>();
        var orders = new ArrayList<ProducerRecord<byte[], byte[]>>();
        var decisions = new DecisionDigest();
        for (int i = 0; i < round.facts().size(); i++) {
            Fact fact = round.facts().get(i);
            ProducerRecord<byte[], byte[]> record = identified.of(fact);
            if (record == null) {
                continue;
            }
            if (tooLarge(record)) {
                throw new Oversized(i, sizeOf(record));
            }
            decisions.add(record.topic(), key(record), record.value());
            if (fact instanceof Fact.Announced) {
                words.add(record);
            } else if (fact instanceof Fact.Ordered(Order order)) {
                var told = sealed(order, record);
                words.add(told);
                orders.add(told);
            } else {
                put(latest, record);
            }
        }
        log.sign(orders);
        var records = new ArrayList<>(latest.values());
        records.forEach(record -> digest.put(record.topic(), key(record), record.value()));
        records.addAll(words);
        for (DeadLetter letter : round.letters()) {
            records.add(identified.word(CellLog.DEAD_LETTERS, log.cell(), letter));
        }
        records.addAll(identified.ofRound(round, decisions));
        records.add(identified.state(CellLog.CELL_STATES, withDigest(round.cell())));
        return records;
    }

    /// The record of an order, with the key of its specification sealed for the node alone: all
    /// agents read the orders of all nodes.
    private ProducerRecord<byte[], byte[]> sealed(
            Order order, ProducerRecord<byte[], byte[]> record) {
        if (!(order instanceof Order.Launch launch)) {
            return record;
        }
        String key = launch.spec().key();
        String recipient = sealFor.apply(launch.node());
        if (key == null || recipient == null) {
            return record;
        }
        Order told = launch.of(sealed(launch, key, recipient));
        return new ProducerRecord<>(
                record.topic(),
                record.partition(),
                record.key(),
                CellLog.PLACEMENTS.value(told),
                record.headers());
    }

    private SpecReference sealed(Order.Launch launch, String key, String recipient) {
        SpecReference spec = launch.spec();
        try {
            return spec.by(exchange.seal(key, recipient));
        } catch (GeneralSecurityException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("run", launch.run())
                    .addKeyValue("node", launch.node())
                    .log("The node's key cannot be used: it cannot open what it is to run");
            return new SpecReference(spec.partition(), spec.offset(), spec.sha256());
        }
    }

    private CellStatus withDigest(CellStatus cell) {
        return new CellStatus(
                cell.cell(),
                cell.round(),
                cell.cellTime(),
                cell.inputs(),
                cell.highestJob(),
                cell.configRevision(),
                digest.toString());
    }

    /// Of several states of one key in a round, only the last one is written.
    private static void put(
            SequencedMap<String, ProducerRecord<byte[], byte[]>> latest,
            ProducerRecord<byte[], byte[]> record) {
        String name = record.topic() + "/" + key(record);
        latest.remove(name);
        latest.put(name, record);
    }

    private static String key(ProducerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    private static void checkSize(ProducerRecord<byte[], byte[]> record) {
        if (tooLarge(record)) {
            throw new IllegalStateException(sizeOf(record));
        }
    }

    private static boolean tooLarge(ProducerRecord<byte[], byte[]> record) {
        int most =
                record.topic().equals(Topics.ROUNDS.name())
                        ? Topics.ROUNDS.maxBytes()
                        : Topic.DEFAULT_MAX_BYTES;
        return record.value() != null && record.value().length > most - 4096;
    }

    private static String sizeOf(ProducerRecord<byte[], byte[]> record) {
        return "write %s %s: it has %d bytes, above the topic's limit"
                .formatted(record.topic(), key(record), record.value().length);
    }

    /// Records of one round, each with an id made of cell, round and its place in the round.
    private static final class Records {

        private final CellLog log;
        private final CellStatus cell;
        private int count;

        Records(CellLog log, CellStatus cell) {
            this.log = log;
            this.cell = cell;
        }

        /// The record of a fact; null if none is written of it.
        @Nullable ProducerRecord<byte[], byte[]> of(Fact fact) {
            return switch (fact) {
                case Fact.JobChanged(var status) -> state(CellLog.JOB_STATES, status);
                case Fact.NodeChanged(NodeStatus status) -> state(CellLog.NODE_STATES, status);
                case Fact.JobForgotten(var job) -> tombstone(Topics.JOB_STATES, job.toString());
                case Fact.Announced(var event) -> word(CellLog.JOBS, log.cell(), event);
                case Fact.Ordered(Order order) ->
                        word(
                                CellLog.PLACEMENTS,
                                NodePartitions.of(order.node(), log.nodePartitions()),
                                order);
                case Fact.RankKept _, Fact.ConfigurationTaken _, Fact.FairSharesTaken _ -> null;
            };
        }

        /// What the round took in, and its end.
        List<ProducerRecord<byte[], byte[]>> ofRound(Round round, DecisionDigest decisions) {
            var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
            int number = 0;
            for (Input input : round.inputs()) {
                for (Recorded recorded : Recordings.of(input)) {
                    var took =
                            new RoundEvent.Took(
                                    log.cell(), round.cell().round(), number++, recorded);
                    records.add(state(CellLog.ROUNDS, took));
                }
            }
            Decided decided = round.decided().digested(number, decisions.toString());
            records.add(state(CellLog.ROUNDS, decided));
            return records;
        }

        <E> ProducerRecord<byte[], byte[]> state(Events<E> events, E event) {
            return word(events, log.cell(), event);
        }

        <E> ProducerRecord<byte[], byte[]> word(Events<E> events, int partition, E event) {
            return events.record(
                    partition, event, cell.cell() + "-" + cell.round() + "-" + count++);
        }

        ProducerRecord<byte[], byte[]> tombstone(Topic<?> topic, String key) {
            return new ProducerRecord<>(
                    topic.name(), log.cell(), key.getBytes(StandardCharsets.UTF_8), null);
        }
    }
}
