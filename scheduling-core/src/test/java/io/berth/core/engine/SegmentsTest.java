package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Layout;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Rank;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// A job of two nodes in one segment, on blocks of nodes 0 and 1, and of 2 and 3, that may have
/// been others when the log was written.
final class SegmentsTest {

    private static final long JOB = 1;

    private final Trial trial =
            new Trial(
                    Settings.DEFAULT,
                    new Network(List.of(), new int[0], List.of(new int[] {0, 0, 1, 1})),
                    4,
                    4,
                    4,
                    4);

    SegmentsTest() {
        List<@Nullable Demand> on = List.of(new Demand(1, 1, 4, 0));
        var layout = new Layout(false, 2, new BitSet(), 2, null, false, null, List.of());
        FitClass fit = trial.engine.fitClass(new Terms(0, 0, 2, 0, on, on, null, 0).in(layout));
        trial.engine.wait(JOB, fit, trial.engine.association(0), new Rank(0, 0, 0, 1, 0), 60_000);
    }

    @Test
    void a_clearing_of_a_segment_in_one_block_is_taken_over() {
        trial.engine.clear(JOB, 0, new int[] {2, 3}, 0, 1000, List.of());

        assertThat(trial.engine.clears(JOB)).isTrue();
    }

    @Test
    void a_clearing_of_a_segment_in_two_blocks_is_void() {
        trial.engine.clear(JOB, 0, new int[] {1, 2}, 0, 1000, List.of());

        assertThat(trial.engine.clears(JOB)).isFalse();
    }

    @Test
    void a_plan_for_a_segment_in_two_blocks_is_void() {
        trial.engine.plan(JOB, new Expected(0, new int[] {1, 2}, -1, 0));

        assertThat(trial.engine.expected(JOB)).isNull();
    }
}
