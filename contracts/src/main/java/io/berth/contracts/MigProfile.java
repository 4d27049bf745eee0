package io.berth.contracts;

import java.util.List;

/// A size in which a GPU can be split by MIG, with its places: NVIDIA's placement table, a line of
/// it.
///
/// Source: NVIDIA, "Multi-Instance GPU User Guide", MIG device profiles;
/// `nvmlDeviceGetGpuInstancePossiblePlacements_v2`.
///
/// @param name `1g.10gb`
/// @param memoryMib memory of an instance, in MiB
/// @param slices memory slices that an instance takes
/// @param starts the slices that it may begin at
/// @param most instances of it that a GPU may have at a time
public record MigProfile(String name, long memoryMib, int slices, List<Integer> starts, int most) {

    public MigProfile {
        starts = List.copyOf(starts);
        boolean outside = starts.stream().anyMatch(start -> start < 0 || start + slices > 32);
        if (slices < 1 || most < 0 || outside) {
            throw new IllegalArgumentException(
                    "MIG profile %s of %d slices from %s, %d at most: 1 slice at least, of 32"
                            .formatted(name, slices, starts, most));
        }
    }

    /// An instance of it there.
    public MigPlacement at(int start) {
        return new MigPlacement(name, start, slices);
    }
}
