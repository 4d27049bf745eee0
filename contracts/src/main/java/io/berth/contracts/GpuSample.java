package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What one GPU does at a moment. A null is what it does not tell: an instance of a split GPU tells
/// its memory alone.
///
/// @param use share of the last moments in which it worked, in percent
/// @param memoryUsedMib memory in use, in MiB
/// @param milliwatts power that it draws
/// @param millijoules energy since the driver was loaded
/// @param celsius its temperature
/// @param smMhz clock of its multiprocessors
/// @param memoryMhz clock of its memory
/// @param correctedErrors corrected memory errors since the driver was loaded
/// @param uncorrectedErrors uncorrected memory errors since the driver was loaded
/// @param processes numbers of the processes that compute on it
/// @param health its state
public record GpuSample(
        String uuid,
        @Nullable Integer use,
        @Nullable Long memoryUsedMib,
        @Nullable Long milliwatts,
        @Nullable Long millijoules,
        @Nullable Integer celsius,
        @Nullable Integer smMhz,
        @Nullable Integer memoryMhz,
        @Nullable Long correctedErrors,
        @Nullable Long uncorrectedErrors,
        List<Long> processes,
        Hardware.Health health) {

    public GpuSample {
        processes = List.copyOf(processes);
    }
}
