package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Drain.Emptied;
import io.berth.core.engine.Drain.Hold;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Rank;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// One node has six instances, two each of the GPUs A, B and C, held by runs to 1,000, 2,000 and
/// 3,000 seconds. A runs empty for a job; one ahead of it is expected to start on two instances
/// after 2,000 seconds.
final class DrainsTest {

    private static final int[] NODE = {0};
    private static final List<Demand> TWO = List.of(new Demand(0, 0, 2, 0));
    private static final Emptied A = new Emptied("A", TWO, List.of(new Hold(1, TWO)), 0);
    private static final Emptied B = new Emptied("B", TWO, List.of(new Hold(2, TWO)), 0);

    private final Scheduling engine = new Trial(Settings.DEFAULT, 6).engine;
    private final Association association = engine.association(0);

    @BeforeEach
    void plan() {
        for (int run = 1; run <= 3; run++) {
            engine.run(run, NODE, new Demand[] {new Demand(1, 1, 2, 0)}, run * 1_000_000L, null);
        }
        waiting(4, 1);
        waiting(5, 3);
        engine.plan(4, new Expected(1_001_000, NODE, -1, 1, drain(A)));
        engine.plan(5, new Expected(2_000_000, NODE, -1, 2));
        engine.cluster.settle();
    }

    private Waiting waiting(long job, long priority) {
        List<@Nullable Demand> demand = List.of(new Demand(1, 1, 2, 0));
        FitClass fit = engine.fitClass(new Terms(0, 0, 1, 0, demand, demand, null, 0), true);
        return engine.wait(job, fit, association, new Rank(priority, 0, 0, job, 0), 60_000);
    }

    private static Drain drain(Emptied... gpus) {
        return new Drain(0, List.of(gpus), new Demand(1, 1, 0, -1), 1000);
    }

    private boolean blocked(Drain... drains) {
        Waiting job = waiting(6, 2);
        engine.cluster.settle();
        var decisions =
                new Decisions() {
                    @Override
                    public boolean admits(Waiting job) {
                        return true;
                    }

                    @Override
                    public List<Drain> drains(Waiting job, List<Long> beside, long before) {
                        return List.of(drains);
                    }

                    @Override
                    public void started(Waiting job, int[] nodes, int lane) {
                        throw new AssertionError("a look starts nobody");
                    }

                    @Override
                    public void planned(Waiting job, long start, int[] nodes, long place) {
                        throw new AssertionError("a look plans nothing");
                    }

                    @Override
                    public void unplanned(Waiting job) {
                        throw new AssertionError("a look voids no plan");
                    }
                };
        return engine.drains.blocked(job, 0, decisions);
    }

    @Test
    void one_choice_that_would_take_from_somebody_ahead_does_not_spoil_the_next() {
        assertThat(blocked(drain(A, B))).isFalse();
        assertThat(blocked(drain(B))).isTrue();
        assertThat(blocked(drain(A, B), drain(B))).isTrue();
    }

    @Test
    void a_look_frees_nothing() {
        blocked(drain(A, B), drain(B));

        assertThat(engine.cluster.settle().isEmpty()).isTrue();
    }

    @Test
    void what_ran_empty_for_a_job_that_has_gone_is_free_for_others() {
        engine.forget(4);

        assertThat(engine.cluster.settle().get(0)).isTrue();
        assertThat(engine.cluster.node(0).covers(0, 0)).isTrue();
        assertThat(engine.drains("A")).isFalse();
    }
}
