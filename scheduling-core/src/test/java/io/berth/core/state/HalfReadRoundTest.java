package io.berth.core.state;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.testing.TestCell;
import org.junit.jupiter.api.Test;

/// A reader who learns of the new holder of a GPU before he learns that the old one let go.
final class HalfReadRoundTest {

    private static final NodeName NODE = new NodeName("n1");

    private final TestCell cell = new TestCell();
    private final CellState reader;

    HalfReadRoundTest() {
        cell.node("n1", 8, 1, "a100");
        cell.submit(1, gpus(1, 1, null));
        cell.submit(2, gpus(1, 1, null));
        cell.round();
        cell.started(1, 1, "n1");
        reader = cell.state.copy();
        cell.ended(1, 1, "n1", RunReport.Cause.EXITED, 0);
        cell.round();
        reader.replay(new Fact.JobChanged(cell.job(2)));
    }

    @Test
    void the_rest_of_the_round_puts_it_right() {
        reader.replay(new Fact.JobChanged(cell.job(1)));

        assertThat(reader.heldTwice()).isEmpty();
        assertThat(reader.holdingOn(NODE))
                .usingRecursiveComparison()
                .isEqualTo(cell.state.holdingOn(NODE));
    }

    @Test
    void nobody_decides_on_half_a_round() {
        var placement = new Placement(reader, Settings.DEFAULT);

        assertThatThrownBy(() -> Engine.place(reader, placement, cell.now, Pass.START))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("n1");
    }
}
