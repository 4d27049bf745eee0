package io.berth.contracts;

import io.berth.contracts.event.AccountDetails;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.Use.GpuDefaults;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PriorityRules;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.Terms;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A configuration record of every kind with every field set.
final class SampleConfiguration {

    private static final Limits LIMITS =
            new Limits(
                    Map.of(Limit.MAX_JOBS, 10L, Limit.MAX_WALL, 1440L),
                    Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.GPU, 16L)));
    private static final Terms TERMS =
            new Terms("high", List.of("high", "normal"), 5, LIMITS, Map.of("batch", LIMITS));
    private static final ConfigEntry.Prices PRICES =
            new ConfigEntry.Prices(1000, 250, 30_000, Map.of("a100", 40_000L));

    private SampleConfiguration() {}

    /// Of kinds that there were not from the start.
    static List<ConfigEntry> ofNewKinds() {
        return List.of(
                new ConfigEntry.Reservation(
                        new Part(4, 6, 7),
                        "service",
                        1_700_000_000_000L,
                        1_700_003_600_000L,
                        List.of("gpu-01"),
                        List.of("root"),
                        List.of("team_a"),
                        List.of("MAINT"),
                        null),
                new ConfigEntry.License(new Part(4, 8, 8), "matlab", 20),
                new ConfigEntry.Switch(
                        new Part(4, 7, 7), "rack1", List.of("gpu-01", "gpu-02"), List.of("leaf")));
    }

    /// Of kinds whose first version had fewer fields.
    static List<ConfigEntry> inFull() {
        return List.of(
                new ConfigEntry.Switch(
                        new Part(4, 7, 7), "rack1", List.of("gpu-01"), List.of(), "rack"),
                new ConfigEntry.Cluster(
                        new Part(4, 1, 7),
                        "berth",
                        "default",
                        "normal",
                        604_800,
                        604_800,
                        false,
                        new ConfigEntry.Weights(1000, 10_000, 100, 500, 2000),
                        PRICES,
                        new PriorityRules(
                                PriorityRules.FairShareRule.CLASSIC,
                                5,
                                PriorityRules.UsageReset.MONTHLY,
                                true,
                                300,
                                Map.of(Tres.GPU, 2000L)),
                        null),
                new ConfigEntry.Partition(
                        new Part(4, 2, 7),
                        "batch",
                        true,
                        List.of("gpu-01"),
                        259_200,
                        3600,
                        16,
                        100,
                        1,
                        2048,
                        new PartitionRules(
                                PartitionRules.State.DRAIN,
                                2,
                                64,
                                8192,
                                List.of("team_a"),
                                List.of("team_b"),
                                List.of("normal"),
                                List.of("high"),
                                "part_batch",
                                PreemptMode.REQUEUE,
                                30,
                                true,
                                PRICES)),
                new ConfigEntry.Account(
                        new Part(4, 3, 7),
                        "team_a",
                        "science",
                        60,
                        TERMS,
                        new AccountDetails("Team A", "science", List.of("alice"))),
                new ConfigEntry.Association(new Part(4, 4, 7), "team_a", "alice", 50, true, TERMS),
                new ConfigEntry.Qos(
                        new Part(4, 5, 7),
                        "high",
                        100,
                        new QosRules(
                                "urgent",
                                List.of(QosRules.Flag.DENY_ON_LIMIT, QosRules.Flag.NO_DECAY),
                                2000,
                                60,
                                List.of("normal"),
                                PreemptMode.CANCEL,
                                LIMITS)));
    }

    /// Of kinds that have learnt of preemption later.
    static List<ConfigEntry> ofPreemption() {
        return List.of(
                new ConfigEntry.Cluster(
                        new Part(5, 1, 2),
                        "berth",
                        "default",
                        "normal",
                        604_800,
                        604_800,
                        false,
                        new ConfigEntry.Weights(1000, 10_000, 100, 500, 2000),
                        PRICES,
                        null,
                        new PreemptRules(
                                PreemptRules.Type.QOS,
                                PreemptMode.SUSPEND,
                                true,
                                PreemptMode.REQUEUE,
                                600,
                                true,
                                16,
                                2,
                                120,
                                30,
                                null)),
                new ConfigEntry.Qos(
                        new Part(5, 2, 2),
                        "high",
                        100,
                        new QosRules(
                                "urgent",
                                List.of(),
                                1000,
                                60,
                                List.of("normal"),
                                PreemptMode.CANCEL,
                                Limits.NONE,
                                300L)));
    }

    /// Of a partition for reservations alone, and of one of its reservations.
    static List<ConfigEntry> ofReservations() {
        return List.of(
                new ConfigEntry.Partition(
                        new Part(7, 1, 2),
                        "course",
                        false,
                        List.of("gpu-01"),
                        0,
                        0,
                        0,
                        1,
                        1,
                        0,
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
                                true)),
                new ConfigEntry.Reservation(
                        new Part(7, 2, 2),
                        "exercise",
                        1_700_000_000_000L,
                        1_700_003_600_000L,
                        List.of("ALL"),
                        List.of("-mallory"),
                        List.of("team_a"),
                        List.of("DAILY"),
                        "course"));
    }

    /// Of a partition with a say in how its nodes are used, and from where.
    static ConfigEntry ofUse() {
        return new ConfigEntry.Partition(
                new Part(8, 1, 1),
                "night",
                false,
                List.of("gpu-01"),
                0,
                0,
                0,
                1,
                1,
                0,
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
                        new PartitionRules.Use(
                                4096, 65_536, 600, true, List.of("login-01"), true)));
    }

    /// Of a cluster in which deadlines give a right to the place of others.
    static ConfigEntry ofDeadlines() {
        return of(
                new PreemptRules(
                        PreemptRules.Type.PARTITION_PRIO,
                        PreemptMode.REQUEUE,
                        false,
                        PreemptMode.REQUEUE,
                        0,
                        false,
                        0,
                        0,
                        0,
                        30,
                        900L));
    }

    /// Of a cluster in which accounts have back what they are guaranteed.
    static ConfigEntry ofReclaim() {
        return of(
                new PreemptRules(
                        PreemptRules.Type.NONE,
                        PreemptMode.REQUEUE,
                        false,
                        PreemptMode.REQUEUE,
                        0,
                        false,
                        0,
                        0,
                        0,
                        30,
                        null,
                        true));
    }

    /// Of an account with a guarantee.
    static ConfigEntry ofGuarantee() {
        return new ConfigEntry.Account(
                new Part(6, 1, 1),
                "science",
                null,
                1,
                new Terms(null, List.of(), 0, Limits.NONE, Map.of(), Map.of("gres/gpu", 16L)),
                null);
    }

    private static ConfigEntry of(PreemptRules rules) {
        return new ConfigEntry.Cluster(
                new Part(6, 1, 1),
                "berth",
                "default",
                "normal",
                604_800,
                604_800,
                false,
                new ConfigEntry.Weights(1000, 10_000, 100, 500, 2000),
                PRICES,
                null,
                rules);
    }

    /// Of a cluster that divides some GPUs anew.
    static ConfigEntry ofMigGpus() {
        return ((ConfigEntry.Cluster) ofDeadlines())
                .with(to ->
                        to.migGpus =
                                List.of(
                                        new MigGpus(
                                                List.of("gpu-01"),
                                                IndexSet.parse("4-7"),
                                                List.of("1g.10gb", "3g.40gb"),
                                                30,
                                                600),
                                        new MigGpus(List.of("gpu-02"), null, null, 15, 300)));
    }

    /// Of a cluster of two blocks.
    static ConfigEntry ofBlocks() {
        return ((ConfigEntry.Cluster) ofDeadlines())
                .with(to ->
                        to.blocks =
                                new Blocks(
                                        List.of(
                                                new Blocks.Block(
                                                        "rack1", List.of(new NodeName("gpu-01"))),
                                                new Blocks.Block(
                                                        "rack2", List.of(new NodeName("gpu-02")))),
                                        List.of(1, 2)));
    }

    /// Of a cluster that says what else its nodes have.
    static ConfigEntry ofGres() {
        var gres = List.of(new Gres("fpga", "xilinx", 1), new Gres("nic", null, 2));
        return ((ConfigEntry.Cluster) ofDeadlines())
                .with(to -> to.gres = List.of(new DeclaredGres(List.of("gpu-01"), gres)));
    }

    /// Of a cluster in which users see their own jobs and usage.
    static ConfigEntry ofPrivateData() {
        return ((ConfigEntry.Cluster) ofDeadlines())
                .with(to -> to.privateData = List.of(PrivateData.JOBS, PrivateData.USAGE));
    }

    /// Of a cluster whose jobs get whole cores.
    static ConfigEntry ofWholeCores() {
        return ((ConfigEntry.Cluster) ofDeadlines()).with(to -> to.wholeCores = true);
    }

    /// Of a cluster that names its packing policy.
    static ConfigEntry ofPacking() {
        return ((ConfigEntry.Cluster) ofDeadlines()).with(to -> to.packing = "default");
    }

    /// Of a cluster that knows few jobs after their end.
    static ConfigEntry ofEndedJobs() {
        return ((ConfigEntry.Cluster) ofDeadlines())
                .with(to -> to.ended = new EndedJobs(100, 60, 3600));
    }

    /// Of a cluster that gives some GPUs out in parts.
    static ConfigEntry ofSharedGpus() {
        return ((ConfigEntry.Cluster) ofDeadlines())
                .with(to ->
                        to.sharedGpus =
                                List.of(
                                        new SharedGpus(
                                                List.of("gpu-01"),
                                                IndexSet.parse("0-1"),
                                                GpuSharing.MPS,
                                                GpuSharing.THOUSANDTHS),
                                        new SharedGpus(
                                                List.of("gpu-02"), null, GpuSharing.SHARD, 4)));
    }

    /// A partition of two groups, of which each node is for one user.
    static ConfigEntry ofGroups() {
        return ofGroups(null);
    }

    /// The same, of which each node is for one job.
    static ConfigEntry ofExclusive() {
        return ofGroups(true);
    }

    /// Of a partition that does not take root's jobs and gives so much for each GPU.
    static ConfigEntry ofGpuDefaults() {
        return lab(
                PartitionRules.Use.ANY.with(to -> {
                    to.ofGpus = new GpuDefaults(8, 65_536);
                    to.withoutRoot = true;
                }));
    }

    /// Of a partition whose jobs have so many CPUs of each socket.
    static ConfigEntry ofSockets() {
        return lab(PartitionRules.Use.ANY.with(to -> to.maxCpusPerSocket = 16));
    }

    /// Of a partition whose jobs have their CPUs together.
    static ConfigEntry ofOverSubscribe() {
        return lab(
                PartitionRules.Use.ANY.with(
                        to -> to.overSubscribe = new PartitionRules.Use.OverSubscribe(true, 4)));
    }

    /// Of a partition whose jobs do not share blocks.
    static ConfigEntry ofOwnBlocks() {
        return lab(PartitionRules.Use.ANY.with(to -> to.exclusiveTopology = true));
    }

    private static ConfigEntry ofGroups(@Nullable Boolean exclusive) {
        return lab(
                PartitionRules.Use.ANY.with(to -> {
                    to.exclusiveUser = true;
                    to.allowGroups = List.of("lab", "chemistry");
                    to.exclusive = exclusive;
                }));
    }

    private static ConfigEntry lab(PartitionRules.Use use) {
        var rules =
                new PartitionRules(
                        PartitionRules.State.UP,
                        1,
                        48,
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
        return new ConfigEntry.Partition(
                new Part(6, 1, 1), "lab", false, List.of("ALL"), 0, 0, 0, 1, 1, 0, rules);
    }

    /// Of a cluster whose nodes have weights, and in which nobody waits long for switches.
    static ConfigEntry ofWeights() {
        return new ConfigEntry.Cluster(
                new Part(6, 1, 1),
                "berth",
                "default",
                "normal",
                604_800,
                604_800,
                false,
                new ConfigEntry.Weights(1000, 10_000, 100, 500, 2000),
                PRICES,
                null,
                null,
                null,
                null,
                List.of(
                        new NodeWeight(List.of("gpu-01", "gpu-02"), 10),
                        new NodeWeight(List.of("ALL"), 5)),
                60L,
                null,
                null,
                List.of(),
                null,
                Map.of(),
                null,
                null);
    }

    /// Of a cluster with an operator and an admin.
    static ConfigEntry ofAdminLevels() {
        return ((ConfigEntry.Cluster) ofDeadlines())
                .with(to ->
                        to.adminLevels =
                                Map.of("ops", AdminLevel.OPERATOR, "root", AdminLevel.ADMIN));
    }

    /// A reservation that goes when nobody uses it.
    static ConfigEntry ofPurging() {
        return new ConfigEntry.Reservation(
                new Part(6, 1, 1),
                "course",
                1_800_000_000_000L,
                1_800_003_600_000L,
                List.of("gpu-01"),
                List.of("alice"),
                List.of(),
                List.of("WEEKDAY", "MAGNETIC", "PURGE_COMP", "REPLACE_DOWN"),
                null,
                600L);
    }
}
