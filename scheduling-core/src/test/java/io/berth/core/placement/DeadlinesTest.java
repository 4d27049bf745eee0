package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Amendment;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Unplanned;
import io.berth.core.engine.Unplanned.Cause;
import io.berth.core.testing.TestCell;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Jobs that end if they have not started in time. Of two nodes with 8 GPUs one is held for ten
/// minutes, and free after ten minutes and two seconds.
final class DeadlinesTest {

    private static final long FREE = 602_000;

    private final TestCell cell = new TestCell();

    @BeforeEach
    void fill() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(10, gpus(1, 8, null));
        cell.round();
        cell.node("n2", 8, 8, "a100");
    }

    /// Of ten minutes.
    private static JobDescription job(ResourceRequest request, JobTerms terms) {
        return TestCell.job(request, 600).on(terms);
    }

    private JobTerms deadline(long in, @Nullable Long timeMin) {
        return JobTerms.NONE.with(to -> {
            to.deadlineAt = cell.now + in;
            to.timeMinSeconds = timeMin;
        });
    }

    private static JobTerms maxWait(long seconds) {
        return JobTerms.NONE.with(to -> to.maxWaitSeconds = seconds);
    }

    private @Nullable Long start(long id) {
        Planned planned = cell.job(id).planned();
        return planned == null ? null : planned.start() - cell.now;
    }

    /// It must end, or the shortest time that it takes, by its deadline.
    @ParameterizedTest
    @CsvSource({"1201999, , ", "1202000, ,602000", "661999,60, ", "662000,60,602000"})
    void a_job_is_expected_at_the_last_moment_at_which_it_starts_and_at_none_after(
            long in, @Nullable Long timeMin, @Nullable Long start) {
        cell.submit(1, job(gpus(2, 8, null), deadline(in, timeMin)));

        cell.round();

        assertThat(start(1)).isEqualTo(start);
        if (start != null) {
            cell.now += start;
            cell.ended(10, 1, "n1", RunReport.Cause.EXITED, 0);
            cell.round();
            assertThat(cell.where(1)).hasSize(2);
        }
    }

    @ParameterizedTest
    @CsvSource({"602, ", "603,602000"})
    void the_same_holds_of_how_long_it_waits_at_most(long seconds, @Nullable Long start) {
        cell.submit(1, job(gpus(2, 8, null), maxWait(seconds)));

        cell.round();

        assertThat(start(1)).isEqualTo(start);
    }

    @Test
    void a_job_that_ends_before_there_is_room_for_it_keeps_no_node_and_is_told_so() {
        cell.submit(1, job(gpus(2, 8, null), deadline(900_000, null)));
        cell.submit(2, TestCell.job(gpus(1, 8, null), 3600));

        cell.round();

        assertThat(start(1)).isNull();
        assertThat(cell.where(2)).hasSize(1);
        var placement = new Placement(cell.state, Settings.DEFAULT);
        assertThat(placement.explain(new JobId(1), cell.now).orElseThrow().unplanned())
                .isEqualTo(new Unplanned(Cause.DEADLINE, 0));
        cell.now += 300_001;
        cell.round();
        assertThat(cell.job(1).state()).isEqualTo(JobState.DEADLINE);
    }

    @Test
    void a_deadline_that_moves_gives_an_expected_start_and_takes_it() {
        cell.submit(1, job(gpus(2, 8, null), deadline(900_000, null)));
        cell.round();
        amend(deadline(2_000_000, null));
        cell.round();
        assertThat(start(1)).isEqualTo(FREE);

        amend(deadline(900_000, null));
        cell.round();

        assertThat(start(1)).isNull();
    }

    private void amend(JobTerms terms) {
        var change = new Amendment(null, null, null, null, null, null, null, null, terms, null);
        cell.ask(new Submission.Amended(new JobId(1), "alice", change));
    }

    @Test
    void jobs_that_start_together_are_expected_before_the_first_of_them_ends() {
        JobDescription any = TestCell.job(gpus(1, 8, null), 600);
        cell.submitTogether(1, any, job(gpus(1, 8, null), deadline(900_000, null)));
        cell.submitTogether(4, any, job(gpus(1, 8, null), deadline(1_202_000, null)));

        cell.round();

        assertThat(start(1)).isNull();
        assertThat(start(2)).isNull();
        assertThat(start(4)).isEqualTo(FREE);
        assertThat(start(5)).isEqualTo(FREE);
    }
}
