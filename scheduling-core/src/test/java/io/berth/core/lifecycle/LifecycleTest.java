package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.events;
import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static io.berth.core.testing.TestCell.run;
import static io.berth.core.testing.TestCell.seen;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Hold;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.Step;
import io.berth.contracts.Steps;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part.Underuse;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LifecycleTest {

    private final TestCell cell = new TestCell();

    private void onOneNode(LaunchMode mode, boolean requeue) {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, "batch", gpus(1, 2, null), mode, requeue);
        cell.round();
    }

    private void onTwoNodes(LaunchMode mode) {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, "batch", gpus(2, 1, null), mode, true);
        cell.round();
    }

    @Test
    void a_script_that_exits_with_zero_completes_its_job_and_charges_it() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        cell.now += 2_000;

        List<Fact> facts = cell.ended(1, 1, "n1", Cause.EXITED, 0);

        assertThat(cell.job(1).state()).isEqualTo(JobState.COMPLETED);
        assertThat(cell.job(1).ended().getFirst().charge())
                .isEqualTo(
                        new Charge(
                                2_000,
                                1024 * 2_000,
                                4_000,
                                2_000,
                                (1000 + 256 + 32_000) * 2_000L,
                                Map.of("a100", 4_000L)));
        assertThat(events(facts)).singleElement().isInstanceOf(JobEvent.Ended.class);
    }

    @Test
    void steps_are_announced_before_the_end_that_they_belong_to() {
        onOneNode(LaunchMode.BATCH, true);
        var steps = new Steps(List.of(new Step(0, "a", 1, 1, 0, 1, 2, null, null)), 0);

        List<Fact> other = cell.ended(1, 2, "n1", steps);
        List<Fact> facts = cell.ended(1, 1, "n1", steps);

        assertThat(events(other)).isEmpty();
        assertThat(events(facts))
                .first()
                .isEqualTo(
                        new JobEvent.StepsEnded(
                                new JobId(1), cell.now, 1, new NodeName("n1"), steps));
        assertThat(events(facts)).last().isInstanceOf(JobEvent.Ended.class);
    }

    @Test
    void gpus_that_are_hardly_used_are_announced_once_and_marked_until_they_are_used() {
        onOneNode(LaunchMode.BATCH, true);
        var node = new NodeName("n1");
        var low = new RunReport.GpusUnderused(run(1, 1), node, 1, 1, 3, 1800);
        cell.take(new Input.Reported(low));
        assertThat(underused()).isNull();
        cell.started(1, 1, "n1");
        long at = cell.now;

        List<Fact> told = cell.take(new Input.Reported(low));
        List<Fact> twice = cell.take(new Input.Reported(low));

        assertThat(events(told))
                .containsExactly(new JobEvent.GpusUnderused(new JobId(1), at, 1, node, 3, 1800));
        assertThat(twice).isEmpty();
        assertThat(underused()).isEqualTo(new Underuse(at - 1_800_000, 3));
        var again = new RunReport.GpusUsedAgain(run(1, 1), node, 1, 1);
        assertThat(events(cell.take(new Input.Reported(again))))
                .containsExactly(new JobEvent.GpusUsedAgain(new JobId(1), at, 1, node));
        assertThat(cell.take(new Input.Reported(again))).isEmpty();
        assertThat(underused()).isNull();
    }

    private @Nullable Underuse underused() {
        return Objects.requireNonNull(cell.job(1).run()).parts().getFirst().underused();
    }

    @Test
    void a_job_whose_gpu_failed_is_queued_again() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");

        cell.ended(1, 1, "n1", Cause.GPU_FAILED, 0);

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).ended().getFirst().outcome()).isEqualTo(JobState.PENDING);
    }

    @Test
    void why_a_run_was_lost_is_told_with_the_job_that_waits_again() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        var gpu = "XID 79 of GPU 0";

        List<Fact> facts = ended(Cause.GPU_FAILED, gpu);
        String waiting = cell.job(1).message();
        cell.round();
        cell.ended(1, 2, "n1", Cause.EXITED, 0);

        assertThat(events(facts))
                .singleElement()
                .isInstanceOfSatisfying(
                        JobEvent.Requeued.class, it -> assertThat(it.why()).isEqualTo(gpu));
        assertThat(waiting).isEqualTo(gpu);
        assertThat(cell.job(1).message()).isNull();
    }

    /// Job 1, without an exit status.
    private List<Fact> ended(Cause cause, String message) {
        return cell.take(
                new Input.Reported(
                        new RunReport.Ended(
                                run(1, 1),
                                new NodeName("n1"),
                                1,
                                1,
                                cause,
                                ExitStatus.SUCCESS,
                                Consumption.NONE,
                                message)));
    }

    @Test
    void what_is_known_of_a_lost_run_is_told_with_its_node() {
        onOneNode(LaunchMode.BATCH, false);
        cell.started(1, 1, "n1");

        ended(Cause.STATUS_LOST, "the shim died");

        assertThat(cell.job(1).state()).isEqualTo(JobState.NODE_FAIL);
        assertThat(cell.job(1).message()).isEqualTo("node n1 lost the run: the shim died");
    }

    @Test
    void a_job_at_its_time_limit_whose_status_nobody_knows_has_timed_out_and_says_so() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");

        ended(Cause.TIME_LIMIT, "the shim died");

        assertThat(cell.job(1).state()).isEqualTo(JobState.TIMEOUT);
        assertThat(cell.job(1).exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(cell.job(1).message()).isEqualTo("the shim died");
    }

    @Test
    void an_exit_code_fails_the_job() {
        onOneNode(LaunchMode.BATCH, true);

        cell.ended(1, 1, "n1", Cause.EXITED, 3);

        assertThat(cell.job(1).state()).isEqualTo(JobState.FAILED);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.NON_ZERO_EXIT_CODE);
        assertThat(cell.job(1).exit()).hasToString("3:0");
    }

    @Test
    void a_report_that_comes_twice_changes_nothing() {
        onOneNode(LaunchMode.BATCH, true);
        cell.ended(1, 1, "n1", Cause.EXITED, 0);

        List<Fact> again = cell.ended(1, 1, "n1", Cause.EXITED, 1);

        assertThat(again).isEmpty();
    }

    @Test
    void a_gang_goes_when_its_last_node_is_ready() {
        onTwoNodes(LaunchMode.BATCH);

        List<Fact> first = cell.ready(1, 1, "n1");
        List<Fact> last = cell.ready(1, 1, "n2");

        assertThat(orders(first)).isEmpty();
        assertThat(orders(last)).hasSize(2).hasOnlyElementsOfType(Order.Go.class);
    }

    @Test
    void the_end_of_the_script_stops_the_other_nodes_and_frees_them_together() {
        onTwoNodes(LaunchMode.BATCH);
        cell.started(1, 1, "n1");
        cell.started(1, 1, "n2");

        List<Fact> facts = cell.ended(1, 1, "n1", Cause.EXITED, 0);
        JobState between = cell.job(1).state();
        cell.ended(1, 1, "n2", Cause.STOPPED, 0);

        assertThat(orders(facts)).singleElement().isInstanceOf(Order.Stop.class);
        assertThat(between).isEqualTo(JobState.COMPLETING);
        assertThat(cell.job(1).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void a_replica_that_fails_fails_the_whole_gang() {
        onTwoNodes(LaunchMode.PER_NODE);
        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        JobState oneOver = cell.job(1).state();

        List<Fact> facts = cell.ended(1, 1, "n2", Cause.EXITED, 7);

        assertThat(oneOver).isEqualTo(JobState.RUNNING);
        assertThat(events(facts)).singleElement().isInstanceOf(JobEvent.Ended.class);
        assertThat(cell.job(1).state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void a_gang_that_is_not_ready_in_time_is_stopped_and_waits_again_with_a_new_lease() {
        onTwoNodes(LaunchMode.BATCH);
        cell.ready(1, 1, "n1");
        cell.now += Deadlines.READY_MILLIS;

        List<Fact> facts = cell.round();
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);
        cell.ended(1, 1, "n2", Cause.STOPPED, 0);
        cell.round();

        assertThat(orders(facts)).hasSize(2).hasOnlyElementsOfType(Order.Stop.class);
        assertThat(cell.job(1).run()).extracting("lease").isEqualTo(2);
    }

    @Test
    void a_gang_that_is_not_ready_time_and_again_is_held() {
        onTwoNodes(LaunchMode.BATCH);
        var holds = new ArrayList<@Nullable Hold>();
        for (int lease = 1; lease <= Deadlines.MAX_NOT_READY; lease++) {
            holds.add(cell.job(1).hold());
            cell.now += Deadlines.READY_MILLIS;
            cell.round();
            cell.ended(1, lease, "n1", Cause.STOPPED, 0);
            cell.ended(1, lease, "n2", Cause.STOPPED, 0);
            cell.round();
        }

        assertThat(holds).containsOnlyNulls();
        assertThat(cell.job(1))
                .returns(Hold.USER, JobStatus::hold)
                .returns(JobState.PENDING, JobStatus::state);
    }

    @Test
    void a_run_that_its_node_failed_is_none_that_was_not_ready() {
        onTwoNodes(LaunchMode.BATCH);
        for (int lease = 1; lease <= Deadlines.MAX_NOT_READY; lease++) {
            boolean late = lease != 3;
            cell.now += late ? Deadlines.READY_MILLIS : 1000;
            cell.round();
            cell.ended(1, lease, "n1", late ? Cause.STOPPED : Cause.GPU_FAILED, 0);
            cell.ended(1, lease, "n2", Cause.STOPPED, 0);
            cell.round();
        }

        assertThat(cell.job(1)).returns(null, JobStatus::hold);
    }

    @Test
    void a_run_that_a_user_had_queued_again_is_none_that_was_not_ready() {
        onTwoNodes(LaunchMode.BATCH);
        for (int lease = 1; lease <= Deadlines.MAX_NOT_READY; lease++) {
            boolean late = lease == Deadlines.MAX_NOT_READY;
            cell.now += late ? Deadlines.READY_MILLIS : 1000;
            if (late) {
                cell.round();
            } else {
                cell.ask(new Submission.RequeueRequested(new JobId(1), "alice", false));
            }
            cell.ended(1, lease, "n1", Cause.STOPPED, 0);
            cell.ended(1, lease, "n2", Cause.STOPPED, 0);
            cell.round();
        }

        assertThat(cell.job(1)).returns(null, JobStatus::hold);
    }

    @Test
    void where_a_prolog_fails_the_job_is_held_and_the_node_drained() {
        onOneNode(LaunchMode.BATCH, true);

        List<Fact> facts = cell.draining(1, 1, "n1", Cause.LAUNCH_FAILED, "the prolog: no scratch");

        assertThat(cell.job(1))
                .returns(JobState.PENDING, JobStatus::state)
                .returns(Hold.USER, JobStatus::hold);
        assertThat(events(facts)).hasAtLeastOneElementOfType(JobEvent.Held.class);
        assertThat(hold())
                .returns(NodeHold.AGENT, NodeHold::user)
                .returns("the prolog: no scratch", NodeHold::reason);
    }

    private @Nullable NodeHold hold() {
        return cell.state.node(new NodeName("n1")).orElseThrow().hold();
    }

    @Test
    void a_job_that_may_not_wait_again_ends_where_a_prolog_fails() {
        onOneNode(LaunchMode.BATCH, false);

        cell.draining(1, 1, "n1", Cause.LAUNCH_FAILED, "the prolog: no scratch");

        assertThat(cell.job(1))
                .returns(JobState.FAILED, JobStatus::state)
                .returns(Reason.JOB_LAUNCH_FAILURE, JobStatus::reason)
                .returns(null, JobStatus::hold);
        assertThat(hold()).isNotNull();
    }

    @Test
    void where_an_epilog_fails_the_node_is_drained_and_the_job_is_as_it_ended() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");

        cell.draining(1, 1, "n1", Cause.EXITED, "the epilog: scratch is busy");

        assertThat(cell.job(1).state()).isEqualTo(JobState.COMPLETED);
        assertThat(hold()).returns(NodeHold.Kind.DRAIN, NodeHold::kind);
    }

    @Test
    void the_first_cause_decides_the_state() {
        onOneNode(LaunchMode.BATCH, true);
        cell.cancel(1);
        JobState stopping = cell.job(1).state();

        cell.ended(1, 1, "n1", Cause.EXITED, 0);

        assertThat(stopping).isEqualTo(JobState.COMPLETING);
        assertThat(cell.job(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(cell.job(1).cancelledBy()).isEqualTo("alice");
    }

    @Test
    void a_waiting_job_is_cancelled_at_once() {
        cell.submit(1, gpus(1, 1, null));

        List<Fact> facts = cell.cancel(1);

        assertThat(cell.job(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(events(facts)).singleElement().isInstanceOf(JobEvent.Ended.class);
    }

    @Test
    void an_ended_job_cannot_be_cancelled() {
        onOneNode(LaunchMode.BATCH, true);
        cell.ended(1, 1, "n1", Cause.EXITED, 0);

        assertThat(cell.cancel(1)).isEmpty();
    }

    @Test
    void placement_stops_a_run_far_over_its_limit() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        cell.now += 600_000 + Deadlines.LIMIT_SLACK_MILLIS;

        List<Fact> facts = cell.round();

        assertThat(orders(facts)).singleElement().isInstanceOf(Order.Stop.class);
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);
        assertThat(cell.job(1).state()).isEqualTo(JobState.TIMEOUT);
    }

    @Test
    void an_agent_that_comes_back_keeps_its_runs_and_gets_lost_orders_again() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        cell.submit(2, gpus(1, 1, null));
        cell.round();
        NodeSeen back =
                seen(
                        "n1",
                        8,
                        8,
                        "a100",
                        "again",
                        "boot",
                        List.of(new HeldRun(run(1, 1), HeldRun.Phase.RUNNING)));

        List<Order> orders = orders(cell.take(new Input.Registered(back)));

        assertThat(orders).hasSize(2);
        assertThat(orders.getFirst())
                .isEqualTo(new Order.Sync(new NodeName("n1"), 2, "again", List.of(run(1, 1))));
        assertThat(orders.getLast())
                .isInstanceOfSatisfying(
                        Order.Launch.class,
                        launch -> {
                            assertThat(launch.run()).isEqualTo(run(2, 1));
                            assertThat(launch.epoch()).isEqualTo(2);
                            assertThat(launch.number()).isEqualTo(1);
                        });
    }

    @Test
    void a_run_that_a_rebooted_node_does_not_have_is_lost_and_requeued() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");

        cell.take(new Input.Registered(seen("n1", 8, 8, "a100", "again", "boot-2", List.of())));

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).ended().getFirst().outcome()).isEqualTo(JobState.PENDING);
    }

    @Test
    void a_lost_job_that_may_not_be_requeued_ends_with_node_fail() {
        onOneNode(LaunchMode.BATCH, false);
        cell.started(1, 1, "n1");

        cell.take(new Input.Registered(seen("n1", 8, 8, "a100", "again", "boot-2", List.of())));

        assertThat(cell.job(1).state()).isEqualTo(JobState.NODE_FAIL);
    }

    @Test
    void a_run_that_is_not_wanted_any_more_is_not_in_the_sync() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        cell.cancel(1);
        NodeSeen back =
                seen(
                        "n1",
                        8,
                        8,
                        "a100",
                        "again",
                        "boot",
                        List.of(new HeldRun(run(1, 1), HeldRun.Phase.RUNNING)));

        List<Order> orders = orders(cell.take(new Input.Registered(back)));

        assertThat(orders)
                .containsExactly(new Order.Sync(new NodeName("n1"), 2, "again", List.of()));
    }

    private static NodeSeen otherMachine() {
        NodeSeen seen = seen("n1", 8, 8, "a100", "other", "boot", List.of());
        return new NodeSeen(
                seen.node(), "other", "machine-x", "boot", "test", seen.inventory(), List.of(), 0);
    }

    @Test
    void another_machine_with_the_name_of_a_node_that_is_down_gets_it() {
        cell.node("n1", 8, 8, "a100");
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.SILENT));
        List<Order> silent = orders(cell.take(new Input.Registered(otherMachine())));
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.DOWN));

        List<Order> down = orders(cell.take(new Input.Registered(otherMachine())));

        assertThat(silent).singleElement().isInstanceOf(Order.Refused.class);
        assertThat(down)
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Sync.class, sync -> assertThat(sync.nonce()).isEqualTo("other"));
        var status = cell.state.node(new NodeName("n1")).orElseThrow();
        assertThat(status.epoch()).isEqualTo(2);
        assertThat(status.seen().machineId()).isEqualTo("machine-x");
    }

    @Test
    void another_machine_is_refused_the_name_of_a_node_that_is_down_while_its_runs_may_go_on() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        var node = new NodeName("n1");
        cell.take(new Input.PresenceChanged(node, Presence.DOWN));

        List<Order> orders = orders(cell.take(new Input.Registered(otherMachine())));
        JobState before = cell.job(1).state();
        cell.take(new Input.NodeAsked(new NodeRequest.DownRequested(node, "root", "off")));
        List<Order> proven = orders(cell.take(new Input.Registered(otherMachine())));

        assertThat(orders)
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Refused.class,
                        refused ->
                                assertThat(refused.why())
                                        .isEqualTo(
                                                "node name n1 is held by another machine, which is"
                                                        + " down and may still run job 1"));
        assertThat(before).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(proven).singleElement().isInstanceOf(Order.Sync.class);
    }

    @Test
    void another_machine_gets_the_name_of_a_node_that_is_down_whose_part_of_a_run_has_ended() {
        onTwoNodes(LaunchMode.BATCH);
        cell.ready(1, 1, "n1");
        cell.ready(1, 1, "n2");
        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.DOWN));

        List<Order> orders = orders(cell.take(new Input.Registered(otherMachine())));

        assertThat(cell.job(1).state()).isEqualTo(JobState.COMPLETING);
        assertThat(orders).singleElement().isInstanceOf(Order.Sync.class);
    }

    @Test
    void another_machine_with_the_name_of_a_live_node_is_refused() {
        cell.node("n1", 8, 8, "a100");

        List<Order> orders = orders(cell.take(new Input.Registered(otherMachine())));

        assertThat(orders).singleElement().isInstanceOf(Order.Refused.class);
        assertThat(cell.state.node(new NodeName("n1")).orElseThrow().epoch()).isEqualTo(1);
    }

    @Test
    void a_node_that_is_down_keeps_its_runs_and_says_so_until_it_is_back() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");

        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.DOWN));
        Reason down = cell.job(1).reason();
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.UP));

        assertThat(down).isEqualTo(Reason.NODE_DOWN);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.NONE);
    }

    @Test
    void a_run_has_a_node_that_is_down_until_the_last_of_them_is_back() {
        onTwoNodes(LaunchMode.BATCH);
        cell.started(1, 1, "n1");
        cell.started(1, 1, "n2");
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.DOWN));

        cell.take(new Input.PresenceChanged(new NodeName("n2"), Presence.SILENT));
        cell.take(new Input.PresenceChanged(new NodeName("n2"), Presence.UP));
        Reason one = cell.job(1).reason();
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.UP));

        assertThat(one).isEqualTo(Reason.NODE_DOWN);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.NONE);
    }

    @Test
    void what_a_node_ended_by_itself_is_lost_and_runs_elsewhere() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        cell.node("n2", 8, 8, "a100");

        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.FENCED));
        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(Objects.requireNonNull(cell.job(1).run()).parts())
                .extracting(part -> part.allocation().node().value())
                .containsExactly("n2");
    }

    @Test
    void a_node_that_ended_its_runs_gets_no_work_until_it_registers_again() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");

        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.FENCED));
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.UP));
        cell.round();
        JobState cutOff = cell.job(1).state();
        cell.take(new Input.Registered(seen("n1", 8, 8, "a100", "again", "boot", List.of())));
        cell.round();

        assertThat(cutOff).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void what_a_cut_off_node_says_later_of_a_run_that_it_ended_changes_nothing() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        cell.node("n2", 8, 8, "a100");
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.FENCED));
        cell.round();

        cell.ended(1, 1, "n1", Cause.STATUS_LOST, 0);

        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(Objects.requireNonNull(cell.job(1).run()).lease()).isEqualTo(2);
    }

    @Test
    void a_machine_whose_agent_shut_down_gets_no_work_until_it_registers_again() {
        onOneNode(LaunchMode.BATCH, true);
        cell.take(new Input.Registered(onMachineOfN1("n2", "before")));
        cell.started(1, 1, "n1");

        cell.ended(1, 1, "n1", Cause.AGENT_SHUTDOWN, 0);
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.UP));
        cell.round();
        JobState left = cell.job(1).state();
        cell.take(new Input.Registered(onMachineOfN1("n2", "after")));
        cell.round();

        assertThat(left).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void what_an_agent_says_late_of_its_shutdown_is_nothing_to_the_one_after_it() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");
        var held = new HeldRun(run(1, 1), HeldRun.Phase.RUNNING);
        cell.take(new Input.Registered(seen("n1", 8, 8, "a100", "again", "boot", List.of(held))));

        cell.ended(1, 1, "n1", Cause.AGENT_SHUTDOWN, 0);

        assertThat(cell.state.node(new NodeName("n1")).orElseThrow().presence())
                .isEqualTo(Presence.UP);
    }

    private NodeSeen onMachineOfN1(String node, String nonce) {
        String machine = cell.state.node(new NodeName("n1")).orElseThrow().seen().machineId();
        NodeSeen seen = seen(node, 8, 8, "a100", nonce, "boot", List.of());
        return new NodeSeen(
                seen.node(),
                nonce,
                machine,
                seen.bootId(),
                seen.agentVersion(),
                seen.inventory(),
                List.of(),
                0);
    }

    @Test
    void a_submission_of_which_one_id_is_known_is_void() {
        onOneNode(LaunchMode.BATCH, true);
        JobStatus known = cell.job(1);
        cell.submit(3, gpus(1, 1, null));
        JobStatus waiting = cell.job(3);
        JobDescription job = TestCell.job(gpus(1, 1, null), 60);
        var array = new JobArray(IndexSet.parse("0-1"), 0, List.of(new JobArray.Ids(2, 3)));

        assertThat(cell.submit(1, job)).isEmpty();
        assertThat(cell.submit(2, job, array)).isEmpty();
        assertThat(cell.submitTogether(2, job, job)).isEmpty();

        assertThat(cell.state.jobs()).containsExactly(known, waiting);
    }

    @Test
    void a_ranking_that_comes_before_its_job_is_kept() {
        cell.rank(1, 42);

        cell.submit(1, gpus(1, 1, null));

        assertThat(cell.job(1).rank().qos()).isEqualTo(42_000_000);
    }

    @Test
    void a_ranking_that_comes_while_its_job_runs_counts_when_it_waits_again() {
        onOneNode(LaunchMode.BATCH, true);
        cell.started(1, 1, "n1");

        cell.rank(1, 42);
        cell.take(new Input.Registered(seen("n1", 8, 8, "a100", "again", "boot-2", List.of())));

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).rank().qos()).isEqualTo(42_000_000);
    }

    @Test
    void a_ranking_of_a_job_that_is_over_counts_for_nothing() {
        onOneNode(LaunchMode.BATCH, false);
        cell.started(1, 1, "n1");
        cell.take(new Input.Registered(seen("n1", 8, 8, "a100", "again", "boot-2", List.of())));

        assertThat(cell.job(1).state()).isEqualTo(JobState.NODE_FAIL);
        assertThat(cell.rank(1, 42)).isEmpty();
    }
}
