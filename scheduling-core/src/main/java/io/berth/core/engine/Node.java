package io.berth.core.engine;

import io.berth.core.packing.FreeNode;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// A node: what is free on it now, when its runs will free the rest, and what is reserved on it.
///
/// Free resources over time are a step function. Runs give back at their expected ends; a run that
/// is past its end is expected to end soon ([Clock]). Reservations take and give back exactly when
/// they say.
final class Node {

    static final long NEVER = Readiness.NEVER;

    /// For how many runs, and for how many steps of what is reserved, there is room on most nodes.
    private static final int ROOM = 8;

    /// A run until its expected end, or a reservation from its start (`sign` -1) or to its end
    /// (+1).
    ///
    /// @param demand what others get or lose by it
    /// @param stake of a run that may give way; null for another, and for a reservation
    /// @param whole what it would be if nobody held CPUs together with it; null is the same
    record Step(
            long time,
            long job,
            Demand demand,
            int sign,
            @Nullable Stake stake,
            @Nullable Demand whole) {

        Step(long time, long job, Demand demand, int sign, @Nullable Stake stake) {
            this(time, job, demand, sign, stake, null);
        }

        /// The same run, at whose end so many CPUs come free of those that it holds together with
        /// others.
        ///
        /// @param held how many it holds
        Step freeing(int some, int held) {
            Demand all = whole == null ? demand : whole;
            int owed = Math.max(0, held - all.cpus());
            return new Step(time, job, all.freeing(Math.max(0, some - owed)), sign, stake, all);
        }
    }

    /// When runs end that have not ended yet. One that is not past its end keeps it, however near
    /// that is: who is expected on its place then is expected no later for it.
    ///
    /// @param floor when those end that are past their end now
    record Clock(long now, long floor) {

        /// @param expected end of a run
        long end(long expected) {
            return expected <= now ? floor : expected;
        }
    }

    final int index;
    final int place;
    final Kind kind;

    /// CPUs, memory in MiB, then GPUs by lane: whole ones by type, units of each shared one; then
    /// what its kind has beside. Below zero if the node shrank under its runs.
    final long[] free;

    /// By partition, how many CPUs its jobs may still have here; 0 for one without such a bound.
    final long[] left;

    /// Where in `free` the things stand that its kind has beside GPUs.
    private final int others;

    boolean open = true;
    boolean counted;

    private boolean alone;

    /// How many CPUs runs hold that others may hold too.
    private int together;

    int cellGpus = -1;
    int cellMagnitude = -1;
    int cellParts = -1;
    private final Timeline runs = new Timeline(ROOM);
    private final Timeline reserved = new Timeline(ROOM);

    /// Runs that have given way, for a look.
    private final Timeline gone = new Timeline(0);

    /// GPUs that are kept for nobody who could be there for long, until `time`: a part of what is
    /// reserved.
    private final Timeline lent = new Timeline(0);

    private @Nullable FreeNode view;

    /// What it has free from some time on; null if that has changed.
    private @Nullable Vacancy vacancy;

    Node(int index, Kind kind) {
        this.index = index;
        this.kind = kind;
        this.place = kind.nodes.size();
        this.left = kind.caps();
        this.others = 2 + kind.gpusByLane.length + kind.slots.length;
        this.free = new long[others + kind.counted.places()];
        free[0] = kind.cpus;
        free[1] = kind.memoryMib;
        for (int lane = 0; lane < kind.gpusByLane.length; lane++) {
            free[2 + lane] = kind.gpusByLane[lane];
        }
        for (int slot = 0; slot < kind.slots.length; slot++) {
            free[2 + kind.gpusByLane.length + slot] = kind.slots[slot];
        }
        kind.counted.addTo(free, others, 1);
    }

    /// How many GPUs are free that are given out whole.
    int freeGpus() {
        long sum = 0;
        for (int lane = 0; lane < kind.gpusByLane.length; lane++) {
            sum += free[2 + lane];
        }
        return (int) sum;
    }

    /// The most units that are free of a shared GPU.
    int mostUnits() {
        long most = 0;
        for (int slot = 0; slot < kind.slots.length; slot++) {
            most = Math.max(most, free[2 + kind.gpusByLane.length + slot]);
        }
        return (int) most;
    }

    /// What is free now, as policies see it; until the next call.
    FreeNode view() {
        if (view == null) {
            view = kind.asEmpty().copy(index);
        }
        long kinds = 0;
        for (int at = 0; at < runs.length(); at++) {
            boolean shared = runs.lane(at) >= kind.gpusByLane.length;
            long whole = runs.plain(at) ? runs.gpus(at) : kind.whole(runs.step(at).demand);
            kinds |= shared ? 1 : whole > 0 ? 1L << whole : 0;
        }
        view.set(Kind.CPU * free[0], free[1], kinds);
        int from = 0;
        for (int lane = 0; lane < kind.gpusByLane.length; lane++) {
            view.set(from, kind.end(lane), free[2 + lane]);
            from = kind.end(lane);
        }
        int told = Math.min(kind.slots.length, FreeNode.MOST - from);
        for (int slot = 0; slot < told; slot++) {
            int lane = kind.gpusByLane.length + slot;
            view.set(from + slot, (int) (Shape.WHOLE * free[2 + lane] / kind.slots[slot]));
        }
        return view;
    }

    /// What giving this node to a demand costs by a policy.
    long cost(PackingPolicy policy, Demand demand) {
        Shape shape = kind.shape(demand);
        return kind.shares(demand)
                ? policy.cost(view(), shape, 1L << (kind.end(demand.lane()) - 1))
                : policy.cost(view(), shape);
    }

    /// What a demand leaves of the shared GPU that it takes a part of, in thousandths; 0 if it does
    /// not.
    long leaves(Demand demand) {
        return kind.shares(demand)
                ? Shape.WHOLE * (free[2 + demand.lane()] - demand.gpus()) / kind.slot(demand.lane())
                : 0;
    }

    boolean fits(Demand demand) {
        if (!covers(free, demand)) {
            return false;
        }
        if (!alone && kind.freeIsEnough(demand)) {
            return true;
        }
        var walk = new TimeWalk(this, demand);
        return walk.fits() && walk.seats();
    }

    /// Whether one of some demands fits.
    boolean fitsAny(Demand[] ways) {
        for (Demand way : ways) {
            if (fits(way)) {
                return true;
            }
        }
        return false;
    }

    /// @param returns what others get at its end
    void take(long job, Demand held, Demand returns, long until, @Nullable Stake stake) {
        add(held, -1);
        runs.add(new Step(until, job, returns, 1, stake));
        settle();
    }

    void release(long job, Demand demand) {
        add(demand, 1);
        runs.remove(job);
        settle();
    }

    private void changed() {
        vacancy = null;
        kind.lastsNoLonger(this);
    }

    /// Others run here now.
    private void settle() {
        changed();
        alone = false;
        boolean shared = together > 0;
        for (int at = 0; at < runs.length(); at++) {
            if (!runs.plain(at)) {
                Demand demand = runs.step(at).demand;
                alone |= demand.tenant().alone();
                shared |= demand.heldTogether() != null;
            }
        }
        if (shared) {
            Step[] freeing = runs.steps();
            int before = together;
            together = Together.count(freeing);
            free[0] -= together - before;
            runs.set(freeing);
        }
    }

    /// Whether runs hold CPUs that others may hold too.
    boolean crowded() {
        return together > 0;
    }

    void reserve(long job, Demand demand, long from, long until) {
        step(job, demand, from, until);
        if (demand.seating() != null) {
            step(job, kind.everything(demand, demand.seating()), from, from + 1);
        }
    }

    private void step(long job, Demand demand, long from, long until) {
        changed();
        reserved.add(new Step(from, job, demand, -1, null));
        if (until != NEVER) {
            reserved.add(new Step(until, job, demand, 1, null));
        }
    }

    /// How much is free of the thing that its kind counts at that place.
    long freeOf(int place) {
        return free[others + place];
    }

    /// Keeps free GPUs from all but those who give them back by a time.
    ///
    /// @param free by lane; none if they are not kept any more
    void keep(long mark, List<Demand> free, long until) {
        unreserve(mark);
        lent.remove(mark);
        for (Demand lane : free) {
            step(mark, lane, 0, NEVER);
            lent.add(new Step(until, mark, lane, -1, null));
        }
    }

    /// What it has free from now on.
    Vacancy vacancy(Clock clock) {
        Vacancy known = vacancy;
        if (known == null || !known.at(clock)) {
            known = new Vacancy(this, clock);
            vacancy = known;
        }
        return known;
    }

    /// Whether GPUs are kept that are lent for a time.
    boolean lends() {
        return lent.length() > 0;
    }

    /// Whether at no time from now on more GPUs of a lane are promised than there are.
    boolean covers(int lane, long now) {
        long have = free[2 + lane];
        int run = 0;
        int other = 0;
        long at = now;
        while (true) {
            for (; run < runs.length() && runs.time(run) <= at; run++) {
                have += runs.gpusOf(run, lane);
            }
            for (; other < reserved.length() && reserved.time(other) <= at; other++) {
                have += reserved.gpusOf(other, lane);
            }
            if (have < 0) {
                return false;
            }
            at =
                    Math.min(
                            run < runs.length() ? runs.time(run) : NEVER,
                            other < reserved.length() ? reserved.time(other) : NEVER);
            if (at == NEVER) {
                return true;
            }
        }
    }

    void unreserve(long job) {
        changed();
        reserved.remove(job);
    }

    /// Whether the demand fits now, beside what is reserved now for some jobs.
    boolean fitsBeside(Demand demand, long now, LongPredicate jobs) {
        var walk = new TimeWalk(this, demand);
        for (int at = 0; at < reserved.length(); at++) {
            Step step = reserved.step(at);
            if (step.time <= now && step.sign < 0 && jobs.test(step.job)) {
                walk.change(step.demand, -1);
            }
        }
        return walk.fits() && walk.seats();
    }

    /// What runs hold, the one that ends first before all.
    Timeline runs() {
        return runs;
    }

    /// What is reserved here.
    Timeline reservations() {
        return reserved;
    }

    /// Whether anything is reserved here.
    boolean reserved() {
        return reserved.length() > 0;
    }

    /// A run gives what it would give, for a look.
    void giveWay(long job) {
        Step[] all = runs.steps();
        runs.remove(job);
        for (Step step : all) {
            if (step.job == job && step.stake != null) {
                add(step.stake.yield(step.demand), 1);
                gone.add(step);
                if (step.stake.suspends()) {
                    Demand kept = Stake.rest(step.demand);
                    runs.add(new Step(step.time, job, kept, 1, null));
                }
            }
        }
        settle();
    }

    /// A run that gave way has its place again.
    void takeBack(long job) {
        runs.remove(job);
        for (Step step : gone.steps()) {
            if (step.job == job && step.stake != null) {
                add(step.stake.yield(step.demand), -1);
                runs.add(step);
            }
        }
        settle();
        gone.remove(job);
    }

    /// Asks a question as if these runs had given way.
    boolean without(LongPredicate leaving, BooleanSupplier question) {
        Step[] all = runs.steps();
        for (Step step : all) {
            if (leaving.test(step.job)) {
                giveWay(step.job);
            }
        }
        boolean answer = question.getAsBoolean();
        for (Step step : all) {
            if (leaving.test(step.job)) {
                takeBack(step.job);
            }
        }
        return answer;
    }

    private void add(Demand demand, int sign) {
        add(free, demand, sign);
        if (demand.heldTogether() != null) {
            free[0] -= (long) sign * demand.cpus(); // They are counted with those of the others.
        }
        if (kind.caps(demand.tenant())) {
            left[demand.tenant().partition()] += (long) sign * demand.ofCap();
        }
    }

    /// What is free of the things that its kind has beside GPUs.
    long[] freeOthers() {
        return Arrays.copyOfRange(free, others, free.length);
    }

    /// What is free of its GPUs, by lane.
    long[] freeByLane() {
        return Arrays.copyOfRange(free, 2, others);
    }

    /// Adds a demand to what is free.
    ///
    /// @param to as [#free]
    void add(long[] to, Demand demand, int sign) {
        to[0] += (long) sign * demand.cpus();
        to[1] += sign * demand.memoryMib();
        if (demand.lane() >= 0) {
            to[2 + demand.lane()] += (long) sign * demand.gpus();
        }
        demand.more().addTo(to, 2, sign);
        demand.counted().addTo(to, others, sign);
    }

    /// Adds a step of a timeline to what is free.
    ///
    /// @param to as [#free]
    void add(long[] to, Timeline line, int at) {
        if (!line.plain(at) || line.counts(at)) {
            add(to, line.step(at).demand, line.step(at).sign);
            return;
        }
        to[0] += line.cpus(at);
        to[1] += line.memoryMib(at);
        if (line.lane(at) >= 0) {
            to[2 + line.lane(at)] += line.gpus(at);
        }
    }

    /// Whether that much is enough for a demand, whoever is there.
    ///
    /// @param there as [#free]
    boolean covers(long[] there, Demand demand) {
        return there[0] >= demand.leastCpus()
                && there[1] >= demand.memoryMib()
                && (demand.lane() < 0 || there[2 + demand.lane()] >= demand.gpus())
                && demand.more().fits(there, 2)
                && demand.counted().fits(there, others);
    }

    /// Whether a run is here that shares the node with its user's only.
    boolean alone() {
        return alone;
    }

    /// How many runs here cannot be on one node with a tenant.
    long strangers(Tenant tenant) {
        if (!alone && !tenant.alone()) {
            return 0;
        }
        long strangers = 0;
        for (int at = 0; at < runs.length(); at++) {
            strangers += runs.step(at).demand.tenant().bars(tenant) ? 1 : 0;
        }
        return strangers;
    }

    /// The first time from `from` on at which the demand fits for so long; [#NEVER] if none, or if
    /// it is later than `last`.
    ///
    /// @param length [#NEVER] for a job without end
    /// @param last of the times that matter
    /// @param hours times at which the node closes and opens again, in turn
    long earliest(Demand demand, long length, long from, long last, Clock clock, long[] hours) {
        var walk = new TimeWalk(this, demand, clock);
        int gate = 0;
        long start = NEVER;
        long now = from;
        while (true) {
            for (; gate < hours.length && hours[gate] <= now; gate++) {}
            walk.moveTo(now);
            boolean shut = gate % 2 != 0;
            if (start != NEVER && (shut || !walk.fits())) {
                start = NEVER;
            }
            if (start == NEVER && !shut) {
                walk.share();
                start = walk.fits() && walk.seats() ? now : NEVER;
            }
            long next = walk.next();
            next = gate < hours.length ? Math.min(next, hours[gate]) : next;
            if (next == NEVER || (start != NEVER && next - start >= length)) {
                return start;
            }
            if (start == NEVER && next > last) {
                return NEVER;
            }
            now = next;
        }
    }

    /// Until when the demand fits from now on: now if it does not fit, [#NEVER] for ever.
    ///
    /// @param hours times at which the node closes and opens again, in turn
    long until(Demand demand, Clock clock, long[] hours) {
        if (!fits(demand)) {
            return clock.now;
        }
        long open = Hours.openUntil(hours, clock.now);
        if (reserved.length() == 0 || open == clock.now) {
            return open;
        }
        long until = untilReserved(demand, clock, false);
        long lentUntil = until == clock.now ? lentUntil(demand.lane()) : clock.now;
        return Math.min(
                open,
                lentUntil <= clock.now
                        ? until
                        : Math.min(lentUntil, untilReserved(demand, clock, true)));
    }

    /// Up to when all GPUs of a lane are lent that are kept; 0 if none is.
    private long lentUntil(int lane) {
        for (int at = 0; at < lent.length(); at++) {
            if (lent.step(at).demand.lane() == lane) {
                return lent.time(at);
            }
        }
        return 0;
    }

    /// Until when it fits beside what is reserved.
    ///
    /// @param borrows whether with those GPUs that are lent
    private long untilReserved(Demand demand, Clock clock, boolean borrows) {
        var walk = new TimeWalk(this, demand, clock);
        long at = clock.now;
        walk.moveTo(at);
        for (int lane = 0; borrows && lane < lent.length(); lane++) {
            walk.change(lent.step(lane).demand, 1);
        }
        if (!walk.seats()) {
            return at;
        }
        while (at != NEVER && walk.fits()) {
            at = walk.next();
            walk.moveTo(at);
        }
        return at;
    }

    /// The next time after `time` at which something comes free or is taken; [#NEVER] if none.
    ///
    /// @param hours times at which the node closes and opens again, in turn
    long nextStep(long time, Clock clock, long[] hours) {
        int gate = Hours.passed(hours, time);
        long next = gate == hours.length ? NEVER : hours[gate];
        for (int at = 0; at < runs.length(); at++) {
            long end = clock.end(runs.time(at));
            next = end > time ? Math.min(next, end) : next;
            if (runs.time(at) > Math.max(time, clock.now)) {
                break;
            }
        }
        for (int at = 0; at < reserved.length(); at++) {
            if (reserved.time(at) > time) {
                return Math.min(next, reserved.time(at));
            }
        }
        return next;
    }
}
