package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Drain.Emptied;
import io.berth.core.engine.Drain.Hold;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Rank;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Run 1 holds one CPU, one MiB and both instances of GPU A. A runs empty for job 2; for job 3,
/// which wants all CPUs of the node, the run gives way.
final class DebtsTest {

    private static final int RUN = 1;
    private static final int DIVIDES = 2;
    private static final int CLEARS = 3;
    private static final int[] NODE = {0};
    private static final List<Demand> TWO = List.of(new Demand(0, 0, 2, 0));
    private static final Demand HELD = new Demand(1, 1, 2, 0);
    private static final Demand GPUS = new Demand(0, 0, 2, 0);
    private static final Demand CPU = new Demand(1, 1, 0, -1);

    private final Scheduling engine = new Trial(Settings.DEFAULT, 2).engine;

    @BeforeEach
    void run() {
        engine.run(RUN, NODE, new Demand[] {HELD}, 1_000_000, Stake.told(1_000_000, false));
        waiting(DIVIDES, CPU, true);
        waiting(CLEARS, new Demand(64, 1, 0, -1), false);
    }

    private void waiting(long job, Demand wants, boolean divisible) {
        List<@Nullable Demand> demand = List.of(wants);
        FitClass fit = engine.fitClass(new Terms(0, 0, 1, 0, demand, demand, null, 0), divisible);
        engine.wait(job, fit, engine.association(0), new Rank(0, 0, 0, job, 0), 60_000);
    }

    private void divide() {
        var a = new Emptied("A", TWO, List.of(new Hold(RUN, TWO)), 0);
        var drain = new Drain(0, List.of(a), CPU, 1000);
        engine.plan(DIVIDES, new Expected(1_001_000, NODE, -1, 1, drain));
    }

    private void clear() {
        engine.clear(CLEARS, 0, NODE, 0, 1_000_000, List.of((long) RUN));
    }

    /// What others count on when the run ends.
    private Demand returned() {
        return Arrays.stream(engine.cluster.node(0).runs().steps())
                .filter(it -> it.job() == RUN)
                .map(Node.Step::demand)
                .reduce(Demand.NOTHING, Demand::and);
    }

    @Test
    void a_run_that_owes_nobody_returns_all() {
        assertThat(returned()).isEqualTo(HELD);
    }

    @Test
    void each_debt_alone_is_taken_off() {
        divide();
        assertThat(returned()).isEqualTo(CPU);
        engine.forget(DIVIDES);
        clear();
        assertThat(returned()).isEqualTo(GPUS);
    }

    @Test
    void a_clearing_adds_to_what_is_owed_to_a_gpu_that_runs_empty() {
        divide();
        clear();
        assertThat(returned()).isEqualTo(Demand.NOTHING);
    }

    @Test
    void a_gpu_that_runs_empty_adds_to_what_is_owed_to_a_clearing() {
        clear();
        divide();
        assertThat(returned()).isEqualTo(Demand.NOTHING);
    }

    @Test
    void when_one_creditor_has_gone_the_other_is_still_owed() {
        clear();
        divide();
        engine.forget(DIVIDES);
        assertThat(returned()).isEqualTo(GPUS);
    }

    @Test
    void when_the_clearing_has_gone_the_gpu_still_runs_empty() {
        divide();
        clear();
        engine.forget(CLEARS);
        assertThat(returned()).isEqualTo(CPU);
    }

    @Test
    void who_is_told_to_go_still_owes_what_he_owed() {
        engine.run(RUN, NODE, new Demand[] {HELD}, 1_000_000, new Stake(0, 0, 0, 0, 1, 0, false));
        divide();
        engine.cluster.giveWay(RUN, 0, 1000);
        assertThat(returned()).isEqualTo(CPU);
    }

    @Test
    void what_two_are_owed_is_owed_once() {
        engine.forget(CLEARS);
        waiting(CLEARS, HELD, false);
        clear();
        divide();
        assertThat(returned()).isEqualTo(Demand.NOTHING);
    }

    @Test
    void a_run_that_begins_anew_owes_nothing_of_before() {
        divide();
        clear();
        engine.forget(RUN);
        engine.forget(DIVIDES);
        engine.forget(CLEARS);
        engine.run(RUN, NODE, new Demand[] {HELD}, 2_000_000, null);
        assertThat(returned()).isEqualTo(HELD);
    }
}
