package io.berth.core.placement;

import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SharedGpus;
import io.berth.core.request.Cores;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whether nodes could hold a job that asks for sockets, or whose partition may have only so many
/// CPUs of each, were they empty: asked at its submission by the rules of its start, so that none
/// waits for what cannot be.
public final class SocketFit {

    private static final String PARTITION = "its own";

    private final GpuLayout.Known layouts = new GpuLayout.Known();

    /// Whether a node could hold the largest part of a request.
    ///
    /// @param gres all its other resources
    /// @param shared how its GPUs are shared; null if none is
    /// @param wholeCores whether jobs get whole cores
    /// @param most CPUs of each socket that jobs of the partition may have (MaxCPUsPerSocket); 0 is
    ///   any number
    /// @return true for a request to which sockets do not matter
    public boolean holds(
            Inventory inventory,
            List<Gres> gres,
            @Nullable SharedGpus shared,
            boolean wholeCores,
            int most,
            ResourceRequest request) {
        if (!Seats.bySocket(request) && most == 0) {
            return true;
        }
        Cores cores = Cores.of(inventory, wholeCores);
        Seats seats =
                Seats.of(
                        inventory,
                        cores,
                        layouts,
                        gpu -> shared == null || !shared.shares(gpu),
                        gres.size(),
                        most == 0 ? List.of() : List.of(new Seats.Cap(PARTITION, most)));
        if (seats == null && most > 0) {
            return false;
        }
        return NodeKind.of(inventory, inventory.gpus(), gres, cores, seats, List.of(), shared, 1)
                        .demand(request, 0, PARTITION)
                != null;
    }
}
