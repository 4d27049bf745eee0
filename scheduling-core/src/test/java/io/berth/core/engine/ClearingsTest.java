package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Layout;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Rank;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which nodes go on being cleared for a job when the engine is made anew.
final class ClearingsTest {

    private static Choice choice(int... nodes) {
        var all = new BitSet();
        for (int node : nodes) {
            all.set(node);
        }
        return new Choice(all, List.of());
    }

    @ParameterizedTest
    @CsvSource({"0, 2, true", "1, 3, true", "0, 1, false"})
    void a_clearing_is_void_if_no_choice_of_the_job_has_all_its_nodes(
            int one, int other, boolean kept) {
        Scheduling engine = new Trial(Settings.DEFAULT, 4, 4, 4, 4).engine;
        List<@Nullable Demand> demand = List.of(new Demand(1, 1, 1, 0));
        FitClass fit =
                engine.fitClass(
                        new Terms(0, 0, 2, 0, demand, demand, null, 0)
                                .in(
                                        new Layout(
                                                false,
                                                0,
                                                new BitSet(),
                                                2,
                                                null,
                                                false,
                                                null,
                                                List.of(choice(0, 2), choice(1, 3)))));
        engine.wait(1, fit, engine.association(0), new Rank(0, 0, 0, 1, 0), 60_000);

        engine.clear(1, 0, new int[] {one, other}, 0, 1000, List.of());

        assertThat(engine.clears(1)).isEqualTo(kept);
    }
}
