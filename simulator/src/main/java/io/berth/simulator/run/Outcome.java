package io.berth.simulator.run;

import io.berth.simulator.trace.TraceJob;

/// What became of a job. Times are milliseconds of the trace.
///
/// @param promised the start that it was first told to expect; -1 if it was told none
/// @param start of the run that it ended with; -1 if it never started: no node, or no number of
///   nodes, can hold it
/// @param backfilled whether it started before one that stands ahead of it
/// @param gaveWay how often a run of it gave way to another job
/// @param lostMillis how long those runs had run
public record Outcome(
        TraceJob job, long start, long promised, boolean backfilled, int gaveWay, long lostMillis) {

    /// Shorter runs count as that long in a slowdown, which would else be of the shortest alone.
    private static final long SHORTEST_MILLIS = 10_000;

    /// Of a job that never gave way.
    public Outcome(TraceJob job, long start, long promised, boolean backfilled) {
        this(job, start, promised, backfilled, 0, 0);
    }

    public boolean ran() {
        return start >= 0;
    }

    public long end() {
        return start + job.durationMillis();
    }

    public long waitMillis() {
        return start - job.submitMillis();
    }

    /// From submission to end.
    public long completionMillis() {
        return end() - job.submitMillis();
    }

    /// Bounded slowdown: completion by run time, at least 1, runs of less than 10 s taken as 10 s.
    ///
    /// Source: Feitelson, Rudolph et al., "Theory and Practice in Parallel Job Scheduling" (1997).
    public double slowdown() {
        double run = Math.max(SHORTEST_MILLIS, job.durationMillis());
        return Math.max(1, (waitMillis() + job.durationMillis()) / run);
    }
}
