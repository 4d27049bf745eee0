package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.core.state.CellState;
import java.util.List;

/// What a run costs: Slurm's TRESBillingWeights, in integers.
final class Billing {

    private Billing() {}

    /// Billing units per second, in thousandths. A GiB's price is divided over its MiB, rounded
    /// down once a node.
    static long rate(Prices prices, CellState state, List<Allocation> allocations) {
        long rate = 0;
        for (Allocation allocation : allocations) {
            rate +=
                    prices.cpu() * allocation.cpus().size()
                            + prices.gib() * allocation.memoryMib() / 1024;
            List<Gpu> gpus =
                    state.node(allocation.node())
                            .map(node -> node.seen().inventory().gpus())
                            .orElse(List.of());
            rate +=
                    gpus.stream()
                            .filter(gpu -> allocation.gpus().contains(gpu.uuid()))
                            .mapToLong(gpu ->
                                    prices.gpuByType().getOrDefault(gpu.type(), prices.gpu()))
                            .sum();
        }
        return rate;
    }
}
