package io.berth.core.engine;

import io.berth.core.engine.HetSets.Seats;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Search.Place;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Puts the plan in the order of priority. See [Scheduling].
final class PlanPass {

    private final Scheduling all;
    private final long now;
    private final Decisions decisions;

    PlanPass(Scheduling all, long now, Decisions decisions) {
        this.all = all;
        this.now = now;
        this.decisions = decisions;
    }

    void run() {
        List<Waiting> first = first();
        int kept = inOrder(first);
        drop(first.subList(0, kept));
        all.cluster.settle();
        all.open();
        long place = 0;
        for (int i = 0; i < first.size(); i++) {
            Waiting job = first.get(i);
            all.passes.tries();
            try {
                place = take(job, place);
            } catch (RuntimeException e) {
                throw DecisionFailed.on(job.job, e);
            }
        }
    }

    /// Plans the job anew or moves its plan ahead, if it may start.
    ///
    /// @return the last place in the plan
    private long take(Waiting job, long last) {
        Plan plan = job.plan;
        if (!all.waits(job)) {
            return last; // It has started in another partition.
        }
        if (!all.turns.plannable(job, now, decisions)) {
            if (!job.outbid) {
                all.unplan(job, decisions);
            }
            return last;
        }
        if (job.set != null) {
            return settle(job.set, last);
        }
        if (job.outbid) {
            return outbid(job, last);
        }
        if (plan == null) {
            make(job, last + 1);
            return job.plan == null ? last : last + 1;
        }
        compress(plan);
        return after(job, last, plan.place());
    }

    /// Plans a job in this partition and not in another one, if it is expected to start sooner
    /// here.
    ///
    /// @return the last place in the plan
    private long outbid(Waiting job, long last) {
        Place sooner = all.sooner(job, now, decisions);
        if (sooner == null) {
            return last;
        }
        if (sooner.start() <= now) {
            all.start(job, sooner, now, decisions);
            return last;
        }
        all.plan(job, sooner, last + 1, decisions);
        return last + 1;
    }

    /// A job that has been planned before goes on to the next place if that before it has gone on
    /// to its own.
    ///
    /// @return the last place in the plan
    private long after(Waiting job, long last, long place) {
        if (place > last) {
            return place;
        }
        if (job.plan != null) {
            Plan moved = all.plans.move(job.plan, last + 1);
            decisions.planned(job, moved.start(), moved.nodes(), moved.place());
        }
        return last + 1;
    }

    /// The jobs that may be in the plan, in the order of priority; of a set one for all.
    private List<Waiting> first() {
        var first = new ArrayList<Waiting>();
        boolean easy = all.settings.backfill() == Backfill.EASY;
        for (Plan plan : all.plans.all()) {
            if (plan.job().set == null) {
                plan.job().either.stream()
                        .filter(it -> it == plan.job() || (!easy && it.fit.plannable()))
                        .forEach(first::add);
            }
        }
        // No more are searched for than the plan has place for: the others stand behind them.
        int looks = wanted() == 0 ? 0 : all.settings.depth();
        for (Waiting lead : leads()) {
            HetSet set = Objects.requireNonNull(lead.set);
            boolean may = set.planned();
            if (!may && looks > 0 && all.turns.hasTurn(lead, now, decisions)) {
                looks--;
                may = findsSeats(set);
            }
            if (may) {
                first.add(lead);
            }
        }
        int wanted = wanted();
        first.addAll(easy ? heads() : queued(wanted));
        first.sort(Waiting.order(now));
        return easy ? firstOfPartitions(first) : ofFirst(wanted, first);
    }

    /// Those of so many jobs, each in all of its partitions.
    private static List<Waiting> ofFirst(int wanted, List<Waiting> ordered) {
        Set<Long> jobs =
                ordered.stream()
                        .map(it -> it.job)
                        .distinct()
                        .limit(wanted)
                        .collect(Collectors.toSet());
        return ordered.stream().filter(it -> jobs.contains(it.job)).toList();
    }

    /// Of each set of which all components wait, the one that stands for all, in the order of
    /// priority.
    private List<Waiting> leads() {
        return all.sets.complete().stream().map(HetSet::lead).sorted(Waiting.order(now)).toList();
    }

    /// Whether a set has seats at any time: one that has none puts nobody behind it out of order.
    private boolean findsSeats(HetSet set) {
        return set.plannable() && all.turns.seatsInTurn(set, now, decisions).whole();
    }

    private int wanted() {
        return switch (all.settings.backfill()) {
            case OFF -> 0;
            case EASY -> Integer.MAX_VALUE;
            case CONSERVATIVE -> all.settings.depth();
        };
    }

    /// The first so many jobs of the queue, each in all partitions in which it is among them.
    private List<Waiting> queued(int wanted) {
        var queued = new ArrayList<Waiting>();
        var jobs = new HashSet<Long>();
        QueueWalk walk = all.queue.walk(now);
        for (Waiting next = wanted == 0 ? null : walk.next();
                next != null;
                next = jobs.size() < wanted ? walk.next() : null) {
            jobs.add(next.job);
            queued.add(next);
        }
        return queued;
    }

    /// The first job of the queue in each partition.
    private List<Waiting> heads() {
        var heads = new ArrayList<Waiting>();
        var seen = new BitSet();
        for (Waiting next = head(seen); next != null; next = head(seen)) {
            seen.set(next.fit.partition);
            heads.add(next);
        }
        return heads;
    }

    private @Nullable Waiting head(BitSet without) {
        return all.queue.first(partition -> !without.get(partition), now);
    }

    private static List<Waiting> firstOfPartitions(List<Waiting> ordered) {
        var seen = new HashSet<Integer>();
        var firsts = new ArrayList<Waiting>();
        for (Waiting job : ordered) {
            Set<Integer> its =
                    job.together().stream().map(it -> it.fit.partition).collect(Collectors.toSet());
            if (Collections.disjoint(seen, its)) {
                firsts.add(job);
                seen.addAll(its);
            }
        }
        return firsts;
    }

    /// How many jobs from the first on are planned, on nodes that are open, in this order. One
    /// between that has no expected start, and would have none if nobody behind it had one, puts
    /// nobody out of order.
    private int inOrder(List<Waiting> first) {
        long last = 0;
        int planned = 0;
        var unplanned = new ArrayList<Integer>();
        for (int i = 0; i < first.size() && last >= 0; i++) {
            Waiting next = first.get(i);
            if (next.plan == null && next.set == null && !next.outbid) {
                unplanned.add(i);
            } else {
                last = inOrder(next, last);
                planned = last < 0 ? planned : i + 1;
            }
        }
        int inOrder = planned;
        unplanned.removeIf(it -> it >= inOrder);
        return unplanned.isEmpty() ? planned : upToPlannable(first.subList(0, planned), unplanned);
    }

    /// @param ahead the place of the job before it
    /// @return the place of a job, or of the last of those that start with it; -1 if it is not
    ///   planned as it should
    private long inOrder(Waiting next, long ahead) {
        long last = ahead;
        for (Waiting job : next.together()) {
            Plan plan = job.plan;
            if (!job.outbid) {
                if (plan == null || plan.place() <= last || plan.start() <= now || !open(plan)) {
                    return -1;
                }
                last = plan.place();
            }
        }
        return last;
    }

    /// How many jobs stand before the first that is not planned and would be if nobody behind it
    /// were. To see that, all plans but those ahead of it are taken away, and given back; where
    /// GPUs run empty for one of them, nobody looks.
    ///
    /// @param unplanned which are not planned
    private int upToPlannable(List<Waiting> first, List<Integer> unplanned) {
        int end = first.size();
        Map<Integer, Long> allowed = new LinkedHashMap<>();
        for (int i : unplanned) {
            long from = all.turns.turn(first.get(i), now, decisions);
            if (from != Node.NEVER && plannable(first.get(i), from)) {
                end = i; // Beside all that is planned, even.
                break;
            } else if (from != Node.NEVER) {
                allowed.put(i, from);
            }
        }
        if (allowed.isEmpty() || !all.drains.none()) {
            return allowed.keySet().stream().findFirst().orElse(end);
        }
        Map<Waiting, Plan> away = new LinkedHashMap<>();
        all.plans.all().forEach(plan -> away.put(plan.job(), plan));
        away.keySet().forEach(job -> all.plans.remove(job.job));
        int kept = 0;
        while (kept < end && !plannable(first.get(kept), allowed.get(kept))) {
            for (Waiting job : first.get(kept).together()) {
                Plan plan = away.remove(job);
                if (plan != null) {
                    all.plans.add(plan);
                }
            }
            kept++;
        }
        away.values().forEach(all.plans::add);
        return kept;
    }

    private boolean plannable(Waiting job, @Nullable Long from) {
        return from != null && all.places.earliest(job, now, from, decisions) != null;
    }

    private boolean open(Plan plan) {
        for (int node : plan.nodes()) {
            if (!all.cluster.node(node).open) {
                return false;
            }
        }
        return true;
    }

    private void drop(List<Waiting> kept) {
        Set<Waiting> stay = new HashSet<>();
        kept.forEach(job -> stay.addAll(job.together()));
        for (Plan plan : List.copyOf(all.plans.all())) {
            if (!stay.contains(plan.job())) {
                all.unplan(plan.job(), decisions);
            }
        }
    }

    /// Plans a set, or moves it to an earlier start, or starts it.
    ///
    /// @param ahead the place of the job before it
    /// @return the place of its last component
    private long settle(HetSet set, long ahead) {
        Waiting lead = set.lead();
        Plan plan = lead.plan;
        long place = plan == null || plan.place() <= ahead ? ahead + 1 : plan.place();
        long before = plan == null ? Node.NEVER : plan.start();
        long last = place + set.components().size() - 1;
        Seats found = null;
        if (all.turns.startable(lead, now, decisions)) {
            found = all.sets.now(set, now, decisions);
        }
        if (found == null || !found.whole()) {
            long from = Turns.allowedFrom(lead, now, decisions);
            found = all.sets.earliest(set, now, from, before, decisions);
        }
        if (found.whole() && found.start() <= now) {
            all.start(found, now, decisions);
        } else if (found.whole() && found.start() < before) {
            all.unplan(lead, decisions);
            all.plan(found, place, decisions);
        } else if (plan != null && plan.place() <= ahead) {
            long given = ahead;
            for (Waiting it : set.components()) {
                given = after(it, given, 0);
            }
        }
        return last;
    }

    private void make(Waiting job, long place) {
        Place at = now(job);
        if (at != null) {
            all.start(job, at, now, decisions);
            return;
        }
        Place found = all.places.earliest(job, now, decisions);
        if (found != null && found.start() <= now) {
            all.start(job, found, now, decisions);
        } else if (found != null) {
            job.limited = !all.turns.startable(job, now, decisions);
            all.plan(job, found, place, decisions);
        }
    }

    /// Where a job can start now that has nothing reserved. While the plan is made anew, nothing
    /// comes free.
    private @Nullable Place now(Waiting job) {
        return Places.either(job, length -> now(job, length));
    }

    private @Nullable Place now(Waiting job, long length) {
        long end = Search.end(now, length);
        if (end > job.fit.reach.end() || !all.turns.startable(job, now, decisions)) {
            return null;
        }
        Place place = all.places.within(job, length, now, decisions);
        if (place == null) {
            all.places.learn(job, end, now, decisions);
        }
        return place;
    }

    /// Moves a planned job to an earlier start, if there is one.
    private void compress(Plan plan) {
        Waiting job = plan.job();
        boolean startable = all.turns.startable(job, now, decisions);
        job.limited = !startable;
        all.plans.lift(plan);
        Place at =
                startable
                        ? Places.either(job, it -> all.places.now(job, it, now, decisions))
                        : null;
        Place found = at != null ? null : earlier(plan);
        all.plans.putBack(plan);
        if (at != null) {
            all.start(job, at, now, decisions);
        } else if (found != null) {
            all.plans.remove(job.job);
            all.plan(job, found, plan.place(), decisions);
        }
    }

    private @Nullable Place earlier(Plan plan) {
        long from = Turns.allowedFrom(plan.job(), now, decisions);
        if (from >= plan.start()) {
            return null;
        }
        Place found = all.later.earlier(plan, now, from);
        Place planned = found == null ? new Place(plan.start(), plan.nodes(), plan.lane()) : found;
        Place divided = all.places.divided(plan.job(), now, from, planned, decisions);
        return divided == null ? found : divided;
    }
}
