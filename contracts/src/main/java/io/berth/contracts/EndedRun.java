package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A run that is over: its resources are free and its charge is fixed.
///
/// @param placedAt cell time at which its resources were taken, in epoch milliseconds
/// @param startedAt cell time at which its code started; 0 if it never did
/// @param freedAt cell time at which every node had reported its group empty
/// @param outcome the state that the run gave the job; PENDING if the job was requeued
/// @param charge for the time in which it was not suspended
/// @param suspendedMillis how long it was suspended in all; null is never
/// @param ending what cut the run of a requeued job short: PREEMPTED or NODE_FAIL; null is neither
/// @param used null is not known
/// @param lostGpuMillis of a run that gave way to another job: GPU-milliseconds from its start, or
///   its last checkpoint, to its end; null of any other
public record EndedRun(
        int lease,
        List<Allocation> allocations,
        long placedAt,
        long startedAt,
        long freedAt,
        JobState outcome,
        ExitStatus exit,
        Charge charge,
        @Nullable Long suspendedMillis,
        @Nullable JobState ending,
        @Nullable Consumption used,
        @Nullable Long lostGpuMillis) {

    public EndedRun {
        allocations = List.copyOf(allocations);
    }

    /// A run that was never suspended, and ended as its job did.
    public EndedRun(
            int lease,
            List<Allocation> allocations,
            long placedAt,
            long startedAt,
            long freedAt,
            JobState outcome,
            ExitStatus exit,
            Charge charge) {
        this(
                lease,
                allocations,
                placedAt,
                startedAt,
                freedAt,
                outcome,
                exit,
                charge,
                null,
                null,
                null,
                null);
    }

    /// How often its job had been started again when the run was over, or was to be: all before it
    /// were followed by another, and so is this one if the job was requeued.
    public int restartsByThen() {
        return outcome == JobState.PENDING ? lease : lease - 1;
    }
}
