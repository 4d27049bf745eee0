package io.berth.placement.kafka;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.event.Submission;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.SigningKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/// The topics of one cell as placement sees them: what it reads, what it writes, and the
/// partitions.
///
/// @param cell also the partition of every topic that has one for each cell
/// @param nodePartitions of `placements`
/// @param key that signs orders; without one, agents that ask for a signature obey none
public record CellLog(int cell, int nodePartitions, Optional<SigningKey> key) {

    public static final String SERVICE = "placement-service";

    static final Events<Submission> SUBMISSIONS = new Events<>(Topics.SUBMISSIONS, SERVICE);
    static final Events<NodeRequest> NODE_REQUESTS = new Events<>(Topics.NODE_REQUESTS, SERVICE);
    static final Events<Ranked> RANKINGS = new Events<>(Topics.RANKINGS, SERVICE);
    static final Events<RunReport> RUNS = new Events<>(Topics.RUNS, SERVICE);
    static final Events<NodeSeen> NODES = new Events<>(Topics.NODES, SERVICE);
    static final Events<FairShares> FAIR_SHARES = new Events<>(Topics.FAIR_SHARES, SERVICE);
    static final Events<ConfigEntry> CONFIG = new Events<>(Topics.CONFIG, SERVICE);

    static final Events<JobStatus> JOB_STATES = Events.strict(Topics.JOB_STATES, SERVICE);
    static final Events<NodeStatus> NODE_STATES = Events.strict(Topics.NODE_STATES, SERVICE);
    static final Events<CellStatus> CELL_STATES = Events.strict(Topics.CELL_STATES, SERVICE);
    static final Events<JobEvent> JOBS = new Events<>(Topics.JOBS, SERVICE);
    static final Events<Order> PLACEMENTS = new Events<>(Topics.PLACEMENTS, SERVICE);
    static final Events<RoundEvent> ROUNDS = new Events<>(Topics.ROUNDS, SERVICE);
    static final Events<SnapshotEvent> SNAPSHOTS = new Events<>(Topics.SNAPSHOTS, SERVICE);
    static final Events<DeadLetter> DEAD_LETTERS =
            new Events<>(Topics.deadLetters(SERVICE), SERVICE);

    /// The topics that decisions are made from. Within a poll they are applied in this order, so
    /// that a registration finds the reports before it applied.
    static final List<Topic<?>> INPUTS =
            List.of(
                    Topics.CONFIG,
                    Topics.FAIR_SHARES,
                    Topics.SUBMISSIONS,
                    Topics.RANKINGS,
                    Topics.RUNS,
                    Topics.NODES,
                    Topics.NODE_REQUESTS);

    /// The topics of other services that placement needs to be there.
    public static List<Topic<?>> read() {
        return Stream.<Topic<?>>concat(INPUTS.stream(), Stream.of(Topics.HEARTBEATS)).toList();
    }

    /// A cell whose orders are not signed.
    public CellLog(int cell, int nodePartitions) {
        this(cell, nodePartitions, Optional.empty());
    }

    /// Signs the records of orders, if there is a key.
    void sign(List<ProducerRecord<byte[], byte[]>> orders) {
        key.ifPresent(it -> it.sign(orders));
    }

    TopicPartition partition(Topic<?> topic) {
        return new TopicPartition(topic.name(), topic.spread() == Topic.Spread.SINGLE ? 0 : cell);
    }

    List<TopicPartition> inputs() {
        return INPUTS.stream().map(this::partition).toList();
    }
}
