package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Reach.Longest;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Until when the jobs of a class could have nodes, by what was seen and what came free since.
final class ReachTest {

    private static final int[] NONE = {};

    /// Of gangs of two, on nodes of which the even and the odd ones lie under a switch each.
    private final Reach underOneSwitch = new Reach(new int[] {0, 1, 0, 1, 0, -1}, 2, true);

    private static Longest longest(int parts, int[] nodes, long... untils) {
        var longest = new Longest(parts);
        for (int i = 0; i < nodes.length; i++) {
            longest.add(nodes[i], untils[i]);
        }
        return longest;
    }

    private void seen(@Nullable Longest... groups) {
        underOneSwitch.set(groups);
    }

    @Test
    void a_node_that_comes_free_again_counts_once() {
        var reach = new Reach(null, 1, true);
        reach.set(new Longest[] {longest(3, new int[] {7, 8}, 50, 60)});
        assertThat(reach.end()).isZero();

        reach.raise(8, 90);
        assertThat(reach.end()).isZero();

        reach.raise(9, 40);
        assertThat(reach.end()).isEqualTo(40);
    }

    @Test
    void the_nodes_of_a_gang_are_under_the_switch_where_it_can_have_them_longest() {
        seen(longest(2, new int[] {0, 2}, 10, 50), longest(2, new int[] {1, 3}, 20, 30));
        assertThat(underOneSwitch.end()).isEqualTo(20);
        assertThat(underOneSwitch.holds(0, 20, NONE)).isFalse();
        assertThat(underOneSwitch.holds(0, 20, new int[] {4})).isTrue();
        assertThat(underOneSwitch.holds(1, 20, NONE)).isTrue();

        underOneSwitch.raise(4, 40);
        assertThat(underOneSwitch.end()).isEqualTo(40);

        underOneSwitch.raise(5, 100);
        assertThat(underOneSwitch.end()).isEqualTo(40);
    }

    @Test
    void what_is_kept_for_a_job_counts_only_beside_nodes_under_the_same_switch() {
        seen(longest(2, new int[] {0}, 50), longest(2, NONE));

        assertThat(underOneSwitch.holds(50, new int[] {2})).isTrue();
        assertThat(underOneSwitch.holds(51, new int[] {2})).isFalse();
        assertThat(underOneSwitch.holds(50, new int[] {0})).isFalse();
        assertThat(underOneSwitch.holds(50, new int[] {3})).isFalse();
        assertThat(underOneSwitch.holds(50, new int[] {3, 1})).isTrue();
    }

    @Test
    void
            a_search_that_failed_for_another_reason_than_too_few_nodes_holds_until_something_comes_free() {
        var reach = new Reach(null, 1, true);
        reach.set(new Longest[] {longest(2, new int[] {0, 1}, 80, 90)});
        reach.lower(29);
        assertThat(reach.end()).isEqualTo(29);
        assertThat(reach.holds(30, NONE)).isFalse();
        assertThat(reach.holds(30, new int[] {0})).isTrue();

        reach.raise(0, 80);
        assertThat(reach.end()).isEqualTo(29);

        reach.raise(2, 50);
        assertThat(reach.end()).isEqualTo(50);
    }

    @Test
    void a_node_that_could_be_had_already_may_now_hold_the_larger_part() {
        var reach = new Reach(null, 1, false);
        reach.set(new Longest[] {longest(2, new int[] {0, 1}, 80, 90)});
        reach.lower(29);

        reach.raise(0, 80);

        assertThat(reach.end()).isEqualTo(80);
    }

    @Test
    void it_is_as_long_as_the_nodes_last_whatever_comes_free() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            int parts = 2 + random.nextInt(4);
            int[] leaves = random.ints(12, -1, 2).toArray();
            boolean flat = random.nextBoolean();
            var reach = new Reach(flat ? null : leaves, flat ? 1 : 2, true);
            long[] untils = random.longs(12, 0, 9).toArray();
            reach.set(seen(untils, parts, flat ? new int[12] : leaves, flat ? 1 : 2));
            for (int step = 0; step < 30; step++) {
                int node = random.nextInt(12);
                untils[node] = Math.max(untils[node], random.nextInt(12));
                reach.raise(node, untils[node]);

                assertThat(reach.end())
                        .as("seed %s, step %s", seed, step)
                        .isEqualTo(longest(untils, parts, flat ? new int[12] : leaves));
            }
        }
    }

    private static Longest[] seen(long[] untils, int parts, int[] groupOf, int groups) {
        var seen = new Longest[groups];
        Arrays.setAll(seen, _ -> new Longest(parts));
        for (int node = 0; node < untils.length; node++) {
            if (groupOf[node] >= 0) {
                seen[groupOf[node]].add(node, untils[node]);
            }
        }
        return seen;
    }

    private static long longest(long[] untils, int parts, int[] groupOf) {
        return IntStream.range(0, 2)
                .mapToLong(group -> {
                    long[] rising =
                            IntStream.range(0, untils.length)
                                    .filter(node -> groupOf[node] == group)
                                    .mapToLong(node -> untils[node])
                                    .sorted()
                                    .toArray();
                    return rising.length < parts ? 0 : rising[rising.length - parts];
                })
                .max()
                .orElse(0);
    }
}
