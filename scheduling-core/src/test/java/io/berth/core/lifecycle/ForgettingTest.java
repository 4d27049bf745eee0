package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Dependency;
import io.berth.contracts.Dependency.Clause;
import io.berth.contracts.Dependency.Type;
import io.berth.contracts.EndedJobs;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobTerms;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.Fact;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How long ended jobs stay known. Job 1 is the first to end.
final class ForgettingTest {

    private static final int MOST = 10_000;
    private static final long LEAST_AGE = 300_000;
    private static final long DAY = 86_400_000;

    private final TestCell cell = new TestCell();

    private void ends(long id) {
        cell.submit(id, cpus(1));
        cell.cancel(id);
    }

    /// So many jobs end, with the numbers from 1,001 on: each as job 999, which ends too.
    private void end(int jobs) {
        ends(999);
        JobStatus like = cell.job(999);
        for (int i = 1; i <= jobs; i++) {
            cell.state.replay(new Fact.JobChanged(numbered(like, 1000 + i)));
        }
    }

    private static JobStatus numbered(JobStatus like, long id) {
        return new JobStatus(
                new JobId(id),
                like.description(),
                like.submittedBy(),
                like.spec(),
                like.key(),
                like.submission(),
                like.submittedAt(),
                like.state(),
                like.reason(),
                like.rank(),
                like.run(),
                like.ended(),
                like.endedAt(),
                like.exit(),
                like.cancelledBy(),
                like.message());
    }

    private List<Long> forgotten() {
        return Forgetting.due(cell.state, cell.now).stream().map(it -> it.job().value()).toList();
    }

    @Test
    void a_job_is_forgotten_a_day_after_its_end() {
        ends(1);
        cell.now += DAY;

        cell.round();

        assertThat(cell.state.jobs()).isEmpty();
    }

    @Test
    void few_ended_jobs_stay_for_a_day() {
        ends(1);
        end(MOST - 2);
        cell.now += DAY - 1;

        assertThat(forgotten()).isEmpty();
    }

    @Test
    void of_many_the_first_to_end_go_before_that() {
        ends(1);
        cell.now += 1;
        ends(2);
        cell.now += 1;
        end(MOST - 2);
        long next = Forgetting.next(cell.state);
        cell.now = next;

        cell.round();

        assertThat(next).isEqualTo(1_000_000 + LEAST_AGE);
        assertThat(cell.state.job(new JobId(1))).isEmpty();
        assertThat(cell.state.ended().size()).isEqualTo(MOST);
    }

    @Test
    void the_configuration_says_how_many_stay_and_how_long() {
        cell.configure(to -> to.ended = new EndedJobs(2, 60, 600));
        ends(1);
        ends(2);
        ends(3);
        cell.now += 59_999;
        List<Long> atOnce = forgotten();
        cell.now += 1;
        List<Long> soon = forgotten();
        cell.now += 539_999;
        List<Long> later = forgotten();
        cell.now += 1;

        assertThat(atOnce).isEmpty();
        assertThat(soon).containsExactly(1L);
        assertThat(later).containsExactly(1L);
        assertThat(forgotten()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void none_goes_within_the_least_age() {
        ends(1);
        end(MOST);
        cell.now += LEAST_AGE - 1;

        assertThat(forgotten()).isEmpty();
    }

    @Test
    void a_round_forgets_no_more_than_it_looks_at() {
        end(MOST + 2 * Forgetting.STEPS);
        cell.now += LEAST_AGE;

        cell.round();

        assertThat(cell.state.ended().size()).isEqualTo(MOST + Forgetting.STEPS + 1);
        assertThat(Forgetting.next(cell.state)).isLessThanOrEqualTo(cell.now);
    }

    @Test
    void a_job_that_another_waits_for_stays() {
        ends(1);
        cell.submit(2, after(1));
        cell.now += 1;
        end(MOST);
        cell.now += LEAST_AGE;

        assertThat(forgotten()).doesNotContain(1L).isNotEmpty();
    }

    private static JobDescription after(long other) {
        JobDescription plain = job(cpus(1), 600);
        var clause = new Clause(Type.AFTEROK, new JobId(other), null, 0);
        return new JobDescription(
                plain.user(),
                plain.account(),
                plain.partition(),
                plain.qos(),
                plain.name(),
                plain.request(),
                plain.launch(),
                plain.timeLimitSeconds(),
                plain.nice(),
                plain.requeue(),
                JobTerms.NONE.with(to -> to.dependency = new Dependency(false, List.of(clause))));
    }

    @Test
    void a_task_stays_while_another_of_its_array_lives() {
        var two = new JobArray(IndexSet.firstN(2), 0, List.of(new JobArray.Ids(1, 2)));
        cell.submit(1, job(cpus(1), 600), two);
        cell.cancel(1);
        end(MOST);
        cell.now += LEAST_AGE;
        List<Long> whileItLives = forgotten();
        cell.cancel(2);
        cell.now += LEAST_AGE;

        assertThat(whileItLives).doesNotContain(1L);
        assertThat(forgotten()).contains(1L);
    }

    @Test
    void a_component_stays_while_another_of_its_set_lives() {
        cell.submitTogether(1, job(cpus(1), 600), job(cpus(1), 600));
        JobStatus first = cell.job(1);
        cell.cancel(1);
        cell.state.replay(new Fact.JobChanged(first));
        end(MOST);
        cell.now += LEAST_AGE;
        List<Long> whileItLives = forgotten();
        cell.cancel(1);
        cell.now += LEAST_AGE;

        assertThat(whileItLives).doesNotContain(2L);
        assertThat(forgotten()).contains(2L);
    }

    @Test
    void a_job_stays_until_the_budgets_have_its_runs() {
        ends(1);
        cell.state.replay(
                new Fact.FairSharesTaken(new FairShares(1, 0, 0, List.of(), cell.now, List.of())));
        cell.now += 1;
        end(MOST);
        cell.now += LEAST_AGE;
        List<Long> before = forgotten();
        long after = 1_000_001L;
        cell.state.replay(
                new Fact.FairSharesTaken(new FairShares(2, 0, 0, List.of(), after, List.of())));

        assertThat(before).isEmpty();
        assertThat(forgotten()).containsExactly(1L);
    }
}
