package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobState;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.core.state.Fact;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How a partition uses its nodes: the least loaded first, and with time beyond the limit.
final class PartitionUseTest {

    private final TestCell cell = new TestCell();

    private void batch(Use use) {
        var rules =
                new PartitionRules(
                        State.UP, 1, 0, 0, List.of(), List.of(), List.of(), List.of(), null, null,
                        0, false, null, null, use);
        TestPartition.change(cell, "batch", rules);
    }

    @Test
    void the_least_loaded_node_is_taken_where_the_partition_says_so() {
        batch(new Use(0, 0, 0, true, List.of("ALL"), false));
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 16, 8, "a100");
        for (long job = 1; job <= 9; job++) {
            cell.submit(job, gpus(1, 0, null));
        }

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0:");
        assertThat(cell.where(9)).as("8 are free on each").containsExactly("n1:0:");
    }

    @Test
    void a_run_goes_on_beyond_its_limit_for_as_long_as_the_partition_says() {
        batch(new Use(0, 0, 120, false, List.of("ALL"), false));
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 1, null));
        List<Fact> facts = cell.round();
        cell.started(1, 1, "n1");

        cell.now += 660_000;
        cell.round();
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        cell.now += 120_000;
        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.COMPLETING);
        assertThat(orders(facts))
                .extracting(order -> ((Order.Launch) order).overTimeSeconds())
                .containsExactly(120L);
    }
}
