package io.berth.agent.kafka;

import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
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

    /// @param producers made when something is written
    public AgentLog(Supplier<Producer<byte[], byte[]>> producers, int cell) {
        this.writer = new EventWriter(producers);
        this.cell = cell;
    }

    /// The cell that the nodes belong to, and its partition in the topics written here.
    public int cell() {
        return cell;
    }

    public CompletableFuture<RecordMetadata> write(RunReport report) {
        String id = report.run() + "/" + report.node() + "/" + report.getClass().getSimpleName();
        return writer.write(reports.record(cell, report, id));
    }

    public CompletableFuture<RecordMetadata> write(NodeSeen registration) {
        return writer.write(registrations.record(cell, registration, registration.nonce()));
    }

    /// @param number grows with each of the node's heartbeats
    public CompletableFuture<RecordMetadata> write(Heartbeat heartbeat, long number) {
        String id = heartbeat.node() + "/" + heartbeat.epoch() + "/" + number;
        return writer.write(heartbeats.record(cell, heartbeat, id));
    }

    @Override
    public void close() {
        writer.close(CLOSE_LIMIT);
    }
}
