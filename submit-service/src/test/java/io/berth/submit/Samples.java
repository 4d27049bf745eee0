package io.berth.submit;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.LogPosition;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SpecReference;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.AccountDetails;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.event.Suspensions;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A small cluster: partition `batch` (the default) of every node, `cpu` of one node without GPUs,
/// and `later` of a node that is not registered; alice is in team_a and team_b, bob in team_b.
public final class Samples {
    public static final NodeSeen DGX = node("dgx-01", 128, 1_000_000, 8, "a100");
    public static final NodeSeen DGX_2 = node("dgx-02", 128, 1_000_000, 8, "a100");
    public static final NodeSeen VOLTA = node("volta-01", 64, 500_000, 4, "v100");
    public static final NodeSeen PLAIN = node("plain-01", 256, 2_000_000, 0, "");
    public static final List<NodeSeen> NODES = List.of(DGX, DGX_2, PLAIN, VOLTA);

    private Samples() {}

    /// With so many A100 and as many V100.
    public static NodeSeen mixed(String name, int pairs) {
        NodeSeen plain = node(name, 64, 500_000, pairs, "a100");
        var gpus = new ArrayList<>(plain.inventory().gpus());
        for (int i = 0; i < pairs; i++) {
            gpus.add(new Gpu(pairs + i, "GPU-" + name + "-v" + i, "v100", "v100", i, 1, 0));
        }
        return new NodeSeen(
                plain.node(),
                plain.nonce(),
                plain.machineId(),
                plain.bootId(),
                plain.agentVersion(),
                plain.inventory().withGpus(gpus, List.of()),
                List.of(),
                0);
    }

    public static NodeSeen node(String name, int cpus, long memoryMib, int gpus, String type) {
        var inventory =
                new Inventory(
                        2,
                        cpus / 4,
                        2,
                        cpus,
                        memoryMib,
                        IntStream.range(0, gpus)
                                .mapToObj(i ->
                                        new Gpu(i, "GPU-" + name + "-" + i, type, type, i, 1, 0))
                                .toList(),
                        List.of(Isolation.CPUSET),
                        gpus > 0,
                        gpus == 8 ? "dgx-a100" : null,
                        "Linux",
                        "amd64");
        return new NodeSeen(
                new NodeName(name), "nonce", "machine", "boot", "0.1.0", inventory, List.of(), 0);
    }

    public static NodeStatus nodeStatus(NodeSeen seen, Presence presence) {
        return new NodeStatus(seen.node(), 1, 0, presence, seen);
    }

    public static List<ConfigEntry> configEntries() {
        return List.of(
                new Cluster(
                        new Part(1, 1, 11),
                        "atlas",
                        "default",
                        "normal",
                        604_800,
                        604_800,
                        false,
                        new Weights(1000, 10_000, 100, 500, 2000),
                        new Prices(1000, 250, 30_000, Map.of())),
                partition(2, "batch", true, List.of("ALL"), 86_400, 3600, 2048),
                partition(3, "cpu", false, List.of("plain-01"), 0, 0, 0),
                partition(4, "later", false, List.of("dgx-99"), 600, 0, 1024),
                new Account(new Part(1, 5, 11), "team_a", null, 60),
                new Account(
                        new Part(1, 6, 11),
                        "team_b",
                        null,
                        40,
                        null,
                        new AccountDetails("", "", List.of("carol"))),
                new Association(new Part(1, 7, 11), "team_b", "alice", 1, false),
                new Association(new Part(1, 8, 11), "team_a", "alice", 1, true),
                new Association(new Part(1, 9, 11), "team_b", "bob", 1, true),
                new Qos(new Part(1, 10, 11), "normal", 0),
                new Qos(new Part(1, 11, 11), "high", 100));
    }

    private static Partition partition(
            int number,
            String name,
            boolean isDefault,
            List<String> nodes,
            long max,
            long otherwise,
            long memoryMib) {
        return new Partition(
                new Part(1, number, 11),
                name,
                isDefault,
                nodes,
                max,
                otherwise,
                4,
                100,
                1,
                memoryMib);
    }

    public static Configuration configuration() {
        return configuration(it -> it);
    }

    /// With some records changed.
    public static Configuration configuration(UnaryOperator<ConfigEntry> change) {
        var assembler = new ConfigurationAssembler();
        return configEntries().stream()
                .map(change)
                .map(assembler::add)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow();
    }

    /// The record as it is; a partition of that name gives each of its jobs its nodes alone.
    static ConfigEntry exclusive(String name, ConfigEntry entry) {
        return used(name, to -> to.exclusive = true, entry);
    }

    /// The record as it is; a partition of that name uses its nodes so.
    static ConfigEntry used(
            String name, Consumer<PartitionRules.Use.Draft> change, ConfigEntry entry) {
        if (!(entry instanceof Partition it) || !it.name().equals(name)) {
            return entry;
        }
        var use = PartitionRules.Use.ANY.with(change);
        var rules =
                new PartitionRules(
                        PartitionRules.State.UP,
                        1,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        null,
                        0,
                        false,
                        null,
                        null,
                        use);
        return with(it, rules);
    }

    /// The partition with those rules in place of its own.
    static Partition with(Partition it, PartitionRules rules) {
        return new Partition(
                it.part(),
                it.name(),
                it.isDefault(),
                it.nodes(),
                it.maxTimeSeconds(),
                it.defaultTimeSeconds(),
                it.maxNodes(),
                it.jobFactor(),
                it.tier(),
                it.defMemoryMibPerCpu(),
                rules);
    }

    public static JobDescription description(String user, String partition, int gpus) {
        return new JobDescription(
                user,
                "team_a",
                partition,
                "normal",
                "train",
                new ResourceRequest(
                        1, 1, 4, MemoryRequest.perNode(8192), new GpuRequest(gpus, null)),
                LaunchMode.BATCH,
                3600,
                0,
                true);
    }

    /// A job as placement tells it, submitted with that offset and at that time.
    public static JobStatus status(
            long job, JobDescription description, JobState state, Reason reason, Rank rank) {
        return status(job, description, state, reason, rank, null, 0);
    }

    public static JobStatus status(
            long job,
            JobDescription description,
            JobState state,
            Reason reason,
            Rank rank,
            JobStatus.@Nullable Run run,
            long endedAt) {
        return status(
                job, description, state, reason, rank, run, endedAt, new SpecReference(0, job, ""));
    }

    private static JobStatus status(
            long job,
            JobDescription description,
            JobState state,
            Reason reason,
            Rank rank,
            JobStatus.@Nullable Run run,
            long endedAt,
            SpecReference spec) {
        return new JobStatus(
                new JobId(job),
                description,
                description.user(),
                spec,
                null,
                job,
                1000 * job,
                state,
                reason,
                rank,
                run,
                List.of(),
                endedAt,
                null,
                null,
                null);
    }

    /// A job of which a node lost a run, and what was said of that.
    public static JobStatus lostBefore(
            long job, JobDescription description, JobState state, String message) {
        return new JobStatus(
                new JobId(job),
                description,
                description.user(),
                new SpecReference(0, job, ""),
                null,
                job,
                1000 * job,
                state,
                Reason.NONE,
                Rank.NONE,
                state == JobState.PENDING ? null : run(DGX, 5000, List.of()),
                List.of(),
                0,
                null,
                null,
                message);
    }

    /// Placement's word on a job that the gateway wrote.
    public static JobStatus status(
            Submitted submitted, JobState state, JobStatus.@Nullable Run run, long endedAt) {
        return status(
                submitted.job().value(),
                submitted.description(),
                state,
                Reason.NONE,
                Rank.NONE,
                run,
                endedAt,
                submitted.spec());
    }

    /// The same job, suspended by an operator since then.
    public static JobStatus suspended(JobStatus running, long since) {
        var current =
                new Suspensions.Current(
                        SuspendCause.OPERATOR, "root", null, List.of(), since, false);
        return Transitions.standing(running, new Suspensions(1, 0, current));
    }

    /// A job whose run hardly uses its GPUs.
    public static JobStatus underused(JobStatus.Run run, Submitted submitted) {
        List<JobStatus.Part> idle =
                run.parts().stream()
                        .map(part -> part.using(new JobStatus.Part.Underuse(9000, 3)))
                        .toList();
        return status(submitted, JobState.RUNNING, run.with(idle), 0);
    }

    /// A run that holds these GPUs of a node, and 4 CPUs.
    public static JobStatus.Run run(NodeSeen node, long placedAt, List<String> gpus) {
        var allocation = new Allocation(node.node(), 0, 1, IndexSet.parse("0-3"), 8192, gpus);
        return new JobStatus.Run(
                1,
                placedAt,
                0,
                false,
                34_000,
                null,
                List.of(new JobStatus.Part(allocation, JobStatus.Part.Phase.STARTED, 1, 1)));
    }

    /// Placement has read the submissions below that offset.
    public static CellStatus cellStatus(long submissionsOffset, long highestJob) {
        return new CellStatus(
                0,
                1,
                0,
                List.of(
                        new LogPosition(Topics.RUNS.name(), "t", 0, 99),
                        new LogPosition(Topics.SUBMISSIONS.name(), "t", 0, submissionsOffset)),
                highestJob,
                1,
                "");
    }
}
