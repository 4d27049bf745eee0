package io.berth.core.testing;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules;
import io.berth.core.state.Input;
import java.util.LinkedHashMap;
import java.util.Objects;

/// A partition of a test's cell with other rules.
public final class TestPartition {

    private TestPartition() {}

    /// Gives a partition these rules; all else is as [TestCell] has it.
    public static void change(TestCell cell, String name, PartitionRules rules) {
        Configuration plain = TestCell.configuration();
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
