package io.berth.simulation;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.ReservationFlag;
import io.berth.contracts.event.Terms;
import io.berth.core.packing.Policies;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a simulated cell is like: its configuration, and what of the rarer things it has.
///
/// @param urgent whether jobs take the place of others in any case, and for deadlines too
/// @param limited whether users have limits
/// @param sharing whether half of the GPUs of two nodes are given out in parts
/// @param dividing whether each node has a GPU in MIG mode, which is divided as jobs need it
/// @param inOwnBlocks whether the jobs of partition `urgent` share their blocks with nobody; n1 and
///   n2 are one
/// @param mixed whether all nodes but the first have GPUs of two types
/// @param switched whether there are racks: n1 and n2 are in one
/// @param reserved whether n3 is reserved for some time
/// @param guaranteed whether accounts are guaranteed GPUs, which they have back where anybody gives
///   way
/// @param linked whether GPUs of one type have NVLink between them, on each node in twos
record CellTraits(
        boolean urgent,
        boolean limited,
        boolean sharing,
        boolean dividing,
        boolean inOwnBlocks,
        boolean mixed,
        boolean switched,
        boolean reserved,
        boolean guaranteed,
        boolean linked,
        Configuration configuration) {

    /// `team` and `crew` are of `group`; `shop` stands alone, and `guests` have no guarantee.
    private static final List<String> ACCOUNTS = List.of("team", "crew", "shop", "guests");

    static final int MOST_JOBS = 2;
    static final long MOST_GPUS = 8;

    static final String RESERVATION = "kept";
    static final long RESERVED_FROM = 1_060_000;
    static final long RESERVED_UNTIL = 1_160_000;

    private static final Limits LIMITS =
            new Limits(
                    Map.of(Limit.MAX_JOBS, (long) MOST_JOBS),
                    Map.of(
                            Limit.MAX_TRES_PER_USER,
                            Map.of(Tres.GPU, MOST_GPUS),
                            Limit.GRP_TRES_RUN_MINS,
                            Map.of(Tres.CPU, 160L)));

    /// @param seed of the cell, by which it has them
    /// @param random of the cell
    static CellTraits of(long seed, boolean urgent, Random random) {
        boolean limited = seed % 2 == 1;
        boolean sharing = seed % 4 == 2;
        boolean dividing = seed % 4 == 3;
        boolean inOwnBlocks = seed % 5 < 2;
        boolean mixed = !dividing && seed % 3 == 0;
        boolean switched = seed % 5 == 2 || seed % 5 == 4;
        boolean reserved = seed % 6 == 1;
        boolean guaranteed = seed % 3 == 2;
        boolean linked = !dividing && seed % 7 < 3;
        var plain =
                TestCell.configuration(
                        limited ? LIMITS : Limits.NONE,
                        guaranteed
                                ? reclaiming(preemption(urgent, random), seed)
                                : preemption(urgent, random),
                        others(switched, reserved, guaranteed));
        var ofBlocks = inOwnBlocks ? inOwnBlocks(plain) : plain;
        return new CellTraits(
                urgent,
                limited,
                sharing,
                dividing,
                inOwnBlocks,
                mixed,
                switched,
                reserved,
                guaranteed,
                linked,
                packing(
                        sharing ? sharing(ofBlocks) : dividing ? dividing(ofBlocks) : ofBlocks,
                        seed));
    }

    /// What its configuration has beside partitions and QOS.
    private static List<Function<Part, ConfigEntry>> others(
            boolean switched, boolean reserved, boolean guaranteed) {
        var others = new ArrayList<Function<Part, ConfigEntry>>();
        others.add(it -> new License(it, JobWishes.LICENSE, JobWishes.LICENSES));
        if (reserved) {
            others.add(CellTraits::reservation);
        }
        if (guaranteed) {
            others.add(it -> account(it, "group", null, 6));
            others.add(it -> account(it, "team", "group", 3));
            others.add(it -> account(it, "crew", "group", 0));
            others.add(it -> account(it, "shop", null, 4));
        }
        if (switched) {
            others.add(it -> new Switch(it, "s1", List.of("n1", "n2"), List.of(), "rack"));
            others.add(it -> new Switch(it, "s2", List.of("n3"), List.of(), "rack"));
            others.add(it -> new Switch(it, "top", List.of(), List.of("s1", "s2")));
        }
        return others;
    }

    private static ConfigEntry account(Part part, String name, @Nullable String parent, long gpus) {
        Map<String, Long> guarantee = gpus == 0 ? Map.of() : Map.of(Tres.GPU, gpus);
        var terms = new Terms(null, List.of(), 0, Limits.NONE, Map.of(), guarantee);
        return new Account(part, name, parent, 1, terms, null);
    }

    /// Of a job's, and of those that start with it.
    String account(JobId job) {
        return guaranteed
                ? ACCOUNTS.get((int) (job.value() % ACCOUNTS.size()))
                : ACCOUNTS.getFirst();
    }

    /// Jobs that name it may run there then, and anywhere when it is over.
    private static Reservation reservation(Part part) {
        return new Reservation(
                part,
                RESERVATION,
                RESERVED_FROM,
                RESERVED_UNTIL,
                List.of("n3"),
                List.of(),
                List.of("team"),
                List.of(ReservationFlag.NO_HOLD_JOBS_AFTER.name()),
                null);
    }

    /// What its nodes have beside CPUs, memory and GPUs.
    Inventory machine(Inventory it) {
        return new Inventory(
                it.sockets(),
                it.coresPerSocket(),
                it.threadsPerCore(),
                it.cpus(),
                it.memoryMib(),
                it.gpus(),
                it.isolation(),
                it.simulated(),
                it.profile(),
                it.os(),
                it.architecture(),
                linked ? links(it.gpus()) : null,
                null,
                List.of(),
                List.of(JobWishes.CARDS));
    }

    private GpuLinks links(List<Gpu> gpus) {
        return new GpuLinks(
                gpus.stream()
                        .map(from ->
                                gpus.stream()
                                        .map(to -> word(from, to))
                                        .collect(Collectors.joining(" ")))
                        .toList());
    }

    private String word(Gpu from, Gpu to) {
        if (from.index() == to.index()) {
            return "X";
        }
        boolean pair =
                mixed ? from.index() % 2 == to.index() % 2 : from.index() / 2 == to.index() / 2;
        return pair ? "NV4" : "SYS";
    }

    private static Configuration inOwnBlocks(Configuration it) {
        Partition urgent = Objects.requireNonNull(it.partitions().get("urgent"));
        var rules =
                new PartitionRules(
                        State.UP,
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
                        Use.ANY.with(to -> to.exclusiveTopology = true));
        var partitions = new LinkedHashMap<>(it.partitions());
        partitions.put(
                "urgent",
                new Partition(
                        urgent.part(),
                        urgent.name(),
                        urgent.isDefault(),
                        urgent.nodes(),
                        urgent.maxTimeSeconds(),
                        urgent.defaultTimeSeconds(),
                        urgent.maxNodes(),
                        urgent.jobFactor(),
                        urgent.tier(),
                        urgent.defMemoryMibPerCpu(),
                        rules));
        var block = new Block("first", List.of(new NodeName("n1"), new NodeName("n2")));
        var blocks = new Blocks(List.of(block), List.of());
        return new Configuration(
                it.revision(),
                it.cluster().with(to -> to.blocks = blocks),
                partitions,
                it.accounts(),
                it.associations(),
                it.qos(),
                it.reservations(),
                it.switches(),
                it.licenses());
    }

    private static Configuration dividing(Configuration it) {
        return with(
                it,
                it.cluster()
                        .with(to ->
                                to.migGpus =
                                        List.of(new MigGpus(List.of("ALL"), null, null, 1, 2))));
    }

    /// Half of all cells name a policy.
    private static Configuration packing(Configuration it, long seed) {
        List<String> names = Policies.live();
        String name = seed % 8 < 4 ? null : names.get((int) (seed / 8 % names.size()));
        return with(it, it.cluster().with(to -> to.packing = name));
    }

    private static Configuration sharing(Configuration it) {
        var shared =
                new SharedGpus(
                        List.of("n1", "n2"),
                        IndexSet.parse("0-1"),
                        GpuSharing.MPS,
                        GpuSharing.THOUSANDTHS);
        return with(it, it.cluster().with(to -> to.sharedGpus = List.of(shared)));
    }

    private static Configuration with(Configuration it, ConfigEntry.Cluster cluster) {
        return new Configuration(
                it.revision(),
                cluster,
                it.partitions(),
                it.accounts(),
                it.associations(),
                it.qos(),
                it.reservations(),
                it.switches(),
                it.licenses());
    }

    /// Those rules, or, in a third of these cells, none but that accounts have back what they are
    /// guaranteed. Nobody takes turns then.
    private static PreemptRules reclaiming(PreemptRules it, long seed) {
        return new PreemptRules(
                seed % 9 == 2 ? PreemptRules.Type.NONE : it.type(),
                it.mode(),
                false,
                it.gpuMode(),
                it.exemptSeconds(),
                it.youngestFirst(),
                it.mostVictims(),
                it.leastGap(),
                it.requeueDelaySeconds(),
                it.timeSliceSeconds(),
                it.deadlineSeconds(),
                true);
    }

    private static PreemptRules preemption(boolean urgent, Random random) {
        PreemptMode mode =
                PreemptMode.values()[
                        urgent
                                ? 1 + random.nextInt(PreemptMode.values().length - 1)
                                : random.nextInt(PreemptMode.values().length)];
        return mode == PreemptMode.OFF
                ? PreemptRules.NONE
                : new PreemptRules(
                        random.nextBoolean()
                                ? PreemptRules.Type.PARTITION_PRIO
                                : PreemptRules.Type.QOS,
                        mode,
                        mode == PreemptMode.SUSPEND && random.nextBoolean(),
                        random.nextBoolean() ? PreemptMode.REQUEUE : PreemptMode.OFF,
                        10L * random.nextInt(2),
                        random.nextBoolean(),
                        random.nextInt(4),
                        0,
                        10L * random.nextInt(2),
                        5,
                        urgent && random.nextBoolean() ? 60L : null);
    }
}
