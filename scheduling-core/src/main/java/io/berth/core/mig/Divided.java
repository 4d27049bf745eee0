package io.berth.core.mig;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.MigInstance;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What a node has once a GPU of it is divided, for those who do not wait for its agent: instances
/// have UUIDs and indices of their own making, and nothing that opens them.
public final class Divided {

    private Divided() {}

    /// The inventory with that GPU split so.
    ///
    /// @param gpu its UUID
    /// @param mark what tells its instances from those that it had before
    /// @throws IllegalStateException if the node has no such GPU in MIG mode
    public static Inventory inventory(
            Inventory before, String gpu, List<MigPlacement> into, String mark) {
        MigGpu split =
                before.migGpu(gpu)
                        .orElseThrow(() ->
                                new IllegalStateException(
                                        "divide GPU " + gpu + ": it is not in MIG mode"));
        var gpus = new ArrayList<>(before.gpus());
        gpus.removeAll(before.instancesOf(gpu));
        int index = gpus.stream().mapToInt(Gpu::index).max().orElse(-1) + 1;
        for (MigPlacement place : into) {
            gpus.add(instance(split, place, index++, mark));
        }
        return before.withGpus(
                gpus,
                before.migGpus().stream()
                        .map(it -> it.uuid().equals(gpu) ? it.split(into, null) : it)
                        .toList());
    }

    private static Gpu instance(MigGpu gpu, MigPlacement place, int index, String mark) {
        long memory =
                gpu.profiles().stream()
                        .filter(it -> it.name().equals(place.profile()))
                        .mapToLong(MigProfile::memoryMib)
                        .findFirst()
                        .orElse(0);
        String name = place.profile();
        String uuid = "MIG-" + gpu.uuid() + "-" + mark + "-" + place.start();
        var mig = new MigInstance(gpu.uuid(), place.start(), 0, IndexSet.EMPTY);
        var hardware =
                new GpuHardware(
                        Vendor.NVIDIA, "", null, null, null, null, null, Map.of(), null, mig, null);
        return new Gpu(index, uuid, gpu.type() + "_" + name, name, -1, memory, -1, hardware);
    }
}
