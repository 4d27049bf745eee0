package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.orders;
import static io.berth.core.testing.TestCell.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Runs that end with notice.
final class NoticeTest {

    private static final NodeName N1 = new NodeName("n1");

    private final TestCell cell = new TestCell();

    @BeforeEach
    void a_run_that_gives_way_within_a_minute() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, TestCell.gpus(1, 8, null));
        cell.round();
        cell.started(1, 1, "n1");
    }

    private List<Fact> preempt(JobState state) {
        return preempt(1, state);
    }

    private List<Fact> preempt(long job, JobState state) {
        var draft = new Draft(cell.state);
        JobState ending = state == JobState.PENDING ? JobState.PREEMPTED : null;
        Endings.decide(
                draft,
                new JobId(job),
                new Outcome(
                        state, Reason.NONE, ExitStatus.SUCCESS, null, ending, cell.now + 60_000),
                cell.now);
        List<Fact> facts = draft.facts();
        facts.forEach(cell.state::replay);
        return facts;
    }

    private List<Fact> comesBack() {
        return cell.take(
                new Input.Registered(
                        TestCell.seen(
                                "n1",
                                8,
                                8,
                                "a100",
                                "again",
                                "boot",
                                List.of(new HeldRun(run(1, 1), HeldRun.Phase.RUNNING)))));
    }

    @Test
    void its_nodes_are_told_until_when_it_has_time() {
        List<Fact> facts = preempt(JobState.PENDING);

        assertThat(orders(facts))
                .containsExactly(new Order.Stop(N1, 1, 2, run(1, 1), JobState.PREEMPTED, 60, true));
        assertThat(cell.job(1).state()).isEqualTo(JobState.COMPLETING);
    }

    @Test
    void a_requeued_job_waits_again_and_its_run_says_why_it_ended() {
        preempt(JobState.PENDING);

        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).ended().getLast().ending()).isEqualTo(JobState.PREEMPTED);
    }

    @Test
    void a_node_that_comes_back_goes_on_with_what_is_left_of_it() {
        preempt(JobState.PENDING);
        cell.now += 20_000;

        List<Fact> facts = comesBack();

        assertThat(orders(facts))
                .containsExactly(
                        new Order.Sync(N1, 2, "again", List.of(run(1, 1))),
                        new Order.Stop(N1, 2, 1, run(1, 1), JobState.PREEMPTED, 40, true));
    }

    @Test
    void a_cancel_cuts_it_short_and_decides_what_becomes_of_a_job_that_was_to_wait_again() {
        preempt(JobState.PENDING);

        List<Fact> facts = cell.cancel(1);
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(orders(facts))
                .containsExactly(
                        new Order.Stop(
                                N1,
                                1,
                                3,
                                run(1, 1),
                                JobState.CANCELLED,
                                Endings.KILL_WAIT_SECONDS));
        assertThat(cell.job(1).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void a_cancel_cuts_it_short_for_a_job_that_ends_anyway_as_what_was_decided_first() {
        preempt(JobState.PREEMPTED);

        List<Fact> facts = cell.cancel(1);
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(orders(facts)).hasSize(1);
        assertThat(cell.job(1).state()).isEqualTo(JobState.PREEMPTED);
    }

    /// Job 2 on two nodes, which is told to give way within a minute five seconds ago.
    private void preemptOnTwoNodes(LaunchMode launch) {
        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        cell.node("n2", 8, 8, "a100");
        cell.submit(2, "batch", TestCell.gpus(2, 8, null), launch, true);
        cell.round();
        for (String node : List.of("n1", "n2")) {
            cell.ready(2, 1, node);
            cell.started(2, 1, node);
        }
        preempt(2, JobState.PENDING);
        cell.now += 5_000;
    }

    @Test
    void the_other_nodes_of_a_script_that_has_ended_do_not_wait_for_the_end_of_its_grace() {
        preemptOnTwoNodes(LaunchMode.BATCH);

        List<Fact> facts = cell.ended(2, 1, "n1", Cause.STOPPED, 0);

        assertThat(orders(facts))
                .containsExactly(
                        new Order.Stop(
                                new NodeName("n2"),
                                1,
                                3,
                                run(2, 1),
                                JobState.PREEMPTED,
                                Endings.KILL_WAIT_SECONDS));
        cell.ended(2, 1, "n2", Cause.STOPPED, 0);
        assertThat(cell.job(2).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void a_script_that_is_not_the_only_one_ends_for_itself() {
        preemptOnTwoNodes(LaunchMode.PER_NODE);

        assertThat(orders(cell.ended(2, 1, "n1", Cause.STOPPED, 0))).isEmpty();
    }

    @Test
    void a_node_that_only_holds_the_run_of_a_script_elsewhere_does_not_end_its_grace() {
        preemptOnTwoNodes(LaunchMode.BATCH);

        assertThat(orders(cell.ended(2, 1, "n2", Cause.STATUS_LOST, 0))).isEmpty();
    }

    @Test
    void what_a_run_lost_is_known_at_its_end() {
        cell.now += 100_000;
        preempt(JobState.PENDING);
        cell.now += 20_000;
        cell.take(new Input.Reported(new RunReport.CheckpointSaved(run(1, 1), N1, 1, 1, 5_000)));

        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(cell.job(1).ended().getLast().lostGpuMillis()).isEqualTo(8 * 5_000);
    }

    @Test
    void of_a_run_that_gave_way_to_nobody_nothing_was_lost() {
        cell.ended(1, 1, "n1", Cause.EXITED, 1);

        assertThat(cell.job(1).ended().getLast().lostGpuMillis()).isNull();
    }
}
