package io.berth.core.engine;

import io.berth.core.engine.HetSets.Seats;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Scheduling.Backfill;
import org.jspecify.annotations.Nullable;

/// What limits let a waiting job have: beside all that is planned, or in its turn, as if nothing
/// were planned for who stands behind it.
final class Turns {

    private final Scheduling all;

    Turns(Scheduling all) {
        this.all = all;
    }

    /// Whether the job may start now as far as limits are concerned, and leaves all others what
    /// they are expected to start with.
    boolean startable(Waiting job, long now, Decisions decisions) {
        return decisions.admits(job) && leaves(job, now, decisions);
    }

    /// Whether a job that starts now leaves all others what they are expected to start with.
    static boolean leaves(Waiting job, long now, Decisions decisions) {
        return decisions.leaves(job, until(job, now));
    }

    static long until(Waiting job, long now) {
        return Search.end(now, job.set == null ? job.length : job.set.length());
    }

    /// When limits let the job start beside all that is planned; [Node#NEVER] if they do not tell.
    static long allowedFrom(Waiting job, long now, Decisions decisions) {
        return decisions.allowedFrom(job, null, now);
    }

    /// The same if nobody behind the job had an expected start.
    long turn(Waiting job, long now, Decisions decisions) {
        return decisions.allowedFrom(job, it -> behind(job, planned(it), now), now);
    }

    private @Nullable Waiting planned(long job) {
        Plan plan = all.plans.of(job);
        return plan == null ? null : plan.job();
    }

    private static boolean behind(Waiting job, @Nullable Waiting planned, long now) {
        return planned != null && Waiting.compare(job, planned, now) < 0;
    }

    /// Whether the job would have an expected start if nobody behind it had one. With
    /// [Backfill#EASY] none has one that limits hold back.
    boolean overtaken(Waiting job, long now, Decisions decisions) {
        return all.settings.backfill() == Backfill.CONSERVATIVE
                && ahead(job, now)
                && all.places.earliest(job, now, turn(job, now, decisions), decisions) != null;
    }

    /// The same of a set.
    boolean overtaken(HetSet set, long now, Decisions decisions) {
        return all.settings.backfill() == Backfill.CONSERVATIVE
                && ahead(set.lead(), now)
                && seatsInTurn(set, now, decisions).whole();
    }

    /// Whether the job that was planned last stands behind it.
    boolean ahead(Waiting job, long now) {
        return behind(job, all.plans.last(), now);
    }

    /// Where a set would have seats if limits counted nobody behind it.
    Seats seatsInTurn(HetSet set, long now, Decisions decisions) {
        return all.sets.earliest(set, now, turn(set.lead(), now, decisions), Node.NEVER, decisions);
    }

    /// Whether limits let the job have an expected start. With [Backfill#EASY] the one of a
    /// partition is for who waits for room alone.
    boolean plannable(Waiting job, long now, Decisions decisions) {
        return all.settings.backfill() == Backfill.EASY
                ? decisions.admits(job)
                : allowedFrom(job, now, decisions) != Node.NEVER;
    }

    /// Whether limits would let the job have an expected start if nobody behind it had one.
    boolean hasTurn(Waiting job, long now, Decisions decisions) {
        return plannable(job, now, decisions)
                || (all.settings.backfill() == Backfill.CONSERVATIVE
                        && turn(job, now, decisions) != Node.NEVER);
    }
}
