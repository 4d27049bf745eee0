package io.berth.core.engine;

import io.berth.core.engine.Clearings.Standing;
import io.berth.core.engine.Freed.Helped;
import io.berth.core.engine.HetSets.Seats;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Search.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One start pass. See [Scheduling].
final class StartPass {

    private final Scheduling all;
    private final long now;
    private final Decisions decisions;
    private final Freed freed;
    private final PriorityQueue<Waiting> line;
    private final List<Waiting> aside = new ArrayList<>();
    private final List<FitClass> barred = new ArrayList<>();
    private final boolean off;
    private final InTurn inTurn;

    /// The jobs that this pass has planned, where they may be planned in other partitions.
    private final Set<Waiting> outbid = new HashSet<>();

    /// The sets for which an expected start was looked for.
    private final Set<HetSet> sought = new HashSet<>();

    /// Whether a job has started since it was last asked who may gain.
    private boolean taken;

    /// Whether a set has started since all were tried.
    private boolean setsAgain;

    /// Of each class, from which bucket on nobody can give way for its jobs in this pass.
    private final Map<FitClass, Integer> hopeless = new HashMap<>();

    /// The jobs that are tried as if nobody behind them had an expected start.
    private final Set<Waiting> expiring = new HashSet<>();

    /// How many jobs would end before they could start. No more are looked for than the plan has
    /// place for: each pass would look for all of them.
    private int late;

    /// Of each class, from which length on nobody has room so, since somebody has last started.
    private final Map<FitClass, Long> roomless = new HashMap<>();

    StartPass(Scheduling all, long now, Decisions decisions) {
        this.all = all;
        this.now = now;
        this.decisions = decisions;
        this.freed = new Freed(all, now, decisions);
        this.line = new PriorityQueue<>(Waiting.order(now));
        this.inTurn = new InTurn(now);
        this.off = all.settings.backfill() == Backfill.OFF;
    }

    /// @param before the nodes on which something came free in the pass before, if that was cut off
    /// @return those in this one, if it is cut off; null if it is not
    @Nullable BitSet run(@Nullable BitSet before) {
        lineUpHelped();
        if (before != null) {
            goOn(before);
        }
        all.clearings.all().forEach(it -> lineUp(it.job()));
        for (Plan plan : all.plans.due(now)) {
            if (plan.job().set == null) {
                lineUp(plan.job());
            }
        }
        for (Plan plan : all.plans.limitable()) {
            if (plan.job().limited && plan.job().set == null) {
                lineUp(plan.job());
            }
        }
        for (Plan plan : all.plans.ofSeveral()) {
            plan.job().either.stream().filter(it -> it.outbid && it.limited).forEach(this::lineUp);
        }
        all.queue.settle().forEach(this::push);
        all.queue.expiring().forEach(this::lineUpExpiring);
        lineUpSets();
        if (all.preempts()) {
            pushPreemptors();
        }
        Waiting next = next();
        while (next != null && !all.passes.full()) {
            learn(next.fit);
            next.inLine = false;
            try {
                take(next);
            } catch (RuntimeException e) {
                throw DecisionFailed.on(next.job, e);
            }
            next = next();
        }
        all.search.kept.clear();
        aside.forEach(all::putBack);
        barred.forEach(fit -> bar(fit, false));
        if (off) {
            all.open();
        }
        return all.passes.full() ? cutOff(next) : null;
    }

    /// All have their turn who may not have had it in the pass before.
    private void goOn(BitSet before) {
        freed.goOn(before);
        List.copyOf(all.queue.classes()).forEach(this::push);
        all.plans.all().forEach(this::lineUpHopeful);
        for (Plan plan : all.plans.ofSeveral()) {
            plan.job().either.stream().filter(it -> it.outbid).forEach(this::lineUp);
        }
    }

    /// Also where nobody is left: with nothing kept from passes before, somebody might be.
    private BitSet cutOff(@Nullable Waiting next) {
        if (next != null) {
            next.inLine = false;
        }
        line.forEach(it -> it.inLine = false);
        return freed.cutOff();
    }

    private void take(Waiting next) {
        Plan plan = next.plan;
        Standing cleared = all.clearings.of(next.job);
        if (next.set != null) {
            trySet(next.set);
        } else if (cleared != null && cleared.job() == next) {
            tryCleared(cleared);
        } else if (plan != null) {
            tryPlanned(plan);
            pushPlanned(next.fit);
        } else if (next.line != null) {
            all.passes.tries();
            if (next.either.size() == 1 || !tryElsewhere(next)) {
                tryQueued(next);
            }
            if (expiring.contains(next) && (next.plan != null || !all.waits(next))) {
                lineUpExpiring(next.fit);
            }
            push(next.fit);
        } else {
            push(next.fit); // Its job has started in another partition.
        }
        if (plan == null && next.either.size() > 1) {
            pushPlanned(next.fit); // It may have been planned here when it was lined up.
        }
    }

    /// Those who may have the place of others.
    private void pushPreemptors() {
        for (Plan plan : all.plans.all()) {
            if (mayPreempt(plan.job())) {
                lineUp(plan.job());
            }
        }
        for (FitClass fit : List.copyOf(all.queue.classes())) {
            if (fit.preemptor != null) {
                push(fit);
            }
        }
    }

    /// The first job of a class that ends if it does not start in time.
    private void lineUpExpiring(FitClass fit) {
        Waiting first = fit.able ? all.queue.expiring(fit, now) : null;
        if (first != null && expiring.add(first)) {
            lineUp(first);
        }
    }

    /// Those whom it may help what came free.
    private void lineUpHelped() {
        Helped helped = freed.settle();
        helped.classes().forEach(this::push);
        helped.plans().forEach(this::lineUpHopeful);
        freed.elsewhere(this::tell).forEach(this::lineUp);
    }

    private void lineUpHopeful(Plan plan) {
        if (plan.job().set == null && freed.hopeful(plan)) {
            lineUp(plan.job());
        }
    }

    /// Tells a class what came free, and lines up those of its planned jobs whom it may help.
    /// False: nobody.
    private boolean tell(FitClass fit) {
        boolean gains = freed.tell(fit);
        if (gains && !fit.alike()) {
            freed.lasting(fit).forEach(this::lineUpHopeful);
        } else if (gains && !fit.planned.isEmpty()) {
            inTurn.set(fit, freed.helped(fit));
            pushPlanned(fit);
        }
        return gains;
    }

    /// Lines up those of a class whom it may help what came free, if it does not know yet.
    private void learn(FitClass fit) {
        if (tell(fit)) {
            push(fit);
        }
    }

    /// The first job that could start or be planned.
    private @Nullable Waiting next() {
        Waiting toPlan = all.nextToPlan(mayPlanExpiring(), now);
        if (toPlan != null) {
            lineUp(toPlan);
        }
        if (taken) {
            taken = false;
            freed.taken();
        }
        for (FitClass fit = freed.next(line.peek()); fit != null; fit = freed.next(line.peek())) {
            learn(fit);
        }
        if (line.isEmpty() && setsAgain) {
            setsAgain = false;
            lineUpSets();
        }
        return line.poll();
    }

    /// All sets are tried, whatever came free: where one finds a seat less, another may find one
    /// that it needs more.
    private void lineUpSets() {
        all.sets.complete().forEach(set -> lineUp(set.lead()));
    }

    private void lineUp(Waiting job) {
        if (!job.inLine) {
            job.inLine = true;
            line.add(job);
        }
    }

    /// Puts the next job of a class in line that could start, if there is one.
    private void push(FitClass fit) {
        tell(fit);
        if (!fit.able) {
            return;
        }
        Waiting head = all.queue.head(fit, Math.max(open(fit), lastToPreempt(fit)), now);
        if (head != null) {
            lineUp(head);
        }
    }

    /// Puts the next planned job of a class in line that may be helped, if there is one.
    private void pushPlanned(FitClass fit) {
        Waiting next = inTurn.next(fit);
        while (next != null && next.plan == null) {
            next = inTurn.next(fit);
        }
        if (next != null) {
            lineUp(next);
        }
    }

    private void start(Waiting job, Place place) {
        Plan plan = all.plans.of(job.job);
        all.start(job, place, now, decisions);
        taken = true;
        roomless.clear();
        lineUpHelped();
        boolean asPlanned =
                plan == null
                        || (plan.job() == job
                                && plan.start() <= now
                                && plan.drain() == null
                                && Arrays.equals(plan.nodes(), place.nodes()));
        if (!asPlanned) {
            lineUpSets(); // Nothing is planned any more where it was.
        }
    }

    /// Starts a set if all of it can start, or plans it.
    private void trySet(HetSet set) {
        all.passes.tries();
        if (!set.complete()) {
            return;
        }
        set.components().forEach(it -> learn(it.fit));
        Plan plan = set.lead().plan;
        boolean startable = all.turns.startable(set.lead(), now, decisions);
        Seats found = startable ? all.sets.now(set, now, decisions) : null;
        if (found != null && found.whole()) {
            all.start(found, now, decisions);
            lineUpHelped();
            setsAgain = true;
        } else if (plan != null) {
            all.stale(all.stale() || plan.start() <= now);
        } else if (off ? startable : set.plannable() && all.mayPlan(set)) {
            plan(set);
        }
    }

    /// Plans a set. Without backfill it keeps its nodes from those behind it, even where there are
    /// seats now: those are kept from it. One that finds no seats at any time does neither, and is
    /// not looked for again in this pass.
    private void plan(HetSet set) {
        if (!sought.add(set)) {
            return;
        }
        if (!all.turns.plannable(set.lead(), now, decisions)) {
            all.stale(all.stale() || all.turns.overtaken(set, now, decisions));
            return;
        }
        long from = Turns.allowedFrom(set.lead(), now, decisions);
        Seats found = all.sets.earliest(set, now, from, Node.NEVER, decisions);
        if (found.whole() && off) {
            set.components().forEach(it -> keep(it.fit));
        } else if (found.whole() && found.start() <= now) {
            all.start(found, now, decisions);
            lineUpHelped();
        } else if (found.whole()) {
            all.stale(all.stale() || all.turns.ahead(set.lead(), now));
            all.plan(found, all.plans.lastPlace() + 1, decisions);
        }
    }

    /// The last bucket of which the class could start a job.
    private int open(FitClass fit) {
        return Buckets.lastBefore(fit.reach.end(), now);
    }

    private void tryPlanned(Plan plan) {
        Waiting job = plan.job();
        boolean due = plan.start() <= now;
        boolean sooner = freed.helps(plan) || job.limited;
        if (!due && !sooner && !mayPreempt(job)) {
            return;
        }
        boolean hopeful = freed.hopeful(plan);
        if (!due && !hopeful && !mayPreempt(job)) {
            return;
        }
        all.passes.tries();
        boolean admitted = (hopeful || mayPreempt(job)) && decisions.admits(job);
        boolean tried = admitted && (due || (sooner && Turns.leaves(job, now, decisions)));
        Place place = tried && hopeful ? freed.search(plan) : null;
        if (tried && hopeful && place == null) {
            inTurn.keep(job.fit, it -> it.plan != null && freed.hopeful(it.plan));
        }
        job.limited &= !tried;
        if (place != null) {
            start(job, place);
        } else if (!(admitted && clear(job)) && due) {
            all.stale(true);
        }
    }

    /// Starts a job in another partition than that where it is planned, though what is kept for it
    /// there is in its way. False: it cannot.
    private boolean tryElsewhere(Waiting job) {
        Plan plan = all.plans.of(job.job);
        if (plan == null || !freed.hopeful(plan, job)) {
            return false;
        }
        job.limited = !decisions.admits(job) || !Turns.leaves(job, now, decisions);
        Place place = job.limited ? null : freed.search(plan, job);
        if (place == null) {
            return false;
        }
        start(job, place);
        return true;
    }

    /// Starts a job on the nodes that were cleared for it, as soon as they are free.
    private void tryCleared(Standing cleared) {
        all.passes.tries();
        Waiting job = cleared.job();
        boolean hopeful = all.clearings.hopeful(cleared, now);
        if (hopeful && all.clearings.free(cleared, now)) {
            start(job, new Place(now, cleared.nodes()));
        } else if (!hopeful) {
            all.clearings.abandon(job, decisions);
            lineUpHelped();
            job.either.forEach(it -> push(it.fit));
        }
    }

    private boolean mayPreempt(Waiting job) {
        return Buckets.of(job.length) <= lastToPreempt(job.fit);
    }

    /// The last bucket of a class for whose jobs somebody may give way.
    private int lastToPreempt(FitClass fit) {
        boolean any = fit.preemptor != null && fit.preemptor.mayAsk(all);
        return any ? hopeless.getOrDefault(fit, Buckets.count()) - 1 : -1;
    }

    /// Has nodes cleared for the job, or starts it at once where only plans of jobs behind it stand
    /// in its way. False: nobody can give way for it.
    private boolean clear(Waiting job) {
        if (!mayPreempt(job) || !Turns.leaves(job, now, decisions)) {
            return false;
        }
        Clearing clearing = VictimSearch.find(all, job, now, decisions);
        if (clearing == null) {
            hopeless.put(job.fit, Buckets.of(job.length));
            return false;
        }
        displace(job, clearing);
        if (clearing.victims().isEmpty()) {
            start(job, new Place(now, clearing.nodes()));
        } else {
            all.clearings.begin(job, clearing, now, decisions);
            lineUpHelped();
        }
        return true;
    }

    /// Voids the plans of jobs behind it, and of those that it overtakes, that need these nodes, or
    /// a GPU of which a victim has some: what that would leave to who divides it, it leaves to this
    /// job.
    private void displace(Waiting job, Clearing clearing) {
        var needed = new BitSet();
        Arrays.stream(clearing.nodes()).forEach(needed::set);
        Collection<Long> dividing = all.drains.at(clearing.victims());
        for (Plan plan : List.copyOf(all.plans.all())) {
            if ((Waiting.compare(job, plan.job(), now) < 0
                            || (clearing.overtakes() && decisions.yields(plan.job(), job)))
                    && (dividing.contains(plan.job().job)
                            || Arrays.stream(all.cluster.nodesOf(plan.job().job))
                                    .anyMatch(needed::get))) {
                all.unplan(plan.job(), decisions);
                all.stale(true);
                push(plan.job().fit);
                pushPlanned(plan.job().fit);
                lineUpSets();
            }
        }
    }

    private void tryQueued(Waiting job) {
        FitClass fit = job.fit;
        boolean open = job.bucket <= open(fit);
        boolean asks = open || mayPreempt(job);
        boolean admitted = !asks || decisions.admits(job);
        boolean leaves = !asks || (admitted && Turns.leaves(job, now, decisions));
        Place place = open && leaves ? freed.search(job) : null;
        if (place != null) {
            start(job, place);
        } else if (admitted && leaves && clear(job)) {
            return;
        } else if (admitted && off) {
            keep(fit);
        } else if (!job.outbid && all.mayPlan(fit) && (mayPlanExpiring() || !job.expires())) {
            plan(job);
        } else if (job.outbid && outbid.remove(job)) {
            planSooner(job);
        } else if (expiring.contains(job)) {
            startInTurn(job);
        }
        // Others of its class may fare otherwise: it is tried once in a pass.
        boolean apart = !admitted || !leaves || job.shortens() || fit.spreads();
        if (apart && job.line != null) {
            setAside(job);
        }
    }

    private boolean mayPlanExpiring() {
        return late < all.settings.depth();
    }

    /// Gives the job an expected start, unless limits hold it back. What was planned before stands.
    private void plan(Waiting job) {
        if (!all.turns.plannable(job, now, decisions)) {
            all.stale(all.stale() || all.turns.overtaken(job, now, decisions));
            setAside(job);
            return;
        }
        Place place = soonest(job);
        if (place == null && startInTurn(job)) {
            return;
        }
        if (place == null) {
            late += job.expires() ? 1 : 0;
            all.stale(all.stale() || all.drains.blocked(job, now, decisions));
            setAside(job);
            if (!job.fit.able) {
                bar(job.fit, true);
            }
        } else if (place.start() <= now) {
            start(job, place);
        } else {
            all.stale(all.stale() || all.turns.ahead(job, now));
            job.limited = !all.turns.startable(job, now, decisions);
            all.plan(job, place, all.plans.lastPlace() + 1, decisions);
            if (all.settings.backfill() == Backfill.CONSERVATIVE) {
                job.either.stream()
                        .filter(it -> it.outbid && it.line != null && it.fit.plannable())
                        .filter(outbid::add)
                        .forEach(this::lineUp);
            }
        }
    }

    /// Starts a job that ends if it does not start in time, where nothing but plans of those behind
    /// it stands in its way: with no expected start of its own it keeps no nodes from them. False:
    /// it cannot.
    private boolean startInTurn(Waiting job) {
        Long without = roomless.get(job.fit);
        if (!job.expires()
                || (without != null && job.shortest >= without)
                || !all.turns.startable(job, now, decisions)) {
            return false;
        }
        Place place = all.places.inTurn(job, now, decisions);
        if (place == null) {
            roomless.merge(job.fit, job.shortest, Math::min);
            return false;
        }
        displace(job, new Clearing(place.nodes(), List.of()));
        start(job, place);
        return true;
    }

    /// Plans a job in this partition and not in another one, if it is expected to start sooner
    /// here.
    private void planSooner(Waiting job) {
        Place sooner = all.sooner(job, now, decisions);
        if (sooner == null) {
            return;
        }
        if (sooner.start() <= now) {
            start(job, sooner);
            lineUpSets(); // Nothing is planned any more where it was.
        } else {
            all.stale(all.stale() || all.turns.ahead(job, now));
            all.plan(job, sooner, all.plans.lastPlace() + 1, decisions);
            lineUpHelped();
        }
    }

    /// Where the job can start soonest. One that spreads was looked for as if it were the longest
    /// of its bucket, and is expected to start on as few nodes as hold it: it may yet start on more
    /// now.
    private @Nullable Place soonest(Waiting job) {
        boolean tried = job.fit.spreads() && all.turns.startable(job, now, decisions);
        Place place = tried ? all.places.now(job, job.length, now, decisions) : null;
        return place != null ? place : all.places.earliest(job, now, decisions);
    }

    /// The jobs of a class for one of which no GPU can be divided are not tried one by one.
    private void bar(FitClass fit, boolean bar) {
        if (bar) {
            barred.add(fit);
        }
        fit.barred = bar;
        all.queue.judged(fit);
    }

    /// Without backfill, a job that finds no room keeps its nodes from those behind it.
    private void keep(FitClass fit) {
        for (Kind kind : all.cluster.kinds) {
            for (Node node : fit.leastOn(kind.number) == null ? List.<Node>of() : kind.nodes) {
                if (fit.admits(node) && Hours.openUntil(fit.hours.of(node.index), now) > now) {
                    all.search.kept.set(node.index);
                }
            }
        }
        fit.reach.lower(now);
    }

    private void setAside(@Nullable Waiting job) {
        if (job != null) {
            all.queue.remove(job);
            aside.add(job);
        }
    }
}
