package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ClusterTest {

    private static final int[] NODE = {0};

    /// Whoever waits is looked at again where something came free.
    @Test
    void nothing_comes_free_when_it_is_told_where_a_run_lies() {
        var kind =
                new Kind(
                        8,
                        100,
                        new int[] {2},
                        new int[0],
                        new int[0],
                        new int[0],
                        1,
                        Counted.of(1, 1));
        var cluster = new Cluster(List.of(kind), new int[1], Network.FLAT);
        var asked = new Demand(1, 10, 1, 0);
        cluster.run(1, NODE, new Demand[] {asked}, 1000, null);
        cluster.settle();

        cluster.seat(1, NODE, new Demand[] {asked.with(Counted.of(0, 1))});

        assertThat(cluster.settle().isEmpty()).isTrue();
        assertThat(cluster.node(0).freeOf(0)).isEqualTo(1);
        assertThat(cluster.node(0).freeOf(1)).isZero();
        assertThat(cluster.node(0).freeGpus()).isEqualTo(1);
        cluster.leave(1);
        assertThat(cluster.settle().get(0)).isTrue();
        assertThat(cluster.node(0).freeOf(1)).isEqualTo(1);
    }
}
