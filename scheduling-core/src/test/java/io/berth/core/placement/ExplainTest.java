package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Tres;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Unplanned;
import io.berth.core.engine.Unplanned.Cause;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.placement.Verdict.Question;
import io.berth.core.placement.Verdict.Stage;
import io.berth.core.placement.Verdict.Together;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ExplainTest {

    private final TestCell cell = new TestCell();

    private static Verdict explain(TestCell cell, long job) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(job), cell.now)
                .orElseThrow();
    }

    private static JobDescription job(String partition, ResourceRequest request, long seconds) {
        return TestCell.job(request, seconds).in(partition);
    }

    @Test
    void a_component_of_a_heterogeneous_job_tells_which_one_finds_no_nodes_beside_the_others() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 4, "a100");
        cell.submitTogether(
                1, job("batch", gpus(1, 4, null), 600), job("batch", gpus(1, 8, null), 600));
        cell.submitTogether(
                4, job("batch", gpus(1, 4, null), 600), job("batch", gpus(1, 8, null), 600));
        cell.round();

        assertThat(explain(cell, 4).together()).isEqualTo(together(4, 5L));
        assertThat(explain(cell, 5).together()).isEqualTo(together(4, 5L));
        assertThat(explain(cell, 5).changes()).isEmpty();
    }

    private static Together together(long first, long unseated) {
        return new Together(new JobId(first), 2, new JobId(unseated));
    }

    @Test
    void each_question_tells_how_many_nodes_and_free_gpus_are_left() {
        cell.node("n1", 8, 4, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.node("n3", 8, 8, "a100");
        cell.node("n4", 8, 8, "h100");
        cell.submit(1, job("batch", gpus(1, 6, "a100"), 600));
        cell.round();
        cell.submit(2, job("batch", gpus(1, 8, "a100"), 600));
        cell.submit(3, job("batch", gpus(1, 8, "a100"), 600));
        cell.submit(4, job("batch", gpus(1, 8, "a100"), 600));
        cell.round();

        Verdict verdict = explain(cell, 3);

        assertThat(verdict.stages())
                .containsExactly(
                        new Stage(Question.REGISTERED, 4, 6),
                        new Stage(Question.PARTITION, 4, 6),
                        new Stage(Question.CONSTRAINTS, 4, 6),
                        new Stage(Question.SIZE, 2, 2),
                        new Stage(Question.AVAILABLE, 2, 2),
                        new Stage(Question.UNRESERVED, 2, 2),
                        new Stage(Question.NEIGHBOURS, 2, 2),
                        new Stage(Question.FREE, 0, 0),
                        new Stage(Question.UNPLANNED, 0, 0));
    }

    @Test
    void the_most_gpus_and_the_other_type_that_would_start_it_are_found() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "h100");
        cell.submit(1, job("batch", gpus(1, 3, "a100"), 600));
        cell.submit(2, job("batch", gpus(1, 8, "a100"), 600));
        cell.round();

        Verdict verdict = explain(cell, 2);

        assertThat(verdict.changes())
                .containsExactly(
                        new Change(Axis.GPUS, "8", "5"), new Change(Axis.GPU_TYPE, "a100", "h100"));
    }

    @Test
    void the_longest_limit_that_ends_before_the_job_ahead_starts_is_found() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, job("batch", gpus(1, 4, null), 1200));
        cell.submit(2, job("batch", gpus(1, 8, null), 1200));
        cell.round();
        cell.submit(3, job("batch", gpus(1, 2, null), 3000));
        cell.round();

        Verdict verdict = explain(cell, 3);

        assertThat(verdict.stages().getLast()).isEqualTo(new Stage(Question.UNPLANNED, 0, 0));
        assertThat(verdict.changes()).containsExactly(new Change(Axis.TIME_LIMIT, "3000", "1200"));
    }

    @Test
    void who_holds_what_it_waits_for_is_told_in_the_order_of_their_ends() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "h100");
        cell.submit(1, job("batch", gpus(1, 3, "a100"), 1200));
        cell.submit(2, job("batch", gpus(1, 2, "a100"), 600));
        cell.submit(3, job("batch", gpus(1, 2, "a100"), 3600));
        cell.submit(4, job("batch", gpus(1, 8, "h100"), 60));
        cell.round();
        cell.submit(5, job("batch", gpus(1, 6, "a100"), 600));
        cell.round();

        Verdict verdict = explain(cell, 5);

        assertThat(verdict.holders().stream().map(it -> it.job().value())).containsExactly(2L, 1L);
        assertThat(verdict.planned())
                .isNotNull()
                .extracting(Planned::start)
                .isEqualTo(verdict.holders().getLast().until());
    }

    @Test
    void who_is_not_expected_is_told_of_nobody_who_holds_anything() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, job("batch", gpus(1, 8, null), 0));
        cell.submit(2, job("batch", gpus(1, 16, null), 600));
        cell.round();

        assertThat(explain(cell, 2).holders()).isEmpty();
    }

    @Test
    void a_job_that_the_plan_does_not_reach_is_told_how_many_it_holds() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, job("batch", gpus(1, 8, null), 1200));
        cell.submit(2, job("batch", gpus(1, 8, null), 1200));
        cell.round();
        cell.submit(3, job("batch", gpus(1, 8, null), 1200));

        assertThat(explain(cell, 2).unplanned()).isNull();
        assertThat(explain(cell, 3).unplanned()).isEqualTo(new Unplanned(Cause.PLAN, 1));
    }

    @Test
    void a_job_behind_as_much_as_its_limit_lets_run_is_told_so() {
        var four = new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.GPU, 4L)));
        cell.take(new Input.Configured(TestCell.configuration(four)));
        cell.node("n1", 16, 8, "a100");
        cell.submit(1, "bob", gpus(1, 4, null));
        cell.submit(2, "carol", gpus(1, 4, null));
        cell.round();
        cell.submit(3, "alice", gpus(1, 4, null));
        cell.submit(4, "alice", gpus(1, 4, null));
        cell.round();

        assertThat(explain(cell, 3).unplanned()).isNull();
        assertThat(explain(cell, 4).unplanned()).isEqualTo(new Unplanned(Cause.LIMITS, 0));
    }

    @Test
    void fewer_nodes_are_found_for_a_gang() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.node("n3", 8, 8, "a100");
        cell.submit(1, job("batch", gpus(1, 1, null), 1200));
        cell.submit(2, job("batch", gpus(3, 8, null), 1200));
        cell.round();

        Verdict verdict = explain(cell, 2);

        assertThat(verdict.changes())
                .containsExactly(new Change(Axis.GPUS, "8", "7"), new Change(Axis.NODES, "3", "2"));
    }

    @Test
    void nothing_is_told_that_its_partition_does_not_take() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, job("pair", gpus(2, 4, null), 1800));
        cell.round();

        assertThat(explain(cell, 1).changes())
                .as("of a partition of one node a job")
                .containsExactly(
                        new Change(Axis.NODES, "2", "1"),
                        new Change(Axis.PARTITION, "pair", "batch"));
    }

    @Test
    void nothing_is_told_of_a_task_that_its_array_lets_not_start() {
        cell.node("n1", 8, 8, "a100");
        var two = new JobArray(IndexSet.parse("0-1"), 1, List.of(new JobArray.Ids(1, 2)));
        cell.submit(1, job("batch", gpus(1, 2, null), 1800), two);
        cell.round();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.JOB_ARRAY_TASK_LIMIT);

        assertThat(explain(cell, 2).changes()).isEmpty();
    }

    @Test
    void a_job_that_runs_has_no_explanation() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 1, null));
        cell.round();

        var verdict = new Placement(cell.state, Settings.DEFAULT).explain(new JobId(1), cell.now);

        assertThat(verdict).isEmpty();
    }
}
