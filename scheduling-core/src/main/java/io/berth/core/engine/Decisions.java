package io.berth.core.engine;

import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// Who takes the engine's decisions. The engine's own state holds them already when it says them.
public interface Decisions {

    /// Whether limits let the job start now. A job that they hold back is passed over.
    boolean admits(Waiting job);

    /// The first time from `now` on at which limits will let the job start, as far as the latest
    /// ends of runs tell, beside what all others have that have an expected start; [Node#NEVER] if
    /// they do not tell. Such a job keeps nothing for itself. Of a component of a set: its whole
    /// set, as for [#leaves].
    ///
    /// @param without jobs, by id, whose expected starts do not count; null is none
    default long allowedFrom(Waiting job, @Nullable LongPredicate without, long now) {
        return admits(job) ? now : Node.NEVER;
    }

    /// Whether a job that limits let start now may last until then without a limit keeping back
    /// another one at its expected start.
    default boolean leaves(Waiting job, long until) {
        return true;
    }

    /// Whether a queue has room for the job, so that it may have back what others have borrowed
    /// there. Never asked where no class has [Preemptor#claims].
    default boolean covers(Waiting job, int queue) {
        throw new IllegalStateException(
                "ask queue " + queue + " for job " + job.job + ": there is none");
    }

    /// Whether the expected start of a job ahead gives way for one whose queue has room: if it ran
    /// it would give its place back. Asked where [#covers] is.
    default boolean yields(Waiting ahead, Waiting job) {
        return false;
    }

    /// How many nodes limits let the job have now, which they admit, out of as many as it would
    /// take.
    default int most(Waiting job, int wanted) {
        return wanted;
    }

    /// The job that starts next has less time than it asks for, so that it can start now.
    ///
    /// @param length that its run may take in all, in milliseconds
    default void shortened(Waiting job, long length) {}

    /// What GPUs could run empty so that they can be divided anew for the job, each choice by
    /// itself, whatever is planned.
    ///
    /// @param beside jobs that have such GPUs and are given what they need of them first, in this
    ///   order
    /// @param before none that is divided then or later, in epoch milliseconds
    default List<Drain> drains(Waiting job, List<Long> beside, long before) {
        return List.of();
    }

    /// The job starts now.
    ///
    /// @param nodes larger parts first
    /// @param lane of the shared GPU of which the only part takes some; -1 for none
    void started(Waiting job, int[] nodes, int lane);

    /// The job is expected to start at that time.
    ///
    /// @param place in the order of the plan: jobs of a lower place were planned first
    void planned(Waiting job, long start, int[] nodes, long place);

    /// The job has no expected start any more.
    void unplanned(Waiting job);

    /// Nodes are cleared for the job: the victims give way, and what they leave is kept for it.
    /// Never said where no class has a [Preemptor].
    ///
    /// @param until when the nodes are given back if the job could not start
    default void cleared(Waiting job, Clearing clearing, long until) {
        throw new IllegalStateException("clear nodes for job " + job.job + ": nobody can");
    }

    /// Nothing is kept for the job any more that nodes were cleared for, and it has not started.
    default void abandoned(Waiting job) {}
}
