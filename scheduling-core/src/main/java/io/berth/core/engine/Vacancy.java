package io.berth.core.engine;

import io.berth.core.engine.Node.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What a node has free from now on without a break: what is free now, and ever less of it as what
/// is reserved begins. Answers [Node#until] for many demands after one walk over the node's time.
final class Vacancy {

    /// From that time on no more than this has been free all the while.
    ///
    /// @param free as the node's
    private record Left(long time, long[] free) {}

    private final Node node;
    private final List<Left> falling = new ArrayList<>();
    private Clock clock;

    /// The next time at which a run ends or something reserved begins or ends; [Node#NEVER] if none
    /// is.
    private final long next;

    /// Whether somebody is or will be here who does not bear everybody beside him.
    private boolean alone;

    Vacancy(Node node, Clock clock) {
        this.node = node;
        this.clock = clock;
        Timeline runs = node.runs();
        int run = 0;
        for (; run < runs.length() && runs.time(run) <= clock.now(); run++) {}
        int overdue = run;
        alone = node.alone();
        long[] free = node.free.clone();
        falling.add(new Left(clock.now(), free.clone()));
        Timeline reserved = node.reservations();
        for (int other = 0; other < reserved.length(); ) {
            long time = Math.max(clock.now(), reserved.time(other));
            for (; overdue > 0 && clock.floor() <= time; overdue--) {
                node.add(free, runs, overdue - 1);
            }
            for (; run < runs.length() && runs.time(run) <= time; run++) {
                node.add(free, runs, run);
            }
            for (; other < reserved.length() && reserved.time(other) <= time; other++) {
                alone |= !reserved.plain(other) && reserved.step(other).demand().tenant().alone();
                node.add(free, reserved, other);
            }
            fall(time, free);
        }
        this.next = runs.length() > 0 && runs.time(0) <= clock.now() ? clock.now() : nextOf(node);
        if (!alone && !node.lends() && !node.crowded()) {
            node.kind.lasts(node, clock.now(), next, falling.getLast().free);
        }
    }

    private long nextOf(Node of) {
        long first = of.runs().length() == 0 ? Node.NEVER : of.runs().time(0);
        Timeline reserved = of.reservations();
        for (int at = 0; at < reserved.length(); at++) {
            if (reserved.time(at) > clock.now()) {
                return Math.min(first, reserved.time(at));
            }
        }
        return first;
    }

    /// Makes it that of another time. False: it may not hold then any more.
    boolean at(Clock other) {
        boolean same = clock.now() <= other.now() && other.now() < next;
        if (same) {
            clock = other;
        }
        return same || clock.equals(other);
    }

    private void fall(long time, long[] free) {
        long[] had = falling.getLast().free;
        boolean falls = false;
        for (int i = 0; i < free.length && !falls; i++) {
            falls = free[i] < had[i];
        }
        if (falls) {
            var least = new long[free.length];
            Arrays.setAll(least, i -> Math.min(had[i], free[i]));
            falling.add(new Left(time, least));
        }
    }

    /// Until when the demand fits from now on: now if it does not fit, [Node#NEVER] for ever.
    ///
    /// @param hours times at which the node closes and opens again, in turn
    long until(Demand demand, long[] hours) {
        if (matters(demand)) {
            return node.until(demand, clock, hours);
        }
        long open = Hours.openUntil(hours, clock.now());
        for (int i = 0; i < falling.size(); i++) {
            Left left = falling.get(i);
            if (!node.covers(left.free, demand)) {
                return Math.min(open, Math.max(clock.now(), left.time));
            }
        }
        return open;
    }

    /// Until when a demand can fit at most that takes so many CPUs, so much memory and so much of
    /// one of some lanes; now if it does not fit.
    ///
    /// @param lane where in [Node#free] the first of them stands
    /// @param lanes how many there are; none for a demand of no GPU
    long untilAtMost(long cpus, long memoryMib, int lane, int lanes, int gpus) {
        for (int i = 0; i < falling.size() && !node.lends(); i++) {
            long[] free = falling.get(i).free;
            boolean enough = lanes == 0;
            for (int at = lane; at < lane + lanes && !enough; at++) {
                enough = free[at] >= gpus;
            }
            if (!enough || free[0] < cpus || free[1] < memoryMib) {
                return Math.max(clock.now(), falling.get(i).time);
            }
        }
        return Node.NEVER;
    }

    /// Until when a demand can fit at most that takes so many whole GPUs.
    long untilGpus(int count) {
        return untilAny(2, node.kind.gpusByLane.length, count);
    }

    /// Until when a demand can fit at most that takes so many units of a shared GPU.
    long untilUnits(int count) {
        return untilAny(2 + node.kind.gpusByLane.length, node.kind.slots.length, count);
    }

    private long untilAny(int first, int lanes, int count) {
        long until = count == 0 || node.lends() ? Node.NEVER : clock.now();
        for (int at = first; at < first + lanes; at++) {
            int left = 0;
            while (left < falling.size() && falling.get(left).free[at] >= count) {
                left++;
            }
            until = Math.max(until, left == falling.size() ? Node.NEVER : falling.get(left).time);
        }
        return until;
    }

    /// Whether more matters to a demand than what is free.
    private boolean matters(Demand demand) {
        return alone || node.lends() || node.crowded() || !node.kind.freeIsEnough(demand);
    }
}
