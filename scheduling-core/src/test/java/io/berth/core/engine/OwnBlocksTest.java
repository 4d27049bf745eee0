package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Rank;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// A job that has its blocks to itself, against all that could be, on up to 7 nodes of 4 GPUs in up
/// to 3 blocks or in none.
final class OwnBlocksTest {

    private static final int SEEDS = 3000;
    private static final long HOUR = 3_600_000;
    private static final Tenant SOLE = new Tenant(0, false, -1, true);

    private static final class Case {
        final int[] blocks;

        /// By node, when what runs there ends; 0 where nothing runs.
        final long[] ends;

        final int[] held;
        final int parts;
        final int gpus;
        final Trial trial;

        Case(Random random) {
            blocks = new int[2 + random.nextInt(6)];
            Arrays.setAll(blocks, _ -> random.nextInt(4) - 1);
            ends = new long[blocks.length];
            held = new int[blocks.length];
            int[] gpusOf = new int[blocks.length];
            Arrays.fill(gpusOf, 4);
            var network = new Network(List.of(), new int[0], List.of(blocks));
            trial = new Trial(Settings.DEFAULT, network, gpusOf);
            for (int node = 0; node < blocks.length; node++) {
                if (random.nextInt(3) == 0) {
                    held[node] = 1 + random.nextInt(4);
                    ends[node] = HOUR * (1 + random.nextInt(4));
                    Demand[] some = {new Demand(1, 1, held[node], 0)};
                    trial.engine.run(100 + node, new int[] {node}, some, ends[node], null);
                }
            }
            parts = 1 + random.nextInt(3);
            gpus = 1 + random.nextInt(4);
            wait(1, parts, gpus, SOLE);
        }

        private void wait(long job, int nodes, int gpus, Tenant tenant) {
            OwnBlocksTest.wait(trial, job, nodes, gpus, tenant);
        }

        private IntStream block(int node) {
            return IntStream.range(0, blocks.length)
                    .filter(it -> it == node || (blocks[node] >= 0 && blocks[it] == blocks[node]));
        }

        /// Nodes whose blocks nobody is in at a time.
        private long alone(long time) {
            return IntStream.range(0, blocks.length)
                    .filter(node -> block(node).allMatch(it -> ends[it] <= time))
                    .count();
        }

        /// When it could start first; null if that is never.
        @Nullable Long earliest() {
            return IntStream.concat(IntStream.of(0), IntStream.rangeClosed(1, 4))
                    .mapToObj(it -> it * HOUR)
                    .filter(time -> alone(time) >= parts)
                    .findFirst()
                    .orElse(null);
        }
    }

    private static void wait(Trial trial, long job, int nodes, int gpus, Tenant tenant) {
        List<@Nullable Demand> on = List.of(new Demand(1, 1, gpus, 0, tenant));
        FitClass fit = trial.engine.fitClass(new Terms(0, 0, nodes, 0, on, on, null, 0));
        trial.jobs.put(job, new Trial.Job(job, 0, nodes, gpus, 60, 60, 0));
        var rank = new Rank(-job, 0, 0, job, 0);
        trial.engine.wait(job, fit, trial.engine.association(0), rank, 60_000);
    }

    @Test
    void it_is_not_expected_on_a_node_of_its_block_that_is_closed() {
        var network = new Network(List.of(), new int[0], List.of(new int[] {0, 0, 1}));
        var trial = new Trial(Settings.DEFAULT, network, 4, 4, 4);
        trial.engine.open(1, false);
        Demand[] all = {new Demand(1, 1, 4, 0)};
        trial.engine.run(100, new int[] {2}, all, HOUR, null);
        wait(trial, 1, 2, 4, SOLE);
        trial.pass(true);

        trial.pass(true);

        Expected expected = Objects.requireNonNull(trial.engine.expected(1));
        assertThat(expected.start()).isEqualTo(HOUR);
        assertThat(expected.nodes()).containsExactlyInAnyOrder(0, 2);
    }

    @Test
    void it_starts_and_is_expected_exactly_when_enough_nodes_lie_in_blocks_without_others() {
        int now = 0;
        int later = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var it = new Case(new Random(seed));
            Long earliest = it.earliest();

            it.trial.pass(seed % 2 == 0);

            boolean started = it.trial.starts.containsKey(1L);
            Expected expected = it.trial.engine.expected(1);
            assertThat(started).as("seed %d", seed).isEqualTo(earliest != null && earliest == 0);
            assertThat(started || expected != null).as("seed %d", seed).isEqualTo(earliest != null);
            if (expected != null) {
                assertThat(expected.start()).as("seed %d", seed).isEqualTo(earliest);
            }
            now += started ? 1 : 0;
            later += expected == null ? 0 : 1;
        }
        assertThat(now).isPositive();
        assertThat(later).isPositive();
    }

    @Test
    void nobody_else_comes_into_its_blocks_while_it_runs_or_before_it_is_to_start() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var it = new Case(new Random(seed));
            it.trial.pass(false);
            for (int other = 2; other < 20; other++) {
                it.wait(other, 1, 1, Tenant.ANYBODY);
            }
            Expected before = it.trial.engine.expected(1);

            it.trial.pass(seed % 2 == 0);

            if (it.trial.starts.containsKey(1L)) {
                int[] nodes = Objects.requireNonNull(it.trial.places.get(1L));
                Arrays.stream(nodes)
                        .flatMap(it::block)
                        .forEach(node ->
                                assertThat(it.trial.engine.cluster.node(node).runs().steps())
                                        .extracting(Node.Step::job)
                                        .containsOnly(1L));
            } else if (before != null) {
                assertThat(Objects.requireNonNull(it.trial.engine.expected(1)).start())
                        .as("seed %d", seed)
                        .isEqualTo(before.start());
            }
        }
    }

    @Test
    void its_blocks_are_others_again_when_it_has_ended() {
        for (int seed = 0; seed < SEEDS / 10; seed++) {
            var it = new Case(new Random(seed));
            it.trial.pass(false);
            it.trial.engine.forget(1);
            it.wait(2, 1, 1, Tenant.ANYBODY);

            it.trial.pass(false);

            boolean room = Arrays.stream(it.held).anyMatch(held -> held < 4);
            assertThat(it.trial.starts.containsKey(2L)).as("seed %d", seed).isEqualTo(room);
        }
    }
}
