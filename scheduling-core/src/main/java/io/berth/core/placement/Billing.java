package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuShare;
import io.berth.contracts.JobDescription;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.core.state.CellState;
import java.util.List;

/// What a run costs: Slurm's TRESBillingWeights, in integers.
final class Billing {

    private Billing() {}

    /// Billing units per second, in thousandths: at the prices of the job's partition, or of the
    /// cluster where it has none, times the usage factor of the job's QOS, rounded down.
    static long rate(
            Configuration configuration,
            JobDescription job,
            CellState state,
            List<Allocation> allocations) {
        Partition partition = configuration.partitions().get(job.partition());
        Prices own = partition == null ? null : partition.partitionRules().prices();
        Prices prices = own == null ? configuration.cluster().prices() : own;
        Qos qos = configuration.qos().get(job.qos());
        long factor = qos == null ? 1000 : qos.ownRules().usageFactorThousandths();
        return Math.multiplyExact(rate(prices, state, allocations), factor) / 1000;
    }

    /// A GiB's price is divided over its MiB, and a GPU's over its parts, rounded down once a node.
    private static long rate(Prices prices, CellState state, List<Allocation> allocations) {
        long rate = 0;
        for (Allocation allocation : allocations) {
            rate +=
                    prices.cpu() * allocation.cpus().size()
                            + prices.gib() * allocation.memoryMib() / 1024;
            List<Gpu> gpus =
                    state.node(allocation.node())
                            .map(node -> node.seen().inventory().gpus())
                            .orElse(List.of());
            long whole =
                    gpus.stream()
                            .filter(gpu -> allocation.gpus().contains(gpu.uuid()))
                            .mapToLong(gpu ->
                                    prices.gpuByType().getOrDefault(gpu.type(), prices.gpu()))
                            .sum();
            GpuShare share = allocation.share();
            rate += share == null ? whole : share.partOf(whole);
        }
        return rate;
    }
}
