package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Reason;
import io.berth.contracts.Spending;
import io.berth.contracts.Tres;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.FairShares.Budget;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A node of eight GPUs, and a QOS that has 60 GPU-minutes; each job may take ten minutes.
final class PlacementBudgetsTest {

    private static final long MINUTE = 60_000;
    private static final long BUDGET = 60;

    private final TestCell cell = new TestCell();
    private long version;

    PlacementBudgetsTest() {
        var limits = new Limits(Map.of(), Map.of(Limit.GRP_TRES_MINS, Map.of(Tres.GPU, BUDGET)));
        cell.take(new Input.Configured(TestCell.configuration(limits)));
        cell.node("n1", 16, 8, "a100");
    }

    private Input booked(long until, long gpuMinutes) {
        var spent = new Spending(new Charge(0, 0, gpuMinutes * MINUTE, 0, 0), 0);
        return new Input.SharesRead(
                new FairShares(
                        ++version,
                        cell.now,
                        0,
                        List.of(),
                        until,
                        List.of(new Budget("qos/normal", spent))));
    }

    private void run(long id, long minutes) {
        cell.round();
        cell.ready(id, 1, "n1");
        cell.now += minutes * MINUTE;
        cell.ended(id, 1, "n1", Cause.EXITED, 0);
    }

    @Test
    void running_jobs_count_with_all_that_they_may_take() {
        cell.submit(1, "alice", gpus(1, 4, null));
        cell.submit(2, "alice", gpus(1, 3, null));
        cell.submit(3, "alice", gpus(1, 2, null));

        cell.round();

        assertThat(cell.where(1)).isNotEmpty();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_GRP_GRES_MINUTES);
        assertThat(cell.where(3)).isNotEmpty();
    }

    @Test
    void what_a_run_left_of_its_time_is_free_again() {
        cell.submit(1, "alice", gpus(1, 6, null));
        run(1, 5);
        cell.submit(2, "alice", gpus(1, 3, null));
        cell.submit(3, "alice", gpus(1, 1, null));

        cell.round();

        assertThat(cell.where(2)).isNotEmpty();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.QOS_GRP_GRES_MINUTES);
    }

    @Test
    void a_run_counts_once_before_and_after_the_books_know_of_it() {
        cell.submit(1, "alice", gpus(1, 6, null));
        run(1, 5);
        cell.take(booked(cell.now, 0));
        cell.submit(2, "alice", gpus(1, 4, null));
        cell.round();
        Reason before = cell.job(2).reason();

        cell.take(booked(cell.now + 1, 30));
        cell.submit(3, "alice", gpus(1, 3, null));
        cell.round();

        assertThat(before).isEqualTo(Reason.QOS_GRP_GRES_MINUTES);
        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_GRP_GRES_MINUTES);
        assertThat(cell.where(3)).isNotEmpty();
    }

    @Test
    void what_has_decayed_lets_a_job_start() {
        cell.take(booked(cell.now, 30));
        cell.submit(1, "alice", gpus(1, 4, null));
        cell.round();
        JobState before = cell.job(1).state();

        cell.take(booked(cell.now, 20));
        cell.round();

        assertThat(before).isEqualTo(JobState.PENDING);
        assertThat(cell.where(1)).isNotEmpty();
    }

    /// Books that are late, and now and then go back as after a restored dump.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void no_budget_is_ever_exceeded_and_what_is_kept_from_round_to_round_changes_nothing(
            long seed) {
        var random = new Random(seed);
        var kept = new Placement(cell.state, Settings.DEFAULT);
        for (int id = 1; id <= 60; id++) {
            note(kept, cell.submit(id, "alice", gpus(1, 1 + random.nextInt(3), null)));
            cell.now += 1 + random.nextLong(2 * MINUTE);
            for (JobId job : List.copyOf(cell.state.holding())) {
                if (random.nextInt(3) == 0) {
                    note(kept, cell.ready(job.value(), 1, "n1"));
                    note(kept, cell.ended(job.value(), 1, "n1", Cause.EXITED, 0));
                }
            }
            if (random.nextBoolean()) {
                long until = Math.max(0, cell.now + 1 - random.nextLong(4 * MINUTE));
                note(kept, cell.take(books(until)));
            }

            List<Fact> placed = Engine.place(cell.state, kept, cell.now, Pass.PLAN);
            List<Fact> fresh =
                    Engine.place(
                            cell.state,
                            new Placement(cell.state, Settings.DEFAULT),
                            cell.now,
                            Pass.PLAN);

            assertThat(placed).isEqualTo(fresh);
            placed.forEach(cell.state::replay);
            note(kept, placed);
            assertThat(spent(Long.MAX_VALUE) + committed()).isLessThanOrEqualTo(BUDGET * MINUTE);
        }
        assertThat(spent(Long.MAX_VALUE)).isPositive();
    }

    private static void note(Placement kept, List<Fact> facts) {
        facts.forEach(kept::note);
    }

    private Input books(long until) {
        var spent = new Spending(new Charge(0, 0, spent(until), 0, 0), 0);
        return new Input.SharesRead(
                new FairShares(
                        ++version,
                        cell.now,
                        0,
                        List.of(),
                        until,
                        List.of(new Budget("qos/normal", spent))));
    }

    /// GPU-milliseconds of the runs that ended before.
    private long spent(long until) {
        return new ArrayList<>(cell.state.jobs())
                .stream()
                        .flatMap(job -> job.ended().stream())
                        .filter(run -> run.freedAt() < until)
                        .mapToLong(run -> run.charge().gpuMillis())
                        .sum();
    }

    /// GPU-milliseconds that the running jobs may take.
    private long committed() {
        return cell.state.holding().stream()
                .map(cell.state::knownJob)
                .map(JobStatus::description)
                .mapToLong(it -> it.request().totalGpus() * it.timeLimitSeconds() * 1000)
                .sum();
    }
}
