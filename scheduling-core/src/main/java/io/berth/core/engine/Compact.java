package io.berth.core.engine;

import io.berth.core.engine.Network.Level;
import io.berth.core.engine.Usable.Candidate;
import io.berth.core.packing.PackingPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Chooses a gang's nodes so that they lie close together.
///
/// *Goals*, ranked: a choice of the class that is preferred; the lowest weights of nodes that
/// suffice; the first of the class's other choices; the lowest level of the network whose one
/// domain holds the gang; in that level the domain with the fewest nodes to spare; below it as few
/// leaf switches as possible, and under them as few blocks; then what they cost by the policy.
/// *Constraints*: no more leaf switches than the class allows, or one domain of the level that it
/// names; the nodes that must be among the gang's are; so many are of each group that is counted
/// ([Slots]). A gang that must stand in a row is [Row]'s, one in segments [Segments]'.
///
/// *Method*: taking leaf switches from the one with the most usable nodes on gives the fewest
/// switches for parts that are alike. Where they are of several sizes each node gets the largest
/// part that it holds and that is left, so that the nodes that are offered first are in, as far as
/// any deal has them all: no place is missed.
///
/// Source: the behaviour of Slurm's topology/tree, `topology.conf(5)`.
final class Compact {

    private final Network network;

    /// By node, of those that are put in order.
    private long[] costs = {};

    Compact(Network network) {
        this.network = network;
    }

    /// The nodes, larger parts first; null if the class's limit of switches cannot be kept, or it
    /// cannot have so many of each group as it must.
    int @Nullable [] choose(Usable usable, PackingPolicy policy) {
        List<Usable> choices = usable.choices().stream().filter(Usable::enough).toList();
        int[] preferred = choose(usable, choices, true, policy);
        return preferred == null ? choose(usable, choices, false, policy) : preferred;
    }

    /// @param preferred of which of the choices
    private int @Nullable [] choose(
            Usable usable, List<Usable> choices, boolean preferred, PackingPolicy policy) {
        List<Usable> light =
                choices.stream()
                        .filter(it -> it.preferred() == preferred)
                        .map(Usable::cleared)
                        .toList();
        if (light.isEmpty()) {
            return null;
        }
        for (List<Candidate> more : usable.byWeight()) {
            for (Usable one : light) {
                int[] chosen = one.addAll(more) && one.enough() ? near(one, policy) : null;
                if (chosen != null) {
                    return chosen;
                }
            }
        }
        return null;
    }

    private int @Nullable [] near(Usable usable, PackingPolicy policy) {
        FitClass fit = usable.fit;
        if (fit.layout.inRow()) {
            List<Candidate> row = new Row(network, usable).choose();
            return row == null ? null : deal(usable, row);
        }
        if (fit.layout.segment() > 0) {
            List<Candidate> segments =
                    new Segments(network, fit)
                            .choose(usable.candidates, byCost(policy, usable.candidates));
            return segments == null ? null : deal(usable, segments);
        }
        for (int level = 0; level < network.closeness(); level++) {
            List<Candidate> domain = tightest(usable, network.near(level));
            if (domain != null) {
                int[] chosen = deal(usable, byLeaf(usable, domain, policy));
                if (chosen != null && network.holds(fit, chosen)) {
                    return chosen;
                }
            }
        }
        if (fit.maxSwitches == 0) {
            return deal(usable, byLeaf(usable, usable.candidates, policy));
        }
        List<Candidate> domain =
                fit.level == Network.LEAVES ? null : tightest(usable, network.binding(fit.level));
        return domain == null ? null : deal(usable, byLeaf(usable, domain, policy));
    }

    private @Nullable List<Candidate> tightest(Usable usable, Level level) {
        int[] all = new int[level.count()];
        int[][] holding = new int[all.length][usable.fit.upTo.length];
        int[] among = new int[all.length];
        for (Candidate candidate : usable.candidates) {
            int domain = level.domain(candidate.node());
            if (domain >= 0) {
                all[domain]++;
                holding[domain][candidate.size()]++;
                among[domain] += usable.must(candidate) ? 1 : 0;
            }
        }
        int best = -1;
        for (int domain = 0; domain < all.length; domain++) {
            if (usable.fit.enough(holding[domain])
                    && among[domain] == usable.fit.layout.among().cardinality()
                    && (best < 0 || all[domain] < all[best])
                    && fills(usable, level, domain)) {
                best = domain;
            }
        }
        return best < 0 ? null : in(usable, level, best);
    }

    private static List<Candidate> in(Usable usable, Level level, int domain) {
        return usable.candidates.stream().filter(it -> level.domain(it.node()) == domain).toList();
    }

    /// Whether groups that are counted can be had of a domain.
    private static boolean fills(Usable usable, Level level, int domain) {
        if (!usable.counts()) {
            return true;
        }
        List<Candidate> its = in(usable, level, domain);
        return deal(usable, its.stream().sorted(mustFirst(usable)).toList()) != null;
    }

    private static Comparator<Candidate> mustFirst(Usable usable) {
        return Comparator.comparing(it -> !usable.must(it));
    }

    /// The order of some candidates by what they cost now, until the next call.
    private Comparator<Candidate> byCost(PackingPolicy policy, List<Candidate> some) {
        for (Candidate it : some) {
            int index = it.node().index;
            costs = index < costs.length ? costs : Arrays.copyOf(costs, 2 * index + 1);
            costs[index] = it.node().cost(policy, it.demand());
        }
        return Comparator.<Candidate>comparingLong(it -> costs[it.node().index])
                .thenComparingInt(it -> it.node().index);
    }

    /// The candidates: those that must be among the nodes first, then those of their leaves, of the
    /// fullest leaf, of the fullest block, by cost. Those are left out that are never dealt out,
    /// because those of fuller leaves are enough.
    private List<Candidate> byLeaf(
            Usable usable, List<Candidate> candidates, PackingPolicy policy) {
        List<Candidate> some = candidates;
        Comparator<Candidate> byLeaf = null;
        if (network.levels() > 0) {
            Level leaves = network.near(network.closeness() - network.levels());
            byLeaf = fullestFirst(usable, candidates, leaves);
            some = usable.counts() ? candidates : firstEnough(usable, candidates, leaves, byLeaf);
        }
        Comparator<Candidate> order = byCost(policy, some);
        if (network.blocks() > 0) {
            order = fullestFirst(usable, candidates, network.near(0)).thenComparing(order);
        }
        if (byLeaf != null) {
            order = byLeaf.thenComparing(order);
        }
        if (!usable.fit.layout.among().isEmpty()) {
            order = mustFirst(usable).thenComparing(order);
        }
        return some.stream().sorted(order).toList();
    }

    /// The candidates of as many domains as are enough for the gang, in the order of these.
    private static List<Candidate> firstEnough(
            Usable usable,
            List<Candidate> candidates,
            Level level,
            Comparator<Candidate> byDomain) {
        var domains = new ArrayList<List<Candidate>>();
        for (int domain = -1; domain < level.count(); domain++) {
            domains.add(new ArrayList<>());
        }
        for (Candidate it : candidates) {
            domains.get(level.domain(it.node()) + 1).add(it);
        }
        domains.removeIf(List::isEmpty);
        domains.sort(Comparator.comparing(List::getFirst, byDomain));
        Usable enough = usable.cleared();
        for (int at = 0; at < domains.size() && !enough.enough(); at++) {
            enough.addAll(domains.get(at));
        }
        return enough.candidates;
    }

    private static Comparator<Candidate> fullestFirst(
            Usable usable, List<Candidate> candidates, Level level) {
        int[] count = new int[level.count() + 1];
        for (Candidate candidate : candidates) {
            count[level.domain(candidate.node()) + 1] +=
                    usable.must(candidate) ? candidates.size() : 1;
        }
        return Comparator.<Candidate>comparingInt(it -> -count[level.domain(it.node()) + 1])
                .thenComparingInt(it -> level.domain(it.node()));
    }

    /// Where groups are counted, first of the nodes that fill them in their order; then, if those
    /// have too few for the larger parts, of those that fill them with the most of each size.
    ///
    /// @param ordered those that must be among the nodes first, unless all of them are taken
    private static int @Nullable [] deal(Usable usable, List<Candidate> ordered) {
        FitClass fit = usable.fit;
        if (usable.choice == null || !usable.counts()) {
            return dealt(usable, ordered);
        }
        List<Candidate> picked = Slots.pick(usable.choice, fit.parts(), ordered);
        int[] dealt = picked == null ? null : dealt(usable, picked);
        if (dealt != null || picked == null || fit.upTo.length == 1) {
            return dealt;
        }
        List<Candidate> largeFirst =
                ordered.stream().sorted(mustFirst(usable).thenComparing(Candidate::size)).toList();
        List<Candidate> others = Slots.pick(usable.choice, fit.parts(), largeFirst);
        return others == null ? null : dealt(usable, others);
    }

    private static int @Nullable [] dealt(Usable usable, List<Candidate> ordered) {
        FitClass fit = usable.fit;
        int among = 0;
        int left = fit.parts();
        int[] nodes = new int[left];
        int[] next = new int[fit.upTo.length];
        System.arraycopy(fit.upTo, 0, next, 1, next.length - 1);
        for (int at = 0; at < ordered.size() && left > 0; at++) {
            Candidate candidate = ordered.get(at);
            int size = candidate.size();
            while (size < next.length && next[size] == fit.upTo[size]) {
                size++;
            }
            if (size < next.length) {
                nodes[next[size]++] = candidate.node().index;
                among += usable.must(candidate) ? 1 : 0;
                left--;
            }
        }
        return left > 0 || among < fit.layout.among().cardinality() ? null : nodes;
    }
}
