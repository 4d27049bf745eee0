package io.berth.core.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds the runs on one node that lose the least and whose place makes room for a demand.
///
/// *Method*: only runs up to the lowest rank that suffices count. Of them all sets are tried, those
/// of the runs that lose least first, and a set is left as soon as it loses more than the best one.
/// After [#TRIES] sets the best one so far is taken, without the runs that it does not need.
final class NodeVictims {

    /// Sets tried on a node.
    static final int TRIES = 512;

    /// Of those who lose as much, who came last gives way first.
    private static final Comparator<Giver> BY_LOSS =
            Comparator.comparing(Giver::loss).thenComparing(Giver::job, Comparator.reverseOrder());

    /// @param victims in the order of their loss
    record Found(Loss loss, List<Long> victims) {
        static final Found NOBODY = new Found(Loss.NONE, List.of());
    }

    /// A run that may give way, with what it would give.
    private record Giver(long job, Loss loss, long cpus, long memoryMib, long gpus) {

        Giver and(long moreCpus, long moreMemory, long moreGpus) {
            return new Giver(job, loss, cpus + moreCpus, memoryMib + moreMemory, gpus + moreGpus);
        }
    }

    private final Preemptor preemptor;
    private final VictimOrder order;
    private final long now;

    // The search on the node at hand.
    private List<Giver> givers = List.of();
    private final BitSet chosen = new BitSet();
    private BitSet best = new BitSet();
    private @Nullable Loss least;
    private int tries;

    NodeVictims(Preemptor preemptor, VictimOrder order, long now) {
        this.preemptor = preemptor;
        this.order = order;
        this.now = now;
    }

    /// Whether runs on the node, none of which loses more than that alone, could make room.
    ///
    /// @param most null is any loss
    boolean promises(Node node, Demand demand, @Nullable Loss most) {
        long cpus = node.free[0] - demand.cpus();
        long memory = node.free[1] - demand.memoryMib();
        long gpus = demand.lane() < 0 ? 0 : node.free[2 + demand.lane()] - demand.gpus();
        for (Node.Step run : node.runs()) {
            Stake stake = run.stake();
            if (stake == null || !preemptor.takes(stake, now) || dearer(stake, most)) {
                continue;
            }
            cpus += run.demand().cpus();
            if (!stake.suspends()) {
                memory += run.demand().memoryMib();
                gpus += run.demand().lane() == demand.lane() ? run.demand().gpus() : 0;
            }
        }
        return cpus >= 0 && memory >= 0 && gpus >= 0;
    }

    private boolean dearer(Stake stake, @Nullable Loss most) {
        return most != null
                && (stake.rank() > most.rank()
                        || (stake.rank() == most.rank()
                                && Loss.millis(stake, now, order) > most.gpuMillis()));
    }

    /// The victims on a node; null if there are none that make room.
    ///
    /// @param gone jobs that give way anyhow
    @Nullable Found find(Node node, Demand demand, Set<Long> gone) {
        var need =
                new long[] {
                    demand.cpus() - node.free[0],
                    demand.memoryMib() - node.free[1],
                    demand.lane() < 0 ? 0 : demand.gpus() - node.free[2 + demand.lane()]
                };
        givers = givers(node, demand, gone, need);
        givers = upToLowestRank(need);
        if (givers.isEmpty()) {
            return covered(need) ? Found.NOBODY : null;
        }
        least = null;
        tries = TRIES;
        chosen.clear();
        choose(0, need[0], need[1], need[2], Loss.NONE);
        return least == null ? null : needed(need);
    }

    /// All who may give way on a node.
    Found everybody(Node node, Set<Long> gone) {
        List<Giver> all = givers(node, Demand.NOTHING, gone, new long[3]);
        Loss loss = all.stream().map(Giver::loss).reduce(Loss.NONE, Loss::and);
        return new Found(loss, all.stream().map(Giver::job).toList());
    }

    private static boolean covered(long[] need) {
        return need[0] <= 0 && need[1] <= 0 && need[2] <= 0;
    }

    /// Those that may give way, in the order of their loss. What the gone ones give is taken off
    /// the need.
    private List<Giver> givers(Node node, Demand demand, Set<Long> gone, long[] need) {
        var all = new ArrayList<Giver>();
        for (Node.Step run : node.runs()) {
            Stake stake = run.stake();
            if (stake == null || !preemptor.takes(stake, now)) {
                continue;
            }
            Demand gives = stake.yield(run.demand());
            long gpus = gives.lane() == demand.lane() ? gives.gpus() : 0;
            if (gone.contains(run.job())) {
                need[0] -= gives.cpus();
                need[1] -= gives.memoryMib();
                need[2] -= gpus;
            } else if (!all.isEmpty() && all.getLast().job() == run.job()) {
                all.set(all.size() - 1, all.getLast().and(gives.cpus(), gives.memoryMib(), gpus));
            } else {
                Loss loss = Loss.of(stake, now, order);
                all.add(new Giver(run.job(), loss, gives.cpus(), gives.memoryMib(), gpus));
            }
        }
        all.sort(BY_LOSS);
        return all;
    }

    /// Nobody if not even all of them suffice, or if nobody is needed.
    private List<Giver> upToLowestRank(long[] need) {
        long[] left = need.clone();
        int count = 0;
        while (!covered(left) && count < givers.size()) {
            long rank = givers.get(count).loss().rank();
            for (; count < givers.size() && givers.get(count).loss().rank() == rank; count++) {
                take(left, givers.get(count));
            }
        }
        return covered(left) ? givers.subList(0, count) : List.of();
    }

    private static void take(long[] need, Giver giver) {
        need[0] -= giver.cpus();
        need[1] -= giver.memoryMib();
        need[2] -= giver.gpus();
    }

    private void choose(int at, long cpus, long memory, long gpus, Loss loss) {
        if (cpus <= 0 && memory <= 0 && gpus <= 0) {
            least = loss;
            best = (BitSet) chosen.clone();
            return;
        }
        if (at == givers.size() || tries-- <= 0) {
            return;
        }
        Giver next = givers.get(at);
        Loss with = loss.and(next.loss());
        if (least != null && with.compareTo(least) >= 0) {
            return;
        }
        chosen.set(at);
        choose(at + 1, cpus - next.cpus(), memory - next.memoryMib(), gpus - next.gpus(), with);
        chosen.clear(at);
        choose(at + 1, cpus, memory, gpus, loss);
    }

    private Found needed(long[] need) {
        long[] left = need.clone();
        best.stream().forEach(it -> take(left, givers.get(it)));
        for (int at = best.length() - 1; at >= 0; at = best.previousSetBit(at - 1)) {
            Giver giver = givers.get(at);
            long[] without = {
                left[0] + giver.cpus(), left[1] + giver.memoryMib(), left[2] + giver.gpus()
            };
            if (covered(without)) {
                System.arraycopy(without, 0, left, 0, left.length);
                best.clear(at);
            }
        }
        Loss loss =
                best.stream().mapToObj(it -> givers.get(it).loss()).reduce(Loss.NONE, Loss::and);
        return new Found(loss, best.stream().mapToObj(it -> givers.get(it).job()).toList());
    }
}
