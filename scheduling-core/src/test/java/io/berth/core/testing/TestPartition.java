package io.berth.core.testing;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.core.state.Input;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.function.Consumer;

/// A partition of a test's cell with other rules.
public final class TestPartition {

    private TestPartition() {}

    /// The rules of one whose nodes are used so.
    public static PartitionRules used(Consumer<Use.Draft> change) {
        PartitionRules it = PartitionRules.DEFAULT;
        return new PartitionRules(
                it.state(),
                it.minNodes(),
                it.maxCpusPerNode(),
                it.maxMemoryMibPerCpu(),
                it.allowAccounts(),
                it.denyAccounts(),
                it.allowQos(),
                it.denyQos(),
                it.qos(),
                it.preemptMode(),
                it.graceSeconds(),
                it.hidden(),
                it.prices(),
                it.reservedOnly(),
                Use.ANY.with(change));
    }

    /// Gives a partition these rules; all else is as the cell has it.
    public static void change(TestCell cell, String name, PartitionRules rules) {
        Configuration plain = cell.state.configuration().orElseThrow();
        var partitions = new LinkedHashMap<>(plain.partitions());
        Partition before = Objects.requireNonNull(partitions.get(name));
        partitions.put(
                name,
                new Partition(
                        before.part(),
                        before.name(),
                        before.isDefault(),
                        before.nodes(),
                        before.maxTimeSeconds(),
                        before.defaultTimeSeconds(),
                        before.maxNodes(),
                        before.jobFactor(),
                        before.tier(),
                        before.defMemoryMibPerCpu(),
                        rules));
        cell.take(
                new Input.Configured(
                        new Configuration(
                                plain.revision() + 1,
                                plain.cluster(),
                                partitions,
                                plain.accounts(),
                                plain.associations(),
                                plain.qos(),
                                plain.reservations(),
                                plain.switches(),
                                plain.licenses())));
    }
}
