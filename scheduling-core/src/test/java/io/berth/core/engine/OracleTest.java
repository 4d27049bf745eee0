package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.engine.FitClass.Layout;
import io.berth.core.engine.FitClass.Size;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Rank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The engine against trying everything, on up to 6 nodes of 4 GPUs. A failure names its seed.
final class OracleTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 2_000);

    /// Runs end at so many times, one as long after the other.
    private static final int ENDS = 3;

    private static final long END = 1000;

    /// When nothing runs any more.
    private static final long EMPTY = ENDS * END;

    /// A cluster with runs on it, and one request.
    private static final class Case {
        final int[] free;

        /// Of something that is counted, of which each node has three.
        final int[] counted;

        /// GPUs of another type, of which each node has two.
        final int[] others;

        /// By node, when its runs end that hold GPUs of the other type, and those that hold the
        /// rest.
        final long[] othersUntil;

        final long[] heldUntil;

        /// By node, its leaf switch, or its domain of a level that is named and has nothing to do
        /// with them; -1 for none. All are under one in a network of blocks alone.
        final int[] domain;

        final int large;

        /// Parts of a third size, which has one GPU of one of the types less than a large one.
        final int middle;

        /// Whether it is one of the other type that these have less.
        final boolean lessOther;

        final int small;
        final int parts;
        final int gpus;
        final int wanted;
        final int more;

        /// How many GPUs of the other type a large part has beyond a small one.
        final int extra;

        final int switches;
        final boolean inRow;
        final BitSet among = new BitSet();
        final List<Choice> choices = new ArrayList<>();
        final Trial trial;
        final FitClass fit;

        Case(Random random) {
            free = new int[1 + random.nextInt(6)];
            int[] leaf = new int[free.length];
            counted = new int[free.length];
            others = new int[free.length];
            othersUntil = new long[free.length];
            heldUntil = new long[free.length];
            int leaves = 1 + random.nextInt(3);
            for (int node = 0; node < free.length; node++) {
                leaf[node] = random.nextInt(6) == 0 ? -1 : random.nextInt(leaves);
            }
            int[] gpusOf = new int[free.length];
            Arrays.fill(gpusOf, 4 + 2 * Trial.OTHERS);
            boolean blocks = random.nextInt(3) == 0;
            boolean levels = !blocks || random.nextBoolean();
            int[] block = new int[free.length];
            Arrays.setAll(block, _ -> blocks ? random.nextInt(3) - 1 : 0);
            if (!levels) {
                Arrays.fill(leaf, 0);
            }
            int[] named = new int[free.length];
            Arrays.setAll(named, _ -> random.nextInt(4) - 1);
            boolean byName = random.nextInt(3) == 0;
            domain = byName ? named : leaf;
            int[] root = Arrays.stream(leaf).map(it -> Math.min(it, 0)).toArray();
            var network =
                    new Network(
                            levels ? List.of(leaf, root) : List.of(),
                            new int[0],
                            blocks ? List.of(block) : List.of(),
                            List.of(named));
            trial = new Trial(Settings.DEFAULT, network, gpusOf);
            for (int node = 0; node < free.length; node++) {
                int held = random.nextInt(5);
                free[node] = 4 - held;
                int also = random.nextInt(1 + Trial.COUNTED);
                counted[node] = Trial.COUNTED - also;
                int beside = random.nextInt(6) / 2;
                others[node] = 2 - beside;
                othersUntil[node] = END * (1 + random.nextInt(ENDS));
                heldUntil[node] = END * (1 + random.nextInt(ENDS));
                if (held > 0 || also > 0) {
                    var demand =
                            new Demand[] {
                                new Demand(1, 1, held, held == 0 ? -1 : 0).with(Counted.of(also))
                            };
                    trial.engine.run(100 + node, new int[] {node}, demand, 0, heldUntil[node]);
                }
                if (beside > 0) {
                    var demand = new Demand[] {new Demand(1, 1, beside, 1)};
                    trial.engine.run(200 + node, new int[] {node}, demand, 0, othersUntil[node]);
                }
            }
            gpus = 1 + random.nextInt(3);
            large = 1 + random.nextInt(3);
            middle = Math.max(0, random.nextInt(4) - 1);
            lessOther = random.nextBoolean();
            small = random.nextInt(3);
            parts = large + middle + small;
            wanted = Math.max(0, random.nextInt(5) - 2);
            more = Math.max(0, random.nextInt(5) - 2);
            switches = random.nextInt(byName ? 2 : 3);
            inRow = random.nextInt(4) == 0;
            if (parts > 1 && random.nextInt(4) == 0) {
                among.set(random.nextInt(free.length));
            }
            if (random.nextInt(3) == 0) {
                Choice first = choice(random, free.length, parts);
                boolean prefers = random.nextBoolean();
                choices.add(new Choice(first.nodes(), first.counts(), prefers));
                choices.add(choice(random, free.length, parts));
            }
            extra = more < 2 ? random.nextInt(2) : 0;
            var terms =
                    new Terms(
                                    0,
                                    0,
                                    sizes(),
                                    chosen(),
                                    switches,
                                    Network.LEAVES,
                                    null,
                                    Hours.ALWAYS,
                                    new int[0],
                                    true,
                                    List.of(),
                                    Layout.ANY)
                            .in(new Layout(inRow, 0, among, parts, null, false, null, choices));
            fit = trial.engine.fitClass(byName && switches > 0 ? terms.within(1) : terms);
        }

        /// The nodes of all choices; null where there is none.
        private @Nullable BitSet chosen() {
            var chosen = new BitSet();
            choices.forEach(it -> chosen.or(it.nodes()));
            return choices.isEmpty() ? null : chosen;
        }

        private List<Size> sizes() {
            var sizes = new ArrayList<Size>();
            sizes.add(new Size(large, List.of(part(gpus + 1, more + extra))));
            if (middle > 0) {
                sizes.add(new Size(middle, List.of(part(middleGpus(), middleMore()))));
            }
            if (small > 0) {
                sizes.add(new Size(small, List.of(part(gpus, more))));
            }
            return sizes;
        }

        private int middleGpus() {
            return lessOther ? gpus + 1 : gpus;
        }

        private int middleMore() {
            return lessOther ? more : more + extra;
        }

        private Demand part(int some, int also) {
            return new Demand(1, 1, some, 0).alsoWith(Counted.of(0, also)).with(Counted.of(wanted));
        }

        /// Some of the nodes, of which so many of one group and so many of another one.
        private static Choice choice(Random random, int nodes, int parts) {
            var counts = new ArrayList<Count>();
            int first = random.nextInt(parts + 1);
            int second = random.nextInt(parts - first + 1);
            for (int least : new int[] {first, second}) {
                if (least > 0 && parts > 1) {
                    counts.add(new Count(some(random, nodes), least));
                }
            }
            return new Choice(some(random, nodes), counts);
        }

        private static BitSet some(Random random, int nodes) {
            var some = new BitSet();
            for (int node = 0; node < nodes; node++) {
                some.set(node, random.nextInt(4) > 0);
            }
            return some;
        }

        /// Whether some choice of nodes holds the request now.
        boolean possible() {
            return possible(0);
        }

        /// The same at a later time.
        boolean possible(long at) {
            for (int chosen = 0; chosen < 1 << free.length; chosen++) {
                if (Integer.bitCount(chosen) == parts && holds(chosen, at)) {
                    return true;
                }
            }
            return false;
        }

        private boolean holds(int chosen, long at) {
            int enough = 0;
            int enoughForMiddle = 0;
            int domains = 0;
            int first = Integer.numberOfTrailingZeros(chosen);
            int last = Integer.SIZE - Integer.numberOfLeadingZeros(chosen);
            if (inRow && last - first > Integer.bitCount(chosen)) {
                return false;
            }
            if (among.stream().anyMatch(node -> (chosen >> node & 1) == 0)) {
                return false;
            }
            if (!choices.isEmpty() && choices.stream().noneMatch(it -> keeps(it, chosen))) {
                return false;
            }
            for (int node = 0; node < free.length; node++) {
                if ((chosen >> node & 1) != 0) {
                    int room = at < heldUntil[node] ? free[node] : 4;
                    int beside = at < othersUntil[node] ? others[node] : 2;
                    int left = at < heldUntil[node] ? counted[node] : Trial.COUNTED;
                    if (beside < more) {
                        return false;
                    }
                    if (room < gpus || left < wanted) {
                        return false;
                    }
                    if (domain[node] < 0 && switches > 0 && parts > 1) {
                        return false;
                    }
                    boolean forMiddle = room >= middleGpus() && beside >= middleMore();
                    boolean forLarge = room > gpus && beside >= more + extra;
                    enough += forLarge ? 1 : 0;
                    enoughForMiddle += forMiddle ? 1 : 0;
                    domains |= domain[node] < 0 ? 0 : 1 << domain[node];
                }
            }
            return enough >= large
                    && (middle == 0 || enoughForMiddle >= large + middle)
                    && (switches == 0 || Integer.bitCount(domains) <= switches);
        }

        boolean found() {
            var rank = new Rank(0, 0, 0, 1, 0);
            trial.jobs.put(1L, new Trial.Job(1, 0, parts, gpus, 60, 60, 0));
            trial.engine.wait(1, fit, trial.engine.association(0), rank, 60_000);
            trial.pass(false);
            return trial.starts.containsKey(1L);
        }
    }

    /// Whether nodes, as bits, are such as a choice says: every way to share them out is tried.
    static boolean keeps(Choice choice, int chosen) {
        int nodes = bits(choice.nodes());
        return (chosen & ~nodes) == 0 && dealt(choice.counts(), chosen);
    }

    private static boolean dealt(List<Count> counts, int left) {
        if (counts.isEmpty()) {
            return true;
        }
        Count first = counts.getFirst();
        for (int some = left; some > 0; some = (some - 1) & left) {
            if (Integer.bitCount(some) == first.least()
                    && (some & ~bits(first.nodes())) == 0
                    && dealt(counts.subList(1, counts.size()), left & ~some)) {
                return true;
            }
        }
        return false;
    }

    private static int bits(BitSet nodes) {
        return nodes.stream().map(node -> 1 << node).sum();
    }

    @Test
    void under_one_switch_in_one_domain_or_anywhere_no_place_is_missed() {
        int ofThreeSizes = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var it = new Case(new Random(seed));
            boolean able = it.fit.able();
            boolean found = it.found();
            if (it.switches < 2) {
                assertThat(able).as("seed %d, if nothing ran", seed).isEqualTo(it.possible(EMPTY));
                assertThat(found).as("seed %d", seed).isEqualTo(it.possible());
                ofThreeSizes += found && it.extra > 0 && it.middle > 0 && it.small > 0 ? 1 : 0;
            }
        }
        assertThat(ofThreeSizes).isGreaterThanOrEqualTo(SEEDS / 1000);
    }

    @Test
    void a_gang_is_expected_as_soon_as_there_is_a_place() {
        int later = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var it = new Case(new Random(seed));
            if (it.switches < 2 && !it.found()) {
                Long first = null;
                for (long at = EMPTY; at > 0; at -= END) {
                    first = it.possible(at) ? (Long) (at + Buckets.SLACK_MILLIS) : first;
                }
                assertThat(it.trial.expected.get(1L)).as("seed %d", seed).isEqualTo(first);
                later += first != null && first > END + Buckets.SLACK_MILLIS ? 1 : 0;
            }
        }
        assertThat(later).isPositive();
    }

    @Test
    void a_gang_under_one_switch_is_refused_where_its_only_row_of_nodes_is_under_none() {
        int[] leaves = {0, 1, -1, -1};
        var trial = new Trial(Settings.DEFAULT, new Network(List.of(leaves)), 4, 4, 4, 4);
        var only = new BitSet();
        only.set(2, 4);
        List<@Nullable Demand> demand = List.of(new Demand(1, 1, 1, 0));
        var inRow = new Layout(true, 0, new BitSet(), 2, null, false, null, List.of());

        FitClass fit =
                trial.engine.fitClass(new Terms(0, 0, 2, 0, demand, demand, only, 1).in(inRow));

        assertThat(fit.able()).isFalse();
        assertThat(fit.capable()).isFalse();
    }

    @Test
    void a_node_that_a_gang_must_have_is_in_though_others_fill_what_is_counted() {
        var network = new Network(List.of(new int[4], new int[4]));
        var trial = new Trial(Settings.DEFAULT, network, 4, 4, 4, 4);
        var first = new BitSet();
        first.set(0);
        var last = new BitSet();
        last.set(3);
        var all = new BitSet();
        all.set(0, 4);
        List<@Nullable Demand> demand = List.of(new Demand(1, 1, 1, 0));
        var choices = List.of(new Choice(all, List.of(new Count(first, 1))));
        FitClass fit =
                trial.engine.fitClass(
                        new Terms(0, 0, 3, 0, demand, demand, null, 1)
                                .in(new Layout(false, 0, last, 3, null, false, null, choices)));
        trial.jobs.put(1L, new Trial.Job(1, 0, 3, 1, 60, 60, 0));
        trial.engine.wait(1, fit, trial.engine.association(0), new Rank(0, 0, 0, 1, 0), 60_000);

        trial.pass(false);

        assertThat(trial.places.get(1L)).contains(0, 3);
    }

    @Test
    void under_two_switches_one_place_in_a_thousand_is_missed_at_most() {
        int possible = 0;
        int missed = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var it = new Case(new Random(seed));
            if (it.switches == 2 && it.possible()) {
                possible++;
                missed += it.found() ? 0 : 1;
            } else if (it.switches == 2) {
                assertThat(it.found()).as("seed %d", seed).isFalse();
            }
        }
        assertThat(possible).isGreaterThanOrEqualTo(SEEDS / 1000);
        assertThat(missed).isLessThanOrEqualTo(possible / 1000);
    }

    /// Up to 4 nodes with up to 3 shared GPUs, of which runs hold parts.
    @Test
    void a_part_of_a_gpu_goes_to_the_fullest_gpu_that_has_it_and_is_never_missed() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            int[] nodes = new int[1 + random.nextInt(4)];
            Arrays.setAll(nodes, _ -> -1 - random.nextInt(3));
            var trial = new Trial(Settings.DEFAULT, nodes);
            int[][] free = new int[nodes.length][];
            long id = 100;
            for (int node = 0; node < nodes.length; node++) {
                free[node] = new int[-nodes[node]];
                for (int slot = 0; slot < free[node].length; slot++) {
                    int held = 250 * random.nextInt(5);
                    free[node][slot] = Trial.WHOLE - held;
                    if (held > 0) {
                        var demand = new Demand[] {new Demand(1, 1, held, 1 + slot)};
                        trial.engine.run(id++, new int[] {node}, demand, 0, 1000);
                    }
                }
            }
            int share = 50 * (1 + random.nextInt(20));
            trial.submit(new Trial.Job(1, 0, 1, 0, 60, 60, 0, share));

            trial.step(false);

            int least =
                    Arrays.stream(free)
                            .flatMapToInt(Arrays::stream)
                            .filter(it -> it >= share)
                            .min()
                            .orElse(0);
            assertThat(trial.starts.containsKey(1L)).as("seed %d", seed).isEqualTo(least > 0);
            if (least > 0) {
                Demand got = trial.engine.cluster.demandsOf(1)[0];
                assertThat(free[trial.engine.cluster.nodesOf(1)[0]][got.lane() - 1])
                        .as("seed %d: %s", seed, got)
                        .isEqualTo(least);
            }
        }
    }

    /// Up to 8 nodes in up to 3 blocks, some of them held, and gangs of nodes that are alike.
    @Test
    void gangs_in_segments_are_never_missed_nor_split_over_blocks_nor_in_more_than_they_need() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            int[] blocks = new int[2 + random.nextInt(7)];
            Arrays.setAll(blocks, _ -> random.nextInt(4) - 1);
            int[] gpusOf = new int[blocks.length];
            Arrays.fill(gpusOf, 4);
            var network = new Network(List.of(new int[blocks.length]), new int[0], List.of(blocks));
            var trial = new Trial(Settings.DEFAULT, network, gpusOf);
            int[] free = new int[3];
            for (int node = 0; node < blocks.length; node++) {
                if (random.nextInt(3) == 0) {
                    Demand[] all = {new Demand(4, 1, 4, 0)};
                    trial.engine.run(100 + node, new int[] {node}, all, 0, 1000);
                } else if (blocks[node] >= 0) {
                    free[blocks[node]]++;
                }
            }
            int segment = 1 + random.nextInt(3);
            int parts = segment * (segment == 1 ? 2 : 1) * (1 + random.nextInt(2));
            List<@Nullable Demand> on = List.of(new Demand(1, 1, 4, 0));
            FitClass fit =
                    trial.engine.fitClass(
                            new Terms(0, 0, parts, 0, on, on, null, 0)
                                    .in(
                                            new Layout(
                                                    false,
                                                    segment,
                                                    new BitSet(),
                                                    parts,
                                                    null,
                                                    false,
                                                    null,
                                                    List.of())));
            trial.jobs.put(1L, new Trial.Job(1, 0, parts, 4, 60, 60, 0));
            trial.engine.wait(1, fit, trial.engine.association(0), new Rank(0, 0, 0, 1, 0), 60_000);
            trial.pass(false);

            int whole = Arrays.stream(free).map(it -> it / segment).sum();
            boolean found = trial.starts.containsKey(1L);
            assertThat(found).as("seed %d", seed).isEqualTo(whole >= parts / segment);
            if (found) {
                int[] nodes = trial.engine.cluster.nodesOf(1);
                var used = new BitSet();
                for (int first = 0; first < parts; first += segment) {
                    int block = blocks[nodes[first]];
                    used.set(block);
                    for (int next = first; next < first + segment; next++) {
                        assertThat(blocks[nodes[next]]).as("seed %d", seed).isEqualTo(block);
                    }
                }
                assertThat(used.cardinality())
                        .as("seed %d", seed)
                        .isEqualTo(fewest(free, segment, parts / segment));
            }
        }
    }

    private static int fewest(int[] free, int segment, int segments) {
        int fewest = free.length;
        for (int chosen = 1; chosen < 1 << free.length; chosen++) {
            int holds = 0;
            for (int block = 0; block < free.length; block++) {
                holds += (chosen >> block & 1) * (free[block] / segment);
            }
            fewest = holds >= segments ? Math.min(fewest, Integer.bitCount(chosen)) : fewest;
        }
        return fewest;
    }
}
