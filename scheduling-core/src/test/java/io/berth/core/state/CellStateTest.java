package io.berth.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.testing.TestCell;
import org.junit.jupiter.api.Test;

final class CellStateTest {

    private final TestCell cell = new TestCell();

    @Test
    void a_copy_has_the_rank_of_a_job_that_has_not_come_yet_and_knows_which_id_is_next() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, TestCell.cpus(1));
        cell.rank(7, 10);
        cell.state.seenUpTo(9);

        CellState copy = cell.state.copy();

        assertThat(copy.facts())
                .isEqualTo(cell.state.facts())
                .anyMatch(Fact.RankKept.class::isInstance);
        assertThat(copy.highestJob()).isEqualTo(9);
    }

    @Test
    void a_copy_changes_by_itself() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, TestCell.gpus(1, 3, null));
        CellState before = cell.state.copy();

        cell.round();

        assertThat(before.holding()).isEmpty();
        assertThat(cell.state.copy().holding()).isEqualTo(cell.state.holding()).isNotEmpty();
    }
}
