package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A GPU in MIG mode: how it is split now, and how it may be.
///
/// @param index its place among the machine's GPUs in PCI order, from 0, however they are split
/// @param uuid the GPU's own, `GPU-…`
/// @param type the GPU's, such as `a100`
/// @param profiles what the driver offers
/// @param instances what it is split into, in place; empty if into nothing
/// @param failure why it could not be divided when that was last ordered; null if nothing failed
/// @param dividing whether it is being divided: what it is split into is told when that is over;
///   null is not
public record MigGpu(
        int index,
        String uuid,
        String type,
        List<MigProfile> profiles,
        List<MigPlacement> instances,
        @Nullable String failure,
        @Nullable Boolean dividing) {

    public MigGpu {
        profiles = List.copyOf(profiles);
        instances = instances.stream().sorted(MigPlacement.IN_PLACE).toList();
    }

    /// One that is not being divided.
    public MigGpu(
            int index,
            String uuid,
            String type,
            List<MigProfile> profiles,
            List<MigPlacement> instances,
            @Nullable String failure) {
        this(index, uuid, type, profiles, instances, failure, null);
    }

    /// The same, split into that.
    public MigGpu split(List<MigPlacement> into, @Nullable String why) {
        return new MigGpu(index, uuid, type, profiles, into, why);
    }

    /// The same while it is being divided: nothing is there to be given out.
    public MigGpu underway() {
        return new MigGpu(index, uuid, type, profiles, List.of(), null, true);
    }
}
