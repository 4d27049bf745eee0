package io.berth.contracts;

import java.util.List;

/// A run that is over: its resources are free and its charge is fixed.
///
/// @param placedAt cell time at which its resources were taken, in epoch milliseconds
/// @param startedAt cell time at which its code started; 0 if it never did
/// @param freedAt cell time at which every node had reported its group empty
/// @param outcome the state that the run gave the job; PENDING if the job was requeued
public record EndedRun(
        int lease,
        List<Allocation> allocations,
        long placedAt,
        long startedAt,
        long freedAt,
        JobState outcome,
        ExitStatus exit,
        Charge charge) {

    public EndedRun {
        allocations = List.copyOf(allocations);
    }
}
