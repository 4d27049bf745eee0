package io.berth.agent.kafka;

import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.KeyExchange;
import io.berth.log.SigningKey;
import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/// What agents write: reports, registrations and heartbeats, all of a process through one producer.
public final class AgentLog implements Closeable {

    public static final String SERVICE = "node-agent";
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

    private final Events<RunReport> reports = new Events<>(Topics.RUNS, SERVICE);
    private final Events<NodeSeen> registrations = new Events<>(Topics.NODES, SERVICE);
    private final Events<Heartbeat> heartbeats = new Events<>(Topics.HEARTBEATS, SERVICE);
    private final EventWriter writer;
    private final int cell;
    private final Optional<SigningKey> key;
    private final KeyExchange exchange;

    /// @param producers made when something is written
    /// @param key that signs all that is written; without one it is believed by who writes it
    /// @param exchange that opens what is sealed for the nodes
    public AgentLog(
            Supplier<Producer<byte[], byte[]>> producers,
            int cell,
            Optional<SigningKey> key,
            KeyExchange exchange) {
        this.writer = new EventWriter(producers);
        this.cell = cell;
        this.key = key;
        this.exchange = exchange;
    }

    /// The cell that the nodes belong to, and its partition in the topics written here.
    public int cell() {
        return cell;
    }

    /// Writes reports, signed together.
    public List<CompletableFuture<RecordMetadata>> write(List<RunReport> all) {
        return signed(all.stream().map(this::record).toList()).stream().map(writer::write).toList();
    }

    private ProducerRecord<byte[], byte[]> record(RunReport report) {
        String id = report.run() + "/" + report.node() + "/" + report.getClass().getSimpleName();
        return reports.record(cell, report, id);
    }

    /// The registration names the keys.
    public CompletableFuture<RecordMetadata> write(NodeSeen registration) {
        NodeSeen sealing = registration.sealing(exchange.open());
        NodeSeen known = key.map(it -> sealing.by(it.open())).orElse(sealing);
        return write(registrations.record(cell, known, known.nonce()));
    }

    /// @param number grows with each of the node's heartbeats
    public CompletableFuture<RecordMetadata> write(Heartbeat heartbeat, long number) {
        String id = heartbeat.node() + "/" + heartbeat.epoch() + "/" + number;
        return write(heartbeats.record(cell, heartbeat, id));
    }

    private CompletableFuture<RecordMetadata> write(ProducerRecord<byte[], byte[]> record) {
        return writer.write(signed(List.of(record)).getFirst());
    }

    private List<ProducerRecord<byte[], byte[]>> signed(
            List<ProducerRecord<byte[], byte[]>> records) {
        key.ifPresent(it -> it.sign(records));
        return records;
    }

    @Override
    public void close() {
        writer.close(CLOSE_LIMIT);
    }
}
