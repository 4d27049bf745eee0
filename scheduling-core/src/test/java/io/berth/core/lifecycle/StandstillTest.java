package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.events;
import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static io.berth.core.testing.TestCell.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Hold;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StandstillTest {

    private final TestCell cell = new TestCell();

    @BeforeEach
    void one_node() {
        cell.node("n1", 8, 8, "a100");
    }

    /// Job 1 runs on all CPUs of n1, and has two of its GPUs.
    private void running() {
        cell.submit(1, gpus(1, 2, null));
        cell.round();
        cell.started(1, 1, "n1");
    }

    private void runningOnAllCpus() {
        cell.submit(1, cpus(8));
        cell.round();
        cell.started(1, 1, "n1");
    }

    private List<Fact> suspend() {
        return cell.ask(new Submission.SuspendRequested(new JobId(1), "root"));
    }

    private List<Fact> resume() {
        return cell.ask(new Submission.ResumeRequested(new JobId(1), "root"));
    }

    private List<Fact> suspended(String node, int nth) {
        return cell.take(
                new Input.Reported(
                        new RunReport.Suspended(run(1, 1), new NodeName(node), 1, 1, nth)));
    }

    @Test
    void a_run_is_suspended_once_its_node_has_said_so() {
        running();

        List<Fact> asked = suspend();
        JobState before = cell.job(1).state();
        List<Fact> answered = suspended("n1", 1);

        assertThat(orders(asked))
                .containsExactly(
                        new Order.Suspend(
                                new NodeName("n1"), 1, 2, run(1, 1), 1, Standstill.GRACE_SECONDS));
        assertThat(before).isEqualTo(JobState.RUNNING);
        assertThat(events(answered))
                .containsExactly(
                        new JobEvent.Suspended(
                                new JobId(1), cell.now, 1, SuspendCause.OPERATOR, "root", null));
        assertThat(cell.job(1).state()).isEqualTo(JobState.SUSPENDED);
    }

    @Test
    void its_cpus_come_free_for_others_and_its_gpus_and_memory_do_not() {
        cell.submit(1, gpus(1, 8, null));
        cell.round();
        cell.started(1, 1, "n1");
        cell.submit(2, cpus(8));
        cell.submit(3, gpus(1, 1, null));
        cell.round();
        JobState before = cell.job(2).state();

        suspend();
        suspended("n1", 1);
        cell.round();

        assertThat(before).isEqualTo(JobState.PENDING);
        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(3).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.state.holdingOn(new NodeName("n1")).gpus()).isEqualTo(8);
    }

    @Test
    void it_goes_on_at_once_if_its_cpus_are_free() {
        running();
        suspend();
        suspended("n1", 1);

        List<Fact> facts = resume();

        assertThat(orders(facts)).hasOnlyElementsOfType(Order.Resume.class).hasSize(1);
        assertThat(events(facts)).containsExactly(new JobEvent.Resumed(new JobId(1), cell.now, 1));
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void it_goes_on_when_those_that_got_its_cpus_have_ended_and_nobody_new_gets_them() {
        runningOnAllCpus();
        suspend();
        suspended("n1", 1);
        cell.submit(2, cpus(4));
        cell.submit(3, cpus(4));
        cell.round();
        cell.started(2, 1, "n1");
        cell.started(3, 1, "n1");
        cell.submit(4, cpus(4));

        List<Fact> asked = resume();
        Reason reason = cell.job(1).reason();
        cell.ended(2, 1, "n1", Cause.EXITED, 0);
        cell.round();
        JobState whileOneRuns = cell.job(1).state();
        cell.ended(3, 1, "n1", Cause.EXITED, 0);
        cell.round();

        assertThat(orders(asked)).isEmpty();
        assertThat(reason).isEqualTo(Reason.RESOURCES);
        assertThat(whileOneRuns).isEqualTo(JobState.SUSPENDED);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.NONE);
        assertThat(cell.job(4).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void a_suspension_that_is_taken_back_before_it_was_answered_never_was() {
        running();
        suspend();

        List<Fact> facts = resume();
        List<Fact> late = suspended("n1", 1);

        assertThat(orders(facts)).hasOnlyElementsOfType(Order.Resume.class).hasSize(1);
        assertThat(events(facts)).isEmpty();
        assertThat(late).isEmpty();
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void an_answer_to_an_earlier_suspension_says_nothing() {
        running();
        suspend();
        resume();
        suspend();

        List<Fact> facts = suspended("n1", 1);

        assertThat(facts).isEmpty();
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void a_gang_is_suspended_when_all_its_nodes_have_answered() {
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, "batch", gpus(2, 8, null), LaunchMode.PER_NODE, true);
        cell.round();
        cell.ready(1, 1, "n1");
        cell.ready(1, 1, "n2");
        cell.started(1, 1, "n1");
        cell.started(1, 1, "n2");
        suspend();

        suspended("n1", 1);
        JobState half = cell.job(1).state();
        suspended("n2", 1);

        assertThat(half).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(1).state()).isEqualTo(JobState.SUSPENDED);
    }

    @Test
    void a_gang_of_which_one_node_cannot_goes_on_whole() {
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, "batch", gpus(2, 8, null), LaunchMode.PER_NODE, true);
        cell.round();
        cell.ready(1, 1, "n1");
        cell.ready(1, 1, "n2");
        suspend();
        suspended("n1", 1);

        List<Fact> facts =
                cell.take(
                        new Input.Reported(
                                new RunReport.NotSuspended(
                                        run(1, 1), new NodeName("n2"), 1, 1, 1, "no freezer")));

        assertThat(orders(facts))
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Resume.class,
                        it -> assertThat(it.node()).isEqualTo(new NodeName("n1")));
        assertThat(events(facts))
                .containsExactly(
                        new JobEvent.SuspendFailed(
                                new JobId(1), cell.now, 1, "node n2: no freezer"));
    }

    @Test
    void its_time_limit_does_not_run_and_nothing_is_charged_while_it_stands_still() {
        running();
        cell.now += 100_000;
        suspend();
        suspended("n1", 1);
        cell.now += 3_600_000;
        cell.round();
        JobState muchLater = cell.job(1).state();
        resume();
        cell.now += 400_000;
        cell.round();
        JobState withinItsLimit = cell.job(1).state();

        cell.ended(1, 1, "n1", Cause.EXITED, 0);

        assertThat(muchLater).isEqualTo(JobState.SUSPENDED);
        assertThat(withinItsLimit).isEqualTo(JobState.RUNNING);
        EndedRun run = cell.job(1).ended().getLast();
        assertThat(run.suspendedMillis()).isEqualTo(3_600_000);
        assertThat(run.charge()).extracting(Charge::gpuMillis).isEqualTo(2 * 500_000L);
    }

    @Test
    void a_suspended_run_whose_cpus_are_free_has_its_grace_when_it_is_cancelled() {
        running();
        suspend();
        suspended("n1", 1);

        List<Fact> facts = cell.cancel(1);

        assertThat(orders(facts))
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Stop.class,
                        it -> assertThat(it.graceSeconds()).isEqualTo(Endings.KILL_WAIT_SECONDS));
    }

    @Test
    void one_whose_cpus_are_taken_is_killed_where_it_stands() {
        runningOnAllCpus();
        suspend();
        suspended("n1", 1);
        cell.submit(2, cpus(8));
        cell.round();

        List<Fact> facts = cell.cancel(1);
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(orders(facts))
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Stop.class, it -> assertThat(it.graceSeconds()).isZero());
        assertThat(cell.job(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void a_job_that_an_operator_suspended_is_held_when_it_is_requeued() {
        running();
        suspend();
        suspended("n1", 1);

        cell.ask(new Submission.RequeueRequested(new JobId(1), "root", false));
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(cell.job(1).hold()).isEqualTo(Hold.ADMIN);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.JOB_HELD_ADMIN);
    }

    @Test
    void a_node_that_comes_back_is_told_whether_its_run_stands_still() {
        running();
        suspend();

        List<Fact> running = comesBack(HeldRun.Phase.RUNNING);
        List<Fact> frozen = comesBack(HeldRun.Phase.SUSPENDED);
        JobState agreed = cell.job(1).state();
        resume();
        List<Fact> stillFrozen = comesBack(HeldRun.Phase.SUSPENDED);

        assertThat(orders(running)).hasAtLeastOneElementOfType(Order.Suspend.class);
        assertThat(orders(frozen)).hasOnlyElementsOfType(Order.Sync.class);
        assertThat(agreed).isEqualTo(JobState.SUSPENDED);
        assertThat(orders(stillFrozen)).hasAtLeastOneElementOfType(Order.Resume.class);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    private List<Fact> comesBack(HeldRun.Phase phase) {
        return cell.take(
                new Input.Registered(
                        TestCell.seen(
                                "n1",
                                8,
                                8,
                                "a100",
                                "again-" + cell.facts.size(),
                                "boot",
                                List.of(new HeldRun(run(1, 1), phase)))));
    }

    @Test
    void a_part_that_has_not_begun_stands_still_before_it_may_go() {
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, "batch", gpus(2, 8, null), LaunchMode.PER_NODE, true);
        cell.round();
        cell.ready(1, 1, "n1");
        cell.ready(1, 1, "n2");
        suspend();
        suspended("n1", 1);
        suspended("n2", 1);

        List<Fact> facts = comesBack(HeldRun.Phase.PREPARED);

        assertThat(orders(facts))
                .hasExactlyElementsOfTypes(Order.Sync.class, Order.Suspend.class, Order.Go.class);
    }

    @Test
    void a_suspended_run_that_its_node_lost_waits_again() {
        running();
        suspend();
        suspended("n1", 1);

        cell.node("n1", 8, 8, "a100");
        cell.round();

        assertThat(cell.job(1).ended().getLast().ending()).isEqualTo(JobState.NODE_FAIL);
        assertThat(cell.job(1).run()).isNotNull();
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }
}
