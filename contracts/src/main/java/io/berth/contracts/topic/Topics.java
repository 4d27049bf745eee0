package io.berth.contracts.topic;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.JobSpec;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.OutputRequest;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.event.StepRequest;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Trigger;
import io.berth.contracts.event.Usage;
import io.berth.contracts.topic.Topic.Cleanup;
import io.berth.contracts.topic.Topic.Spread;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/// All topics. Who may read and write them says [Access].
public final class Topics {

    private static final Duration WEEK = Duration.ofDays(7);
    private static final Duration MONTH = Duration.ofDays(30);

    public static final Topic<Submission> SUBMISSIONS =
            log("submissions", "submit-service", Submission.class, it -> it.job().toString(), WEEK);

    public static final Topic<JobSpec> SPECS =
            new Topic<>(
                    "berth.specs.v1",
                    "submit-service",
                    JobSpec.class,
                    it -> it.job().toString(),
                    Spread.CELL,
                    Cleanup.COMPACT,
                    Duration.ZERO,
                    8 << 20);

    public static final Topic<IdBlockClaimed> ID_BLOCKS =
            log(
                    "id-blocks",
                    "submit-service",
                    IdBlockClaimed.class,
                    IdBlockClaimed::claimant,
                    WEEK);

    public static final Topic<NodeRequest> NODE_REQUESTS =
            log(
                    "node-requests",
                    "submit-service",
                    NodeRequest.class,
                    it -> it.node().value(),
                    WEEK);

    public static final Topic<OutputRequest> OUTPUT_REQUESTS =
            new Topic<>(
                    "berth.output-requests.v1",
                    "submit-service",
                    OutputRequest.class,
                    it -> it.node().value(),
                    Spread.NODE,
                    Cleanup.DELETE,
                    Duration.ofHours(1),
                    Topic.DEFAULT_MAX_BYTES);

    public static final Topic<StepRequest> STEP_REQUESTS =
            new Topic<>(
                    "berth.step-requests.v1",
                    "submit-service",
                    StepRequest.class,
                    it -> it.node().value(),
                    Spread.NODE,
                    Cleanup.DELETE,
                    Duration.ofHours(1),
                    Topic.DEFAULT_MAX_BYTES);

    public static final Topic<Trigger> TRIGGERS =
            new Topic<>(
                    "berth.triggers.v1",
                    "submit-service",
                    Trigger.class,
                    Trigger::key,
                    Spread.SINGLE,
                    Cleanup.COMPACT,
                    Duration.ZERO,
                    8 << 20);

    public static final Topic<Ranked> RANKINGS =
            table(
                    "rankings",
                    "priority-service",
                    Ranked.class,
                    it -> it.job().toString(),
                    Spread.CELL);

    public static final Topic<FairShares> FAIR_SHARES =
            table("fair-shares", "priority-service", FairShares.class, _ -> "tree", Spread.SINGLE);

    public static final Topic<Order> PLACEMENTS =
            new Topic<>(
                    "berth.placements.v1",
                    "placement-service",
                    Order.class,
                    it -> it.node().value(),
                    Spread.NODE,
                    Cleanup.DELETE,
                    WEEK,
                    Topic.DEFAULT_MAX_BYTES);

    public static final Topic<JobEvent> JOBS =
            log("jobs", "placement-service", JobEvent.class, it -> it.job().toString(), MONTH);

    public static final Topic<JobStatus> JOB_STATES =
            table(
                    "job-states",
                    "placement-service",
                    JobStatus.class,
                    it -> it.job().toString(),
                    Spread.CELL);

    public static final Topic<NodeStatus> NODE_STATES =
            table(
                    "node-states",
                    "placement-service",
                    NodeStatus.class,
                    it -> it.node().value(),
                    Spread.CELL);

    public static final Topic<CellStatus> CELL_STATES =
            table(
                    "cell-states",
                    "placement-service",
                    CellStatus.class,
                    it -> Integer.toString(it.cell()),
                    Spread.CELL);

    public static final Topic<RunReport> RUNS =
            log("runs", "node-agent", RunReport.class, it -> it.run().job().toString(), WEEK);

    public static final Topic<NodeSeen> NODES =
            table("nodes", "node-agent", NodeSeen.class, it -> it.node().value(), Spread.CELL);

    public static final Topic<Heartbeat> HEARTBEATS =
            log(
                    "heartbeats",
                    "node-agent",
                    Heartbeat.class,
                    it -> it.node().value(),
                    Duration.ofHours(1));

    public static final Topic<ConfigEntry> CONFIG =
            table(
                    "config",
                    "accounting-service",
                    ConfigEntry.class,
                    ConfigEntry::key,
                    Spread.SINGLE);

    public static final Topic<Usage> SHARES =
            table(
                    "shares",
                    "accounting-service",
                    Usage.class,
                    it -> it.account() + "/" + it.user(),
                    Spread.SINGLE);

    public static final Topic<RoundEvent> ROUNDS =
            new Topic<>(
                    "berth.rounds.v1",
                    "placement-service",
                    RoundEvent.class,
                    it -> Long.toString(it.round()),
                    Spread.CELL,
                    Cleanup.DELETE,
                    WEEK,
                    8 << 20);

    public static final Topic<SnapshotEvent> SNAPSHOTS =
            new Topic<>(
                    "berth.snapshots.v1",
                    "placement-service",
                    SnapshotEvent.class,
                    it -> Long.toString(it.round()),
                    Spread.CELL,
                    Cleanup.DELETE,
                    WEEK,
                    8 << 20);

    /// Nothing is ever written to it: its consumer groups elect the leaders of services. Not among
    /// [#all].
    public static final Topic<Void> ELECTIONS =
            new Topic<>(
                    "berth.elections.v1",
                    "none",
                    Void.class,
                    _ -> "",
                    Spread.SINGLE,
                    Cleanup.DELETE,
                    Duration.ofHours(1),
                    Topic.DEFAULT_MAX_BYTES);

    private static final List<Topic<?>> ALL =
            List.of(
                    SUBMISSIONS,
                    SPECS,
                    ID_BLOCKS,
                    NODE_REQUESTS,
                    OUTPUT_REQUESTS,
                    STEP_REQUESTS,
                    TRIGGERS,
                    RANKINGS,
                    FAIR_SHARES,
                    PLACEMENTS,
                    JOBS,
                    JOB_STATES,
                    NODE_STATES,
                    CELL_STATES,
                    ROUNDS,
                    SNAPSHOTS,
                    RUNS,
                    NODES,
                    HEARTBEATS,
                    CONFIG,
                    SHARES);

    private Topics() {}

    public static List<Topic<?>> all() {
        return ALL;
    }

    /// The topics that this service writes, without its dead letters.
    public static List<Topic<?>> writtenBy(String service) {
        return ALL.stream().filter(topic -> topic.writer().equals(service)).toList();
    }

    /// Where a service leaves the records that it could not apply.
    public static Topic<DeadLetter> deadLetters(String service) {
        return log(
                "dead-letters." + service, service, DeadLetter.class, DeadLetter::position, MONTH);
    }

    private static <E> Topic<E> log(
            String name,
            String writer,
            Class<E> events,
            Function<E, String> key,
            Duration retention) {
        return new Topic<>(
                "berth." + name + ".v1",
                writer,
                events,
                key,
                Spread.CELL,
                Cleanup.DELETE,
                retention,
                Topic.DEFAULT_MAX_BYTES);
    }

    private static <E> Topic<E> table(
            String name, String writer, Class<E> events, Function<E, String> key, Spread spread) {
        return new Topic<>(
                "berth." + name + ".v1",
                writer,
                events,
                key,
                spread,
                Cleanup.COMPACT,
                Duration.ZERO,
                Topic.DEFAULT_MAX_BYTES);
    }
}
