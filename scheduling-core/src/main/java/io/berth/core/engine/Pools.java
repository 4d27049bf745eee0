package io.berth.core.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What the whole cluster shares and jobs hold by count, such as licenses: how much is free now,
/// when runs will give back the rest, and what is kept for planned jobs.
///
/// A pool is a [Node] whose CPUs are what is shared: its timeline is the same.
final class Pools {

    /// What a job has of the pools: from 0 for a run.
    private record Stay(int[] counts, long from, long until, boolean running) {

        boolean same(Stay other) {
            return from == other.from
                    && until == other.until
                    && running == other.running
                    && Arrays.equals(counts, other.counts);
        }
    }

    private final List<Node> pools = new ArrayList<>();
    private final Map<Long, Stay> stays = new HashMap<>();
    private boolean freed;

    /// @param totals how much each pool has
    Pools(int... totals) {
        for (int total : totals) {
            pools.add(new Node(pools.size(), new Kind(total, 0)));
        }
    }

    /// A job holds so much of each pool until its expected end. What it had before, it has no more.
    void run(long job, int[] counts, long until) {
        put(job, new Stay(counts, 0, until, true));
    }

    /// So much of each pool is kept for a job. What it had before, it has no more.
    void reserve(long job, int[] counts, long from, long until) {
        put(job, new Stay(counts, from, until, false));
    }

    private void put(long job, Stay stay) {
        Stay before = stays.get(job);
        if (before != null && before.same(stay)) {
            return;
        }
        leave(job);
        if (stay.counts.length > 0) {
            stays.put(job, stay);
            take(job, stay);
        }
    }

    private void take(long job, Stay stay) {
        for (int pool = 0; pool < stay.counts.length; pool++) {
            Demand demand = demand(stay.counts[pool]);
            if (stay.running) {
                pools.get(pool).take(job, demand, demand, stay.until, null);
            } else {
                pools.get(pool).reserve(job, demand, stay.from, stay.until);
            }
        }
    }

    private static Demand demand(int count) {
        return new Demand(count, 0, 0, -1);
    }

    /// A job neither holds anything nor is anything kept for it.
    void leave(long job) {
        Stay stay = stays.remove(job);
        if (stay == null) {
            return;
        }
        freed = true;
        if (!stay.running) {
            lift(job);
            return;
        }
        for (int pool = 0; pool < stay.counts.length; pool++) {
            pools.get(pool).release(job, demand(stay.counts[pool]));
        }
    }

    /// Nothing is kept for a look any more. Nothing comes free by that.
    void takeOff(long job) {
        if (stays.remove(job) != null) {
            lift(job);
        }
    }

    /// Takes what is kept for a job off, for a look at what could be without it.
    void lift(long job) {
        pools.forEach(pool -> pool.unreserve(job));
    }

    /// Keeps what was lifted again.
    void putBack(long job) {
        Stay stay = stays.get(job);
        if (stay != null) {
            take(job, stay);
        }
    }

    /// Until when so much of each is free from now on: `now` if it is not, [Node#NEVER] for ever.
    long until(int[] counts, long now) {
        long until = Node.NEVER;
        for (int pool = 0; pool < counts.length && until > now; pool++) {
            if (counts[pool] > 0) {
                Node of = pools.get(pool);
                until =
                        Math.min(
                                until,
                                of.until(demand(counts[pool]), Search.clock(now), Hours.OPEN));
            }
        }
        return until;
    }

    /// The first time from `from` on at which so much of each is free for so long; [Node#NEVER] if
    /// none.
    long earliest(int[] counts, long length, long from, Node.Clock clock) {
        long at = from;
        for (int pool = 0; pool < counts.length && at != Node.NEVER; ) {
            long own =
                    counts[pool] == 0
                            ? at
                            : pools.get(pool)
                                    .earliest(
                                            demand(counts[pool]),
                                            length,
                                            at,
                                            Node.NEVER,
                                            clock,
                                            Hours.OPEN);
            pool = own == at ? pool + 1 : 0;
            at = own;
        }
        return at;
    }

    /// Whether anything came free since the last call.
    boolean settle() {
        boolean was = freed;
        freed = false;
        return was;
    }
}
