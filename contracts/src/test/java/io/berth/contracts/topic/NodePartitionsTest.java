package io.berth.contracts.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.NodeName;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodePartitionsTest {
    /// These numbers are where agents look for their orders: they can never change.
    @ParameterizedTest
    @CsvSource({"gpu-01,8,2", "gpu-02,8,0", "gpu-01,256,90", "n,8,2"})
    void a_node_has_its_partition_for_ever(String node, int partitions, int expected) {
        assertThat(NodePartitions.of(new NodeName(node), partitions)).isEqualTo(expected);
    }

    @Test
    void a_partition_is_always_one_of_those_that_there_are() {
        for (long seed = 0; seed < 1000; seed++) {
            var random = new Random(seed);
            int partitions = 1 + random.nextInt(300);
            var node = new NodeName("n" + random.nextInt(100_000));

            assertThat(NodePartitions.of(node, partitions))
                    .as("seed %d", seed)
                    .isBetween(0, partitions - 1);
        }
    }

    @Test
    void the_nodes_of_a_fleet_use_all_partitions() {
        var used =
                IntStream.range(0, 1000)
                        .map(i -> NodePartitions.of(new NodeName("gpu-" + i), 8))
                        .distinct()
                        .count();

        assertThat(used).isEqualTo(8);
    }
}
