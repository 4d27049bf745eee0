package io.berth.core.placement;

import static io.berth.core.testing.TestCell.events;
import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Amendment;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.core.state.Fact;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Jobs that take less time where they then start sooner. On the only node 4 of 8 GPUs are held for
/// nine minutes more, and all 8 are planned for another job from then on.
final class TimeMinTest {

    private final TestCell cell = new TestCell();

    @BeforeEach
    void fill() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(10, gpus(1, 4, null));
        cell.round();
        cell.now += 60_000;
        cell.submit(11, gpus(1, 8, null));
        cell.round();
    }

    /// A job of 4 GPUs and ten minutes.
    private void submit(long id, long leastSeconds) {
        cell.submit(
                id,
                TestCell.job(gpus(1, 4, null), 600)
                        .on(JobTerms.NONE.with(to -> to.timeMinSeconds = leastSeconds)));
    }

    private long limit(long id) {
        return cell.job(id).description().timeLimitSeconds();
    }

    @Test
    void a_job_has_as_much_time_as_there_is_before_a_plan() {
        Planned ahead = Objects.requireNonNull(cell.job(11).planned());
        submit(1, 300);

        List<Fact> facts = cell.round();

        assertThat(cell.where(1)).hasSize(1);
        assertThat(limit(1)).isEqualTo(540);
        assertThat(cell.job(11).planned()).isEqualTo(ahead);
        assertThat(orders(facts))
                .extracting(order -> ((Order.Launch) order).timeLimitSeconds())
                .containsExactly(540L);
        assertThat(events(facts))
                .filteredOn(JobEvent.Amended.class::isInstance)
                .extracting(it -> ((JobEvent.Amended) it).description().timeLimitSeconds())
                .containsExactly(540L);
    }

    @Test
    void a_job_waits_where_there_is_less_time_than_it_takes() {
        submit(1, 541);

        cell.round();

        assertThat(cell.where(1)).isEmpty();
        assertThat(limit(1)).isEqualTo(600);
    }

    @Test
    void a_job_that_has_its_whole_time_keeps_it() {
        cell.cancel(11);
        submit(1, 300);

        cell.round();

        assertThat(cell.where(1)).hasSize(1);
        assertThat(limit(1)).isEqualTo(600);
    }

    @Test
    void a_planned_job_starts_with_less_time_when_something_comes_free() {
        submit(12, 600);
        submit(1, 300);
        cell.round();
        assertThat(cell.where(12)).isEmpty();
        assertThat(cell.where(1)).hasSize(1);
        submit(2, 300);
        cell.round();
        assertThat(cell.job(2).planned()).isNotNull();
        cell.now += 60_000;

        cell.ended(1, 1, "n1", RunReport.Cause.EXITED, 0);
        cell.round();

        assertThat(cell.where(2)).hasSize(1);
        assertThat(limit(2)).isEqualTo(480);
    }

    @Test
    void a_job_that_waits_again_asks_for_its_whole_time() {
        submit(1, 300);
        cell.round();
        assertThat(limit(1)).isEqualTo(540);
        cell.ask(new Submission.RequeueRequested(new JobId(1), "alice", false));

        List<Fact> facts = cell.ended(1, 1, "n1", RunReport.Cause.STOPPED, 0);

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(limit(1)).isEqualTo(600);
        assertThat(cell.job(1).description().conditions().askedLimitSeconds()).isNull();
        assertThat(events(facts)).hasAtLeastOneElementOfType(JobEvent.Amended.class);
    }

    @Test
    void terms_that_are_changed_as_it_starts_do_not_take_its_whole_time_from_it() {
        submit(1, 300);
        JobDescription waiting = cell.job(1).description();
        cell.round();
        assertThat(limit(1)).isEqualTo(540);

        JobDescription changed = amended(waiting.conditions()).applied(cell.job(1).description());

        assertThat(changed.conditions().askedLimitSeconds()).isEqualTo(600);
    }

    private static Amendment amended(JobTerms terms) {
        return new Amendment(null, null, null, null, null, null, null, null, terms, null);
    }
}
