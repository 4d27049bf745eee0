package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.cpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Dependency;
import io.berth.contracts.Dependency.Clause;
import io.berth.contracts.Dependency.Type;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Reason;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.testing.TestCell;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which job may start after which. Job 1 is the one depended on.
final class DependenciesTest {

    private static final long DAY = 24 * 3600 * 1000L;

    private final TestCell cell = new TestCell();

    @BeforeEach
    void one_node() {
        cell.node("n1", 8, 0, "a100");
    }

    private static JobDescription job(String name, @Nullable Dependency dependency, boolean kill) {
        return new JobDescription(
                "alice",
                "team",
                "batch",
                "normal",
                name,
                cpus(1),
                LaunchMode.BATCH,
                600,
                0,
                false,
                JobTerms.NONE.with(to -> {
                    to.dependency = dependency;
                    to.killOnInvalidDependency = kill;
                }));
    }

    private static Dependency on(Type type, long... jobs) {
        return new Dependency(
                false,
                Arrays.stream(jobs)
                        .mapToObj(job -> new Clause(type, new JobId(job), null, 0))
                        .toList());
    }

    private void first(JobState state) {
        cell.submit(1, job("first", null, false));
        switch (state) {
            case PENDING -> {}
            case RUNNING -> start(1);
            case CANCELLED -> cell.cancel(1);
            case COMPLETED, FAILED -> {
                start(1);
                cell.ended(1, 1, "n1", Cause.EXITED, state == JobState.FAILED ? 1 : 0);
            }
            default -> throw new IllegalArgumentException(state.name());
        }
    }

    private void start(long id) {
        cell.round();
        cell.started(id, 1, "n1");
    }

    @ParameterizedTest
    @CsvSource({
        "AFTER, PENDING, DEPENDENCY",
        "AFTER, RUNNING, NONE",
        "AFTER, CANCELLED, NONE",
        "AFTERANY, RUNNING, DEPENDENCY",
        "AFTERANY, FAILED, NONE",
        "AFTEROK, RUNNING, DEPENDENCY",
        "AFTEROK, COMPLETED, NONE",
        "AFTEROK, FAILED, DEPENDENCY_NEVER_SATISFIED",
        "AFTEROK, CANCELLED, DEPENDENCY_NEVER_SATISFIED",
        "AFTERNOTOK, RUNNING, DEPENDENCY",
        "AFTERNOTOK, FAILED, NONE",
        "AFTERNOTOK, COMPLETED, DEPENDENCY_NEVER_SATISFIED",
        "AFTERCORR, COMPLETED, NONE",
    })
    void a_dependency_stands_as_the_other_jobs_state_says(
            Type type, JobState state, Reason reason) {
        first(state);

        cell.submit(2, job("second", on(type, 1), false));

        assertThat(cell.job(2).reason()).isEqualTo(reason);
        assertThat(cell.job(2).eligible()).isEqualTo(reason == Reason.NONE);
    }

    @Test
    void the_end_of_a_job_lets_those_start_that_wait_for_it() {
        cell.submit(2, job("second", null, false));
        cell.submit(1, job("first", null, false));
        cell.submit(3, job("third", on(Type.AFTEROK, 1), false));
        cell.round();

        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        cell.round();

        assertThat(cell.job(3).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void a_job_nobody_knows_is_no_obstacle() {
        cell.submit(2, job("second", on(Type.AFTEROK, 999_999), false));

        assertThat(cell.job(2).eligible()).isTrue();
    }

    @Test
    void one_clause_of_several_is_enough_with_a_question_mark() {
        first(JobState.FAILED);
        var either =
                new Dependency(
                        true,
                        List.of(
                                new Clause(Type.AFTEROK, new JobId(1), null, 0),
                                new Clause(Type.AFTERANY, new JobId(1), null, 0)));

        cell.submit(2, job("second", either, false));

        assertThat(cell.job(2).eligible()).isTrue();
    }

    @Test
    void a_delay_counts_from_the_start_of_the_other_job() {
        first(JobState.RUNNING);
        var delayed =
                new Dependency(false, List.of(new Clause(Type.AFTER, new JobId(1), null, 60)));
        cell.submit(2, job("second", delayed, false));
        Reason before = cell.job(2).reason();
        long due = Engine.nextDue(cell.state, cell.now);

        cell.now += 60_000;
        cell.round();

        assertThat(before).isEqualTo(Reason.DEPENDENCY);
        assertThat(due).isEqualTo(cell.now);
        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void jobs_that_can_never_start_are_cancelled_in_a_chain_if_they_wish_so() {
        first(JobState.PENDING);
        cell.submit(2, job("second", on(Type.AFTEROK, 1), true));
        cell.submit(3, job("third", on(Type.AFTEROK, 2), true));
        cell.submit(4, job("fourth", on(Type.AFTERANY, 3), true));

        cell.cancel(1);

        assertThat(cell.job(3).state()).isEqualTo(JobState.CANCELLED);
        assertThat(cell.job(3).reason()).isEqualTo(Reason.DEPENDENCY_NEVER_SATISFIED);
        assertThat(cell.job(4).eligible()).isTrue();
    }

    @Test
    void of_singletons_of_one_name_the_earliest_runs_alone() {
        Dependency alone =
                new Dependency(false, List.of(new Clause(Type.SINGLETON, null, null, 0)));
        cell.submit(1, job("nightly", alone, false));
        cell.submit(2, job("nightly", alone, false));
        cell.submit(3, job("other", alone, false));
        cell.round();
        List<JobState> first = states(1, 2, 3);

        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        cell.round();

        assertThat(first).containsExactly(JobState.RUNNING, JobState.PENDING, JobState.RUNNING);
        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
    }

    private List<JobState> states(long... ids) {
        return Arrays.stream(ids).mapToObj(id -> cell.job(id).state()).toList();
    }

    @Test
    void a_task_of_an_array_follows_the_task_of_its_index() {
        cell.submit(1, job("a", null, false), array(1));
        cell.submit(11, job("b", on(Type.AFTERCORR, 1), false), array(11));
        cell.round();

        cell.ended(2, 1, "n1", Cause.EXITED, 0);

        assertThat(cell.job(11).eligible()).isFalse();
        assertThat(cell.job(12).eligible()).isTrue();
    }

    @Test
    void an_array_has_ended_when_all_its_tasks_have() {
        cell.submit(1, job("a", null, false), array(1));
        cell.submit(11, job("b", on(Type.AFTEROK, 1), false));
        cell.round();
        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        boolean early = cell.job(11).eligible();

        cell.ended(2, 1, "n1", Cause.EXITED, 0);

        assertThat(early).isFalse();
        assertThat(cell.job(11).eligible()).isTrue();
    }

    private static JobArray array(long firstId) {
        return new JobArray(IndexSet.firstN(2), 0, List.of(new JobArray.Ids(firstId, firstId + 1)));
    }

    @Test
    void a_job_that_others_wait_for_is_not_forgotten() {
        first(JobState.FAILED);
        cell.submit(2, job("second", on(Type.AFTEROK, 1), false));

        cell.now += 2 * DAY;
        cell.round();

        assertThat(cell.state.job(new JobId(1))).isPresent();
        assertThat(Engine.nextDue(cell.state, cell.now)).isEqualTo(Long.MAX_VALUE);
    }
}
