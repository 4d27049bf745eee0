package io.berth.simulator.run;

import io.berth.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What became of a job. Times are milliseconds of the trace.
///
/// @param run with which it ended; null if it never ran to its end: no node, or no number of nodes,
///   can hold it, or it was cancelled when it gave way
/// @param promised the start that it was first told to expect; -1 if it was told none
/// @param backfilled whether it started before one that stands ahead of it
/// @param lost runs that gave way to other jobs, and what they had done with them
public record Outcome(
        TraceJob job, @Nullable Spell run, long promised, boolean backfilled, List<Spell> lost) {

    /// Shorter runs count as that long in a slowdown, which would else be of the shortest alone.
    private static final long SHORTEST_MILLIS = 10_000;

    /// A time in which a job held its nodes.
    ///
    /// @param stillMillis for how long of it the run stood still for another job
    public record Spell(long start, long end, long stillMillis) {

        /// For how long it held its nodes and did not stand still.
        public long millis() {
            return end - start - stillMillis;
        }
    }

    public Outcome {
        lost = List.copyOf(lost);
    }

    /// Of a job that never gave way, and ran for as long as the trace says.
    ///
    /// @param start -1 if it never ran
    public Outcome(TraceJob job, long start, long promised, boolean backfilled) {
        this(
                job,
                start < 0 ? null : new Spell(start, start + job.durationMillis(), 0),
                promised,
                backfilled,
                List.of());
    }

    public boolean ran() {
        return run != null;
    }

    /// Whether it gave way and was not to run again.
    public boolean cancelled() {
        return run == null && !lost.isEmpty();
    }

    /// Of the run that it ended with; -1 if there is none.
    public long start() {
        return run == null ? -1 : run.start;
    }

    /// Of the run that it ended with; -1 if there is none.
    public long end() {
        return run == null ? -1 : run.end;
    }

    /// All times in which it held its nodes, oldest first.
    List<Spell> spells() {
        if (lost.isEmpty()) {
            return run == null ? List.of() : List.of(run);
        }
        var spells = new ArrayList<>(lost);
        if (run != null) {
            spells.add(run);
        }
        return spells;
    }

    /// For how long it held its nodes and did not stand still.
    long heldMillis() {
        return spells().stream().mapToLong(Spell::millis).sum();
    }

    /// How long the runs had run that were lost.
    long lostMillis() {
        return lost.stream().mapToLong(Spell::millis).sum();
    }

    /// For how long its runs stood still for others.
    long stillMillis() {
        return spells().stream().mapToLong(Spell::stillMillis).sum();
    }

    public long waitMillis() {
        return start() - job.submitMillis();
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
        return Math.max(1, completionMillis() / run);
    }
}
