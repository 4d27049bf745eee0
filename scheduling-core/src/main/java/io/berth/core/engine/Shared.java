package io.berth.core.engine;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// CPUs of a node that jobs of one partition hold together: Slurm's OverSubscribe.
///
/// A job that waits is content with CPUs that others of the partition hold, as long as no more than
/// so many are on each. Of one that runs it is known which CPUs it holds: a CPU is free for jobs of
/// other partitions when the last of its holders has ended.
///
/// @param partition whose jobs
/// @param most jobs on a CPU, of which one waits for it; not read of one that runs
/// @param held which CPUs; null of one that waits
public record Shared(int partition, int most, @Nullable BitSet held) {

    /// CPUs that a job may take that has just been given room on a node.
    ///
    /// @param free how many that nobody holds: others are kept for expected starts
    /// @param held by jobs of its partition, those that it is to take first before all
    public record Choice(int free, List<Some> held) {}

    /// Some CPUs, of which it takes until it has so many in all.
    public record Some(BitSet cpus, int upTo) {}

    /// Whether the two may hold a CPU together.
    boolean with(@Nullable Shared other) {
        return other != null && partition == other.partition;
    }

    /// Of a job that runs.
    public static Shared held(int partition, BitSet cpus) {
        return new Shared(partition, 0, cpus);
    }
}
