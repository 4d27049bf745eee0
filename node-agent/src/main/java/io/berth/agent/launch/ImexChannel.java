package io.berth.agent.launch;

import io.berth.agent.host.LocalNode;
import io.berth.contracts.Gpu;
import io.berth.contracts.Hardware;
import io.berth.contracts.IndexSet;
import io.berth.contracts.event.Order.Launch;
import java.util.Optional;
import java.util.OptionalInt;

/// The channel by which the GPUs of a run on several nodes of an NVLink fabric share memory. Who
/// may open a channel reaches what is shared by it. Of `n` channels a job has the (its number
/// modulo `n`)-th, so that each node takes the same one without asking the others; all nodes of a
/// fabric must have the same channels. Jobs have different ones as long as their numbers differ by
/// less than `n`: of 4 channels jobs 5 and 9 share one, also while three are free.
///
/// Source: NVIDIA, "IMEX Service for NVLink Networks", on channels; Slurm's switch/nvidia_imex.
final class ImexChannel {

    private ImexChannel() {}

    /// Nothing for a run that needs none, or where there is none.
    static OptionalInt of(LocalNode node, Launch launch) {
        Hardware hardware = node.inventory().hardware();
        IndexSet channels = hardware == null ? null : hardware.imexChannels();
        boolean inFabric =
                node.inventory().gpus().stream()
                        .filter(gpu -> launch.here().gpus().contains(gpu.uuid()))
                        .anyMatch(ImexChannel::inFabric);
        if (launch.allocations().size() == 1 || channels == null || !inFabric) {
            return OptionalInt.empty();
        }
        int place = (int) (launch.run().job().value() % channels.size());
        return channels.toBitSet().stream().skip(place).findFirst();
    }

    private static boolean inFabric(Gpu gpu) {
        return Optional.ofNullable(gpu.hardware()).map(it -> it.fabric()).isPresent();
    }
}
