package io.berth.simulation;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.contracts.event.PreemptRules;
import io.berth.core.packing.Policies;
import io.berth.core.testing.TestCell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/// What a simulated cell is like: its configuration, and what of the rarer things it has.
///
/// @param urgent whether jobs take the place of others in any case, and for deadlines too
/// @param limited whether users have limits
/// @param sharing whether half of the GPUs of two nodes are given out in parts
/// @param dividing whether each node has a GPU in MIG mode, which is divided as jobs need it
/// @param inOwnBlocks whether the jobs of partition `urgent` share their blocks with nobody; n1 and
///   n2 are one
/// @param mixed whether all nodes but the first have GPUs of two types
record CellTraits(
        boolean urgent,
        boolean limited,
        boolean sharing,
        boolean dividing,
        boolean inOwnBlocks,
        boolean mixed,
        Configuration configuration) {

    static final int MOST_JOBS = 2;
    static final long MOST_GPUS = 8;

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
        var plain =
                TestCell.configuration(limited ? LIMITS : Limits.NONE, preemption(urgent, random));
        var ofBlocks = inOwnBlocks ? inOwnBlocks(plain) : plain;
        return new CellTraits(
                urgent,
                limited,
                sharing,
                dividing,
                inOwnBlocks,
                mixed,
                packing(
                        sharing ? sharing(ofBlocks) : dividing ? dividing(ofBlocks) : ofBlocks,
                        seed));
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
