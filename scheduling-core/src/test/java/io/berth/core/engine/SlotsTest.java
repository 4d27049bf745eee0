package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Usable.Candidate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Who has the places that are counted, against trying every set of nodes. A failure names its
/// seed.
final class SlotsTest {

    private static final int SEEDS = 3_000;
    private static final int NODES = 7;

    private final Cluster cluster = new Trial(Settings.DEFAULT, new int[NODES]).engine.cluster;

    @Test
    void those_that_are_offered_first_are_in_as_far_as_any_deal_has_them() {
        int picked = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            int parts = 1 + random.nextInt(5);
            Choice choice = choice(random, parts);
            List<Candidate> ordered = new ArrayList<>(candidates(choice));
            Collections.shuffle(ordered, random);

            List<Candidate> found = Slots.pick(choice, parts, ordered);

            assertThat(found).as("seed %d", seed).isEqualTo(best(choice, parts, ordered));
            picked += found == null ? 0 : 1;
        }
        assertThat(picked).isBetween(SEEDS / 10, SEEDS - SEEDS / 10);
    }

    @Test
    void nodes_are_such_as_a_choice_says_or_not() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            int parts = 1 + random.nextInt(5);
            Choice choice = choice(random, parts);
            int[] nodes = random.ints(0, NODES).distinct().limit(parts).toArray();
            int bits = 0;
            for (int node : nodes) {
                bits |= 1 << node;
            }

            assertThat(Slots.fill(choice, nodes))
                    .as("seed %d", seed)
                    .isEqualTo(OracleTest.keeps(choice, bits));
        }
    }

    private static Choice choice(Random random, int parts) {
        var counts = new ArrayList<Count>();
        int left = parts;
        while (left > 0 && counts.size() < 4 && random.nextInt(4) > 0) {
            int least = 1 + random.nextInt(Math.min(2, left));
            counts.add(new Count(some(random, 2), least));
            left -= least;
        }
        return new Choice(some(random, 4), counts);
    }

    /// All but one in so many nodes.
    private static BitSet some(Random random, int one) {
        var some = new BitSet();
        for (int node = 0; node < NODES; node++) {
            some.set(node, random.nextInt(one) > 0);
        }
        return some;
    }

    private List<Candidate> candidates(Choice choice) {
        return choice.nodes().stream()
                .mapToObj(it -> new Candidate(cluster.node(it), Demand.NOTHING, 0))
                .toList();
    }

    /// Of all sets that will do the one whose nodes come first in the order.
    private static @Nullable List<Candidate> best(
            Choice choice, int parts, List<Candidate> ordered) {
        // The first one is the highest bit: the greatest number is the first in the order.
        for (int set = (1 << ordered.size()) - 1; set > 0; set--) {
            var some = new ArrayList<Candidate>();
            int bits = 0;
            for (int at = 0; at < ordered.size(); at++) {
                if ((set >> (ordered.size() - 1 - at) & 1) != 0) {
                    some.add(ordered.get(at));
                    bits |= 1 << ordered.get(at).node().index;
                }
            }
            if (some.size() == parts && OracleTest.keeps(choice, bits)) {
                return some;
            }
        }
        return null;
    }
}
