package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Rank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Who gives way, against trying every set of runs, on up to 5 nodes of 4 GPUs. A failure names its
/// seed.
final class VictimSearchTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 3_000);
    private static final int GPUS = 4;
    private static final long NOW = 100_000;
    private static final int JOB = 1;

    private record Run(long job, int[] nodes, int gpus, @Nullable Stake stake) {}

    /// A full cluster, and one job that may preempt.
    private static final class Case {
        final List<Run> runs = new ArrayList<>();
        final int[] free;

        /// By node, its leaf switch, or its domain of a level that is named.
        final int[] leaf;

        final int parts;
        final int gpus;
        final int switches;
        final Preemptor preemptor;
        final Trial trial;
        final Waiting job;

        Case(Random random) {
            free = new int[1 + random.nextInt(5)];
            Arrays.fill(free, GPUS);
            leaf = new int[free.length];
            int leaves = 1 + random.nextInt(2);
            Arrays.setAll(leaf, _ -> random.nextInt(leaves));
            boolean byName = random.nextBoolean();
            var network =
                    byName
                            ? new Network(List.of(), new int[0], List.of(), List.of(leaf))
                            : new Network(List.of(leaf, new int[free.length]));
            trial = new Trial(Settings.DEFAULT, network, free);
            for (int tries = 0; tries < 2 * free.length; tries++) {
                run(random, random.nextInt(3) == 0 ? 2 : 1, 1 + random.nextInt(GPUS));
            }
            var grounds = new BitSet();
            grounds.set(0, 1 + random.nextInt(3));
            preemptor = new Preemptor(grounds, random.nextInt(10) == 0);
            parts = 1 + random.nextInt(3);
            gpus = 1 + random.nextInt(GPUS);
            switches = random.nextInt(2);
            List<@Nullable Demand> demand = List.of(new Demand(1, 1, gpus, 0));
            var terms = new Terms(9, 0, parts, 0, demand, demand, null, switches, preemptor);
            FitClass fit = trial.engine.fitClass(byName && switches > 0 ? terms.within(1) : terms);
            job =
                    trial.engine.wait(
                            JOB, fit, trial.engine.association(0), new Rank(0, 0, 0, 1, 0), 60_000);
        }

        private void run(Random random, int count, int gpus) {
            int[] nodes =
                    random.ints(0, free.length)
                            .distinct()
                            .limit(Math.min(count, free.length))
                            .toArray();
            if (Arrays.stream(nodes).anyMatch(node -> free[node] < gpus)) {
                return;
            }
            Arrays.stream(nodes).forEach(node -> free[node] -= gpus);
            int ground = random.nextInt(4);
            var stake =
                    new Stake(
                            ground,
                            ground,
                            random.nextInt((int) NOW),
                            random.nextInt(5) == 0 ? NOW + 1 : 0,
                            nodes.length,
                            1000 * gpus * nodes.length,
                            false);
            var run = new Run(10 + runs.size(), nodes, gpus, random.nextInt(6) == 0 ? null : stake);
            runs.add(run);
            var demands = new Demand[nodes.length];
            Arrays.fill(demands, new Demand(1, 1, gpus, 0));
            trial.engine.run(run.job(), nodes, demands, NOW + 500_000, run.stake());
        }

        @Nullable Clearing found() {
            return VictimSearch.find(trial.engine, job, NOW, trial);
        }

        Loss loss(Set<Long> victims) {
            Loss loss = Loss.NONE;
            for (Run run : runs) {
                if (victims.contains(run.job()) && run.stake() != null) {
                    loss = loss.and(Loss.of(run.stake(), NOW, VictimOrder.LEAST_LOST));
                }
            }
            return loss;
        }

        /// The least that can be lost; null if nothing helps.
        @Nullable Loss least() {
            List<Run> may =
                    runs.stream()
                            .filter(it -> it.stake() != null && preemptor.takes(it.stake(), NOW))
                            .toList();
            Loss least = null;
            for (int chosen = 0; chosen < 1 << may.size(); chosen++) {
                var victims = new HashSet<Long>();
                for (int i = 0; i < may.size(); i++) {
                    if ((chosen >> i & 1) != 0) {
                        victims.add(may.get(i).job());
                    }
                }
                if (possible(victims)) {
                    Loss loss = loss(victims);
                    least = least == null || loss.compareTo(least) < 0 ? loss : least;
                }
            }
            return least;
        }

        boolean possible(Set<Long> victims) {
            int[] room = free.clone();
            for (Run run : runs) {
                if (victims.contains(run.job())) {
                    Arrays.stream(run.nodes()).forEach(node -> room[node] += run.gpus());
                }
            }
            for (int under = switches == 0 ? 2 : 0; under <= 2; under++) {
                int leafOnly = under;
                long enough =
                        IntStream.range(0, room.length)
                                .filter(node -> leafOnly == 2 || leaf[node] == leafOnly)
                                .filter(node -> room[node] >= gpus)
                                .count();
                if (enough >= parts && (leafOnly < 2 || switches == 0)) {
                    return true;
                }
            }
            return false;
        }
    }

    @Test
    void victims_are_found_exactly_where_there_are_any_and_none_of_them_is_spare() {
        int asked = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var it = new Case(new Random(seed));
            if (it.possible(Set.of())) {
                continue;
            }
            Clearing found = it.found();
            assertThat(found != null).as("seed %d", seed).isEqualTo(it.least() != null);
            if (found != null) {
                asked++;
                var victims = new HashSet<>(found.victims());
                assertThat(it.possible(victims)).as("seed %d", seed).isTrue();
                for (long spared : found.victims()) {
                    var fewer = new HashSet<>(victims);
                    fewer.remove(spared);
                    assertThat(it.possible(fewer)).as("seed %d without %d", seed, spared).isFalse();
                }
            }
        }
        assertThat(asked).isPositive();
    }

    @Test
    void nobody_could_lose_less_for_a_job_of_one_node_and_seldom_for_a_gang() {
        int gangs = 0;
        int dear = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var it = new Case(new Random(seed));
            Clearing found = it.possible(Set.of()) ? null : it.found();
            if (found == null) {
                continue;
            }
            Loss loss = it.loss(new HashSet<>(found.victims()));
            if (it.parts == 1) {
                assertThat(loss).as("seed %d", seed).isEqualTo(it.least());
            } else {
                gangs++;
                dear += loss.equals(it.least()) ? 0 : 1;
                assertThat(loss.rank())
                        .as("seed %d", seed)
                        .isEqualTo(Objects.requireNonNull(it.least()).rank());
            }
        }
        assertThat(gangs).isPositive();
        assertThat(dear).isLessThanOrEqualTo(gangs / 50);
    }

    @Test
    void the_search_leaves_the_cluster_as_it_was() {
        for (int seed = 0; seed < SEEDS / 10; seed++) {
            var it = new Case(new Random(seed));
            String before = picture(it);

            it.found();

            assertThat(picture(it)).as("seed %d", seed).isEqualTo(before);
        }
    }

    private static String picture(Case it) {
        var text = new StringBuilder();
        for (int node = 0; node < it.free.length; node++) {
            Node at = it.trial.engine.cluster.node(node);
            text.append(Arrays.toString(at.free))
                    .append(
                            Arrays.stream(at.runs().steps())
                                    .map(Node.Step::toString)
                                    .sorted()
                                    .toList());
        }
        return text.toString();
    }
}
