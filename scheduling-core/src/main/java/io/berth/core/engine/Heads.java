package io.berth.core.engine;

import io.berth.core.engine.Clearings.Standing;
import io.berth.core.engine.Plans.Plan;
import java.util.HashMap;
import java.util.Map;

/// The first job of each partition that waits for room, in the order of priority; not one that
/// limits hold back.
final class Heads {

    private final Scheduling all;
    private final long now;
    private final Decisions decisions;
    private final Map<Integer, Waiting> heads = new HashMap<>();

    Heads(Scheduling all, long now, Decisions decisions) {
        this.all = all;
        this.now = now;
        this.decisions = decisions;
    }

    Map<Integer, Waiting> byPartition() {
        ofQueue();
        ofSets();
        ofPlans();
        for (Standing it : all.clearings.all()) {
            stands(it.job());
        }
        return heads;
    }

    private void ofQueue() {
        for (FitClass fit : all.queue.classes()) {
            Waiting head = fit.able ? all.queue.head(fit, Buckets.count() - 1, now) : null;
            if (head != null && startable(head)) {
                stands(head);
            }
        }
    }

    private void ofSets() {
        for (HetSet set : all.sets.complete()) {
            boolean able = set.components().stream().allMatch(it -> it.fit.able);
            if (!set.planned() && able && startable(set.lead())) {
                set.components().forEach(this::stands);
            }
        }
    }

    private void ofPlans() {
        for (Plan plan : all.plans.all()) {
            Waiting job = plan.job();
            Waiting head = heads.get(job.fit.partition);
            if ((head == null || first(job, head) == job) && startable(job)) {
                heads.put(job.fit.partition, job);
            }
        }
    }

    private boolean startable(Waiting job) {
        return all.turns.startable(job, now, decisions);
    }

    private void stands(Waiting job) {
        heads.merge(job.fit.partition, job, this::first);
    }

    private Waiting first(Waiting a, Waiting b) {
        return Waiting.compare(a, b, now) <= 0 ? a : b;
    }
}
