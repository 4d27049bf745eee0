package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Rank;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// 20 leaf switches with 35 nodes each, of which one is busy for long: more free nodes than a
/// search for an expected start looks at.
final class FewSwitchesTest {

    private static final int LEAVES = 20;
    private static final int NODES = 35;
    private static final long NOW = 1_000_000;
    private static final long HOUR = 3_600_000;
    private static final List<@Nullable Demand> WHOLE = List.of(new Demand(8, 1024, 8, 0));

    /// @param hours by leaf, when its busy node comes free, if not after 10
    private static Expected planned(int parts, int switches, Map<Integer, Integer> hours) {
        var leaf = new int[LEAVES * NODES];
        Arrays.setAll(leaf, node -> node / NODES);
        var cluster =
                new Cluster(
                        List.of(new Kind(64, 65_536, 8)),
                        new int[leaf.length],
                        new Network(List.of(leaf, new int[leaf.length])));
        var engine = new Scheduling(cluster, Settings.DEFAULT);
        for (int at = 0; at < LEAVES; at++) {
            long until = NOW + hours.getOrDefault(at, 10) * HOUR;
            Demand[] held = {new Demand(8, 1024, 8, 0)};
            engine.run(1000 + at, new int[] {at * NODES + 5}, held, until, null);
        }
        FitClass fit = engine.fitClass(new Terms(0, 0, parts, 0, WHOLE, WHOLE, null, switches));
        engine.wait(1, fit, engine.association(0), new Rank(0, 0, 0, 1, NOW), HOUR);
        engine.startPass(NOW, new Unlimited());
        return Objects.requireNonNull(engine.expected(1), "an expected start");
    }

    private static int[] leaves(Expected expected) {
        return IntStream.of(expected.nodes()).map(it -> it / NODES).distinct().sorted().toArray();
    }

    @Test
    void a_gang_that_needs_all_nodes_of_a_switch_waits_for_the_one_that_is_free_first() {
        Expected expected = planned(NODES, 1, Map.of(7, 1, 12, 2));

        assertThat(expected.start()).isEqualTo(NOW + HOUR);
        assertThat(leaves(expected)).containsExactly(7);
    }

    @Test
    void a_gang_that_needs_two_switches_waits_for_the_two_that_are_free_first() {
        Expected expected = planned(2 * NODES, 2, Map.of(3, 4, 7, 1, 12, 2));

        assertThat(expected.start()).isEqualTo(NOW + 2 * HOUR);
        assertThat(leaves(expected)).containsExactly(7, 12);
    }
}
