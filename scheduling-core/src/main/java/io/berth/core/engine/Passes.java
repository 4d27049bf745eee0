package io.berth.core.engine;

import io.berth.core.engine.Plans.Plan;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The passes of [Scheduling], one after the other: how far the last one came, and whether the plan
/// is to be put in order.
final class Passes {

    private final Scheduling all;

    /// Those who came in since the last pass that looked at all.
    private final List<Waiting> arrived = new ArrayList<>();

    private boolean stale;

    /// The nodes on which something came free in a pass that was cut off; null if the last one was
    /// not.
    private @Nullable BitSet cutOff;

    /// Of the last pass.
    private int tried;

    private int backfilled;

    /// Parts of jobs that it has started.
    private int started;

    Passes(Scheduling all) {
        this.all = all;
    }

    /// A job waits from now on.
    void came(Waiting job) {
        arrived.add(job);
    }

    /// Whether the plan is to be put in order: see [Scheduling#stale].
    boolean stale() {
        return stale;
    }

    void stale(boolean is) {
        stale = is;
    }

    /// Whether the last pass was cut off: the next one goes on.
    boolean cutOff() {
        return cutOff != null;
    }

    /// Starts what can start now, and plans for what cannot.
    void start(long now, Decisions decisions) {
        begin(now);
        all.sets.settle(decisions);
        startAll(now, decisions);
        if (cutOff == null) {
            lookAtArrivals(now, decisions);
        }
    }

    /// Puts the plan in order, then starts what can start.
    void plan(long now, Decisions decisions) {
        begin(now);
        stale = false;
        all.sets.settle(decisions);
        new PlanPass(all, now, decisions).run();
        startAll(now, decisions);
        arrived.clear();
    }

    private void begin(long now) {
        all.queue.age(now);
        all.settings.policy().at(now);
        tried = 0;
        backfilled = 0;
        started = 0;
    }

    /// Whether a pass has started as much as it may.
    boolean full() {
        return started >= all.settings.parts();
    }

    /// A pass looks for room for a job.
    void tries() {
        tried++;
    }

    /// A job is about to start.
    void starts(Waiting job, long now) {
        backfilled += outOfTurn(job, now) ? 1 : 0;
    }

    /// It has, in so many parts.
    void started(int parts) {
        started += parts;
    }

    /// What the last pass did.
    PassTally tally() {
        return new PassTally(tried, backfilled, all.plans.size());
    }

    /// Whether one of its partition that stands before the job has an expected start.
    private boolean outOfTurn(Waiting job, long now) {
        return all.plans
                .inOrder()
                .map(Plan::job)
                .filter(it -> it.fit.partition == job.fit.partition && it.job != job.job)
                .findFirst()
                .filter(it -> Waiting.compare(it, job, now) < 0)
                .isPresent();
    }

    /// What jobs keep that limits hold back is given back behind a pass: the next one gives it to
    /// others.
    private void startAll(long now, Decisions decisions) {
        cutOff = new StartPass(all, now, decisions).run(cutOff);
        if (cutOff == null && release(now, decisions)) {
            cutOff = new StartPass(all, now, decisions).run(null);
            release(now, decisions);
        }
    }

    /// A job of which limits do not tell any more when it may start keeps nothing for itself. True:
    /// one has kept something until now.
    private boolean release(long now, Decisions decisions) {
        var held = new ArrayList<Waiting>();
        for (Plan plan : all.plans.limitable()) {
            Waiting job = plan.job();
            boolean asked =
                    (job.set == null || job == job.set.lead())
                            && !all.turns.startable(job, now, decisions);
            job.limited |= asked;
            if (asked && !all.turns.plannable(job, now, decisions)) {
                held.add(job);
            }
        }
        held.forEach(job -> all.unplan(job, decisions));
        return !held.isEmpty();
    }

    /// A job that came in, found the plan full and stands before one of its jobs makes it stale.
    private void lookAtArrivals(long now, Decisions decisions) {
        Waiting last = all.plans.last();
        if (last != null && !stale) {
            var looked = new HashSet<HetSet>();
            stale =
                    arrived.stream()
                            .filter(it -> it.set == null || looked.add(it.set))
                            .filter(Passes::unplanned)
                            .filter(it -> Waiting.compare(it, last, now) < 0)
                            .anyMatch(it -> all.turns.hasTurn(it, now, decisions));
        }
        arrived.clear();
    }

    private static boolean unplanned(Waiting job) {
        return job.set == null
                ? job.line != null && !job.outbid && job.fit.plannable()
                : job.plan == null && job.set.plannable();
    }
}
