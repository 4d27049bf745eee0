package io.berth.core.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// Finds the runs on one node that lose the least and whose place makes room for a demand.
///
/// *Method*: only runs up to the lowest rank that suffices count. Of them all sets are tried, those
/// of the runs that lose least first, and a set is left as soon as it loses more than the best one.
/// After [#TRIES] sets the best one so far is taken, without the runs that it does not need.
final class NodeVictims {

    /// Sets tried on a node.
    static final int TRIES = 512;

    /// Where what a demand counts stands among what it may lack.
    private static final int OTHERS = 5;

    /// Of those who lose as much, who came last gives way first.
    private static final Comparator<Giver> BY_LOSS =
            Comparator.comparing(Giver::loss).thenComparing(Giver::job, Comparator.reverseOrder());

    /// @param victims in the order of their loss
    record Found(Loss loss, List<Long> victims) {
        static final Found NOBODY = new Found(Loss.NONE, List.of());
    }

    /// A run that may give way.
    ///
    /// @param gives of what a demand lacks
    private record Giver(long job, Loss loss, long[] gives) {}

    private final Preemptor preemptor;
    private final VictimOrder order;
    private final LongPredicate spared;
    private final long now;

    // The search on the node at hand.
    private List<Giver> givers = List.of();
    private final BitSet chosen = new BitSet();
    private BitSet best = new BitSet();
    private @Nullable Loss least;
    private int tries;

    /// @param spared runs that give way to nobody
    NodeVictims(Preemptor preemptor, VictimOrder order, LongPredicate spared, long now) {
        this.preemptor = preemptor;
        this.order = order;
        this.spared = spared;
        this.now = now;
    }

    /// Whether runs on the node, none of which loses more than that alone, could make room.
    ///
    /// @param most null is any loss
    boolean promises(Node node, Demand demand, @Nullable Loss most) {
        long[] lacks = lacks(node, demand);
        Timeline runs = node.runs();
        for (int at = 0; at < runs.length(); at++) {
            Node.Step run = runs.step(at);
            Stake stake = run.stake();
            if (stake != null && takes(run.job(), stake) && !dearer(stake, most)) {
                change(lacks, gives(run.demand(), stake, demand), -1);
            }
        }
        return covered(lacks);
    }

    /// What a demand lacks on a node: CPUs, memory, GPUs, CPUs of its partition, that those go with
    /// whom it cannot be on one node, then each thing that it counts, and GPUs of further types.
    /// Below zero is more than enough.
    private static long[] lacks(Node node, Demand demand) {
        boolean capped = node.kind.caps(demand.tenant());
        Counted counted = demand.counted();
        Counted more = demand.more();
        var lacks = new long[OTHERS + counted.places() + more.places()];
        lacks[0] = demand.cpus() - node.free[0];
        lacks[1] = demand.memoryMib() - node.free[1];
        lacks[2] = demand.lane() < 0 ? 0 : demand.gpus() - node.free[2 + demand.lane()];
        lacks[3] = capped ? demand.ofCap() - node.left[demand.tenant().partition()] : 0;
        lacks[4] = node.strangers(demand.tenant());
        for (int place = 0; place < counted.places(); place++) {
            long free = counted.at(place) == 0 ? 0 : node.freeOf(place);
            lacks[OTHERS + place] = counted.at(place) - free;
        }
        for (int lane = 0; lane < more.places(); lane++) {
            long free = more.at(lane) == 0 ? 0 : node.free[2 + lane];
            lacks[OTHERS + counted.places() + lane] = more.at(lane) - free;
        }
        return lacks;
    }

    /// What a run gives of what a demand may lack.
    private static long[] gives(Demand held, Stake stake, Demand demand) {
        Demand gives = stake.yield(held);
        Tenant tenant = held.tenant();
        int counted = demand.counted().places();
        var given = new long[OTHERS + counted + demand.more().places()];
        given[0] = gives.cpus();
        given[1] = gives.memoryMib();
        given[2] = gives.gpusOf(demand.lane());
        given[3] = tenant.sharesCap(demand.tenant()) ? gives.ofCap() : 0;
        given[4] = !stake.suspends() && tenant.bars(demand.tenant()) ? 1 : 0;
        for (int place = 0; place < counted; place++) {
            given[OTHERS + place] = gives.counted().at(place);
        }
        for (int lane = 0; lane < demand.more().places(); lane++) {
            given[OTHERS + counted + lane] = gives.gpusOf(lane);
        }
        return given;
    }

    private static void change(long[] all, long[] by, int sign) {
        for (int i = 0; i < all.length; i++) {
            all[i] += sign * by[i];
        }
    }

    private boolean takes(long run, Stake stake) {
        return preemptor.takes(stake, now) && !spared.test(run);
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
        long[] need = lacks(node, demand);
        givers = givers(node, demand, gone, need);
        givers = upToLowestRank(need);
        if (givers.isEmpty()) {
            return covered(need) ? Found.NOBODY : null;
        }
        least = null;
        tries = TRIES;
        chosen.clear();
        choose(0, need.clone(), Loss.NONE);
        return least == null ? null : needed(need);
    }

    /// All who may give way on a node.
    Found everybody(Node node, Set<Long> gone) {
        List<Giver> all = givers(node, Demand.NOTHING, gone, lacks(node, Demand.NOTHING));
        Loss loss = all.stream().map(Giver::loss).reduce(Loss.NONE, Loss::and);
        return new Found(loss, all.stream().map(Giver::job).toList());
    }

    private static boolean covered(long[] need) {
        for (long lack : need) {
            if (lack > 0) {
                return false;
            }
        }
        return true;
    }

    /// Those that may give way, in the order of their loss. What the gone ones give is taken off
    /// the need.
    private List<Giver> givers(Node node, Demand demand, Set<Long> gone, long[] need) {
        var all = new ArrayList<Giver>();
        Timeline runs = node.runs();
        for (int at = 0; at < runs.length(); at++) {
            Node.Step run = runs.step(at);
            Stake stake = run.stake();
            if (stake == null || !takes(run.job(), stake)) {
                continue;
            }
            long[] gives = gives(run.demand(), stake, demand);
            if (gone.contains(run.job())) {
                change(need, gives, -1);
            } else if (!all.isEmpty() && all.getLast().job() == run.job()) {
                change(all.getLast().gives(), gives, 1);
            } else {
                all.add(new Giver(run.job(), Loss.of(stake, now, order), gives));
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
                change(left, givers.get(count).gives(), -1);
            }
        }
        return covered(left) ? givers.subList(0, count) : List.of();
    }

    private void choose(int at, long[] need, Loss loss) {
        if (covered(need)) {
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
        change(need, next.gives(), -1);
        choose(at + 1, need, with);
        chosen.clear(at);
        change(need, next.gives(), 1);
        choose(at + 1, need, loss);
    }

    private Found needed(long[] need) {
        long[] left = need.clone();
        best.stream().forEach(it -> change(left, givers.get(it).gives(), -1));
        for (int at = best.length() - 1; at >= 0; at = best.previousSetBit(at - 1)) {
            change(left, givers.get(at).gives(), 1);
            if (covered(left)) {
                best.clear(at);
            } else {
                change(left, givers.get(at).gives(), -1);
            }
        }
        Loss loss =
                best.stream().mapToObj(it -> givers.get(it).loss()).reduce(Loss.NONE, Loss::and);
        return new Found(loss, best.stream().mapToObj(it -> givers.get(it).job()).toList());
    }
}
