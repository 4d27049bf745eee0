package io.berth.core.engine;

import io.berth.core.engine.Node.Clock;
import io.berth.core.engine.Node.Step;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The CPUs of a node that several of its runs hold ([Shared]).
final class Together {

    private Together() {}

    /// A CPU that several runs hold is held once, and comes free with the last of them.
    ///
    /// @param runs of a node, the one that ends first before all; each is told what comes free with
    ///   it
    /// @return how many CPUs they hold
    static int count(Step[] runs) {
        var later = new BitSet();
        for (int at = runs.length - 1; at >= 0; at--) {
            BitSet held = runs[at].demand().heldTogether();
            if (held != null) {
                int before = later.cardinality();
                later.or(held);
                runs[at] = runs[at].freeing(later.cardinality() - before, held.cardinality());
            }
        }
        return later.cardinality();
    }

    /// The CPUs that some of the runs hold.
    ///
    /// @param of which of the runs, by place
    static BitSet held(Step[] runs, IntPredicate of) {
        var held = new BitSet();
        for (int at = 0; at < runs.length; at++) {
            BitSet its = of.test(at) ? runs[at].demand().heldTogether() : null;
            if (its != null) {
                held.or(its);
            }
        }
        return held;
    }

    /// Of those the CPUs that a job may hold, too.
    static BitSet open(Shared shared, Step[] runs, IntPredicate of) {
        var open = new BitSet();
        byHolders(shared, runs, of).headMap(shared.most()).values().forEach(open::or);
        return open;
    }

    /// By how many runs hold them, the CPUs that runs hold together. One that jobs of another
    /// partition hold is full.
    ///
    /// @param of which of the runs, by place
    private static TreeMap<Integer, BitSet> byHolders(Shared shared, Step[] runs, IntPredicate of) {
        var counts = new TreeMap<Integer, Integer>();
        for (int at = 0; at < runs.length; at++) {
            Demand demand = runs[at].demand();
            BitSet held = of.test(at) ? demand.heldTogether() : null;
            if (held != null) {
                int count = shared.with(demand.shared()) ? 1 : shared.most();
                held.stream().forEach(cpu -> counts.merge(cpu, count, Integer::sum));
            }
        }
        var by = new TreeMap<Integer, BitSet>();
        counts.forEach((cpu, count) -> by.computeIfAbsent(count, _ -> new BitSet()).set(cpu));
        return by;
    }

    /// Which CPUs a job takes that has just begun, and of which it is not told yet: as many that
    /// nobody holds as nobody is to have before it ends; then those with the fewest holders. Where
    /// anything is reserved those that come free soonest, as many as nobody counts on before it
    /// ends, then those that are held until then and not much longer: so it takes the least of what
    /// others count on, now and when it has ended.
    ///
    /// @return null if it may have none together with others
    static Shared.@Nullable Choice choice(Node node, long job, Clock clock) {
        Step[] runs = node.runs().steps();
        int own = 0;
        while (own < runs.length && runs[own].job() != job) {
            own++;
        }
        Step step = runs[own];
        Shared shared = step.demand().shared();
        if (shared == null || shared.held() != null) {
            return null;
        }
        int self = own;
        TreeMap<Integer, BitSet> by = byHolders(shared, runs, at -> at != self);
        List<BitSet> spare = List.copyOf(by.headMap(shared.most()).values());
        int wanted = step.demand().cpus();
        if (!node.reserved()) {
            var any = new ArrayList<Shared.Some>();
            spare.forEach(it -> any.add(new Shared.Some(it, wanted)));
            return new Shared.Choice(wanted, any);
        }
        TreeMap<Long, Integer> leave = uncounted(node, step, clock);
        var early = new ArrayList<Shared.Some>();
        var late = new ArrayList<Shared.Some>();
        var rest = new BitSet();
        spare.forEach(rest::or);
        for (int at = runs.length - 1; at >= 0; at--) {
            BitSet held = runs[at].demand().heldTogether();
            if (held == null || !held.intersects(rest)) {
                continue;
            }
            var its = (BitSet) held.clone();
            its.and(rest);
            rest.andNot(its);
            Map.Entry<Long, Integer> most = leave.ceilingEntry(clock.end(runs[at].time()));
            (most == null ? late : early)
                    .addFirst(new Shared.Some(its, most == null ? wanted : most.getValue()));
        }
        var some = new ArrayList<>(early);
        some.addAll(late);
        early.reversed().forEach(it -> some.add(new Shared.Some(it.cpus(), wanted)));
        return new Shared.Choice(leave.firstEntry().getValue(), some);
    }

    /// By time until a run ends, how many of the CPUs that are free from then on nobody else counts
    /// on before it ends; no more than it wants.
    private static TreeMap<Long, Integer> uncounted(Node node, Step run, Clock clock) {
        int wanted = run.demand().cpus();
        var counts = new TreeMap<Long, Integer>();
        var walk = new TimeWalk(node, Demand.NOTHING, clock);
        for (long at = clock.now(); at < run.time(); at = walk.next()) {
            walk.moveTo(at);
            long left = walk.freeCpus() + wanted;
            counts.put(at, Math.clamp(left, 0, wanted));
        }
        int least = wanted;
        for (Map.Entry<Long, Integer> it : counts.descendingMap().entrySet()) {
            least = Math.min(least, it.getValue());
            it.setValue(least);
        }
        return counts;
    }
}
