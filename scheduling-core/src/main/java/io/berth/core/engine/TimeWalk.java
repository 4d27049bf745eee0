package io.berth.core.engine;

import io.berth.core.engine.Node.Clock;
import io.berth.core.engine.Node.Step;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A walk over the time of a node: what is free for a demand at its moment, and who is there with
/// whom it cannot be.
final class TimeWalk {

    private static final Clock NO_WALK = new Clock(Long.MIN_VALUE, Node.NEVER);
    private static final long[] NOTHING = {};
    private static final BitSet NO_CPUS = new BitSet();

    private final Node node;
    private final Timeline runs;
    private final Timeline reserved;
    private final Demand demand;
    private final @Nullable Seating seating;
    private final @Nullable Shared shared;
    private final boolean capped;

    /// Whether nothing of a plain step matters but CPUs, memory, GPUs and what it counts.
    private final boolean simple;

    private long cpus;

    /// CPUs that the demand may share with those who hold them, if it begins when somebody last
    /// asked.
    private BitSet spare = NO_CPUS;

    /// By job for which something is reserved by now, how many of its CPUs can be such as others
    /// hold, and are none of the spare ones; and which these are for all of them.
    private Map<Long, Integer> joining = Map.of();

    private BitSet joinable = NO_CPUS;

    private long memory;
    private long gpus;

    /// By lane, as far as it takes GPUs of more than one.
    private final long[] ofLanes;

    private long left;
    private final long[] others;

    /// Of those who come and go in the walk.
    private long strangers;

    /// How many have something reserved in the walk of which nobody knows where it lies.
    private int unseated;

    /// Of those who are here now; below 0 until somebody asks.
    private long present = -1;

    /// How many are past their end, and when these end.
    private int overdue;

    private final long floor;

    /// Which of the other runs ends next, and which reservation begins or ends next.
    private int run;

    private int other;

    /// Now, without what is reserved.
    TimeWalk(Node node, Demand demand) {
        this(node, demand, NO_WALK);
    }

    TimeWalk(Node node, Demand demand, Clock clock) {
        this.node = node;
        this.runs = node.runs();
        this.reserved = node.reservations();
        this.demand = demand;
        this.floor = clock.floor();
        this.cpus = node.free[0];
        this.memory = node.free[1];
        for (; run < runs.length() && runs.time(run) <= clock.now(); run++) {}
        this.overdue = run;
        this.seating = demand.seating();
        this.shared = demand.shared();
        this.gpus = demand.lane() < 0 ? 0 : node.free[2 + demand.lane()];
        this.ofLanes = demand.more().places() == 0 ? NOTHING : node.freeByLane();
        this.capped = node.kind.caps(demand.tenant());
        this.left = capped ? node.left[demand.tenant().partition()] : 0;
        this.others =
                demand.counted().places() == 0 && seating == null ? NOTHING : node.freeOthers();
        this.simple = !capped && !demand.tenant().alone() && ofLanes.length == 0;
        share();
    }

    /// Goes on to a time.
    void moveTo(long time) {
        for (; overdue > 0 && floor <= time; overdue--) {
            pass(runs, overdue - 1);
        }
        for (; run < runs.length() && runs.time(run) <= time; run++) {
            pass(runs, run);
        }
        for (; other < reserved.length() && reserved.time(other) <= time; other++) {
            pass(reserved, other);
            if (seating != null && reserved.step(other).demand().contends(demand, seating)) {
                unseated -= reserved.step(other).sign();
            }
            if (node.crowded()) {
                join(reserved.step(other));
            }
        }
        if (!spare.isEmpty()) {
            spare.and(heldTogether());
        }
    }

    /// How many CPUs nobody counts on.
    long freeCpus() {
        return cpus + joined();
    }

    /// The demand begins here: it may share what is held now.
    void share() {
        if (shared == null || !node.crowded()) {
            return;
        }
        spare = Together.open(shared, runs.steps(), this::here);
        joining = Map.of();
        joinable = NO_CPUS;
    }

    /// Something reserved begins or ends, of a job that can join those who hold CPUs then.
    private void join(Step step) {
        Shared its = step.demand().shared();
        if (its == null) {
            return;
        }
        joining = joining.isEmpty() ? new TreeMap<>() : joining;
        if (step.sign() > 0) {
            joining.remove(step.job());
            return;
        }
        int before = joined();
        BitSet more = Together.open(its, runs.steps(), this::here);
        more.andNot(spare);
        more.or(joinable);
        joinable = more;
        int left = Math.max(0, heldOf(joinable) - before);
        joining.merge(step.job(), Math.min(step.demand().cpus(), left), Integer::sum);
    }

    /// How many of the CPUs that are reserved are not taken from those that are free.
    private int joined() {
        if (joining.isEmpty()) {
            return 0;
        }
        int some = joining.values().stream().mapToInt(Integer::intValue).sum();
        return Math.min(some, heldOf(joinable));
    }

    private int heldOf(BitSet some) {
        BitSet held = heldTogether();
        held.and(some);
        return held.cardinality();
    }

    /// Whether a run has not ended.
    private boolean here(int at) {
        return at < overdue || at >= run;
    }

    private BitSet heldTogether() {
        return Together.held(runs.steps(), this::here);
    }

    /// When something comes free or is taken next; [Node#NEVER] if nothing does.
    long next() {
        long end = run < runs.length() ? runs.time(run) : Node.NEVER;
        return Math.min(
                overdue > 0 ? Math.min(floor, end) : end,
                other < reserved.length() ? reserved.time(other) : Node.NEVER);
    }

    /// A step comes. Most are read of the timeline alone.
    private void pass(Timeline line, int at) {
        if (!simple || !line.plain(at) || (others.length > 0 && line.counts(at))) {
            change(line.step(at).demand(), line.step(at).sign());
            return;
        }
        cpus += line.cpus(at);
        memory += line.memoryMib(at);
        gpus += line.lane(at) == demand.lane() ? line.gpus(at) : 0;
    }

    /// @param sign 1 for what comes free, -1 for what is taken
    void change(Demand by, int sign) {
        cpus += (long) sign * by.cpus();
        memory += sign * by.memoryMib();
        gpus += (long) sign * by.gpusOf(demand.lane());
        if (ofLanes.length > 0) {
            ofLanes[by.lane() < 0 ? 0 : by.lane()] += (long) sign * by.gpus();
            by.more().addTo(ofLanes, 0, sign);
        }
        left += by.tenant().sharesCap(demand.tenant()) ? (long) sign * by.ofCap() : 0;
        strangers -= by.tenant().bars(demand.tenant()) ? sign : 0;
        by.counted().addTo(others, 0, sign);
    }

    /// Whether there are places for a start.
    boolean seats() {
        return seating == null || (unseated == 0 && seating.fits(others));
    }

    boolean fits() {
        return freeCpus() + spare.cardinality() >= demand.cpus()
                && memory >= demand.memoryMib()
                && gpus >= demand.gpus()
                && demand.more().fits(ofLanes, 0)
                && (!capped || left >= demand.ofCap())
                && demand.counted().fits(others, 0)
                && strangers() == 0;
    }

    private long strangers() {
        present = present < 0 ? node.strangers(demand.tenant()) : present;
        return present + strangers;
    }
}
