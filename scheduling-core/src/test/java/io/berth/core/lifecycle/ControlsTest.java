package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.events;
import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.contracts.Amendment;
import io.berth.contracts.EndedRun;
import io.berth.contracts.Hold;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ControlsTest {

    private final TestCell cell = new TestCell();

    @BeforeEach
    void one_node() {
        cell.node("n1", 8, 8, "a100");
    }

    private static JobDescription job(ResourceRequest request, @Nullable JobTerms terms) {
        return new JobDescription(
                "alice",
                "team",
                "batch",
                "normal",
                "job",
                request,
                LaunchMode.BATCH,
                600,
                0,
                true,
                terms);
    }

    private static JobTerms from(@Nullable Hold hold, @Nullable Long begin) {
        return JobTerms.NONE.with(to -> {
            to.hold = hold;
            to.beginAt = begin;
        });
    }

    private static JobTerms deadline(long at, @Nullable Long timeMin) {
        return JobTerms.NONE.with(to -> {
            to.deadlineAt = at;
            to.timeMinSeconds = timeMin;
        });
    }

    private static Amendment limit(long seconds) {
        return new Amendment(null, null, null, null, null, seconds, null, null, null, null);
    }

    @Test
    void a_job_that_has_waited_as_long_as_it_may_ends_and_one_that_runs_does_not() {
        cell.node("n1", 8, 8, "a100");
        JobTerms terms = JobTerms.NONE.with(to -> to.maxWaitSeconds = 60L);
        for (long id = 1; id <= 2; id++) {
            cell.submit(
                    id,
                    new JobDescription(
                            "alice",
                            "team",
                            "batch",
                            "normal",
                            "job",
                            TestCell.gpus(1, 8, null),
                            LaunchMode.BATCH,
                            600,
                            0,
                            true,
                            terms));
        }
        cell.round();

        cell.now += 60_000;
        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(2).state()).isEqualTo(JobState.DEADLINE);
    }

    @Test
    void a_held_job_starts_only_after_its_release() {
        cell.submit(1, job(cpus(1), from(Hold.USER, null)));
        cell.round();
        JobState held = cell.job(1).state();
        Reason reason = cell.job(1).reason();

        cell.ask(new Submission.Released(new JobId(1), "alice", Hold.USER));
        cell.round();

        assertThat(held).isEqualTo(JobState.PENDING);
        assertThat(reason).isEqualTo(Reason.JOB_HELD_USER);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void what_is_done_to_a_job_is_announced_with_who_did_it() {
        var id = new JobId(1);

        List<Fact> submitted = cell.submit(1, cpus(1));
        List<Fact> held = cell.ask(new Submission.Held(id, "root", Hold.ADMIN));
        List<Fact> again = cell.ask(new Submission.Held(id, "root", Hold.ADMIN));
        List<Fact> released = cell.ask(new Submission.Released(id, "root", Hold.ADMIN));

        assertThat(TestCell.events(submitted))
                .containsExactly(new JobEvent.Queued(id, cell.now, cell.job(1).description()));
        assertThat(TestCell.events(held))
                .containsExactly(new JobEvent.Held(id, cell.now, Hold.ADMIN, "root", null));
        assertThat(again).isEmpty();
        assertThat(TestCell.events(released))
                .containsExactly(new JobEvent.Released(id, cell.now, "root"));
    }

    @Test
    void a_users_release_does_not_undo_an_operators_hold() {
        cell.submit(1, cpus(1));
        cell.ask(new Submission.Held(new JobId(1), "root", Hold.ADMIN));

        List<Fact> facts = cell.ask(new Submission.Released(new JobId(1), "alice", Hold.USER));

        assertThat(facts).isEmpty();
        assertThat(cell.job(1).reason()).isEqualTo(Reason.JOB_HELD_ADMIN);
    }

    @Test
    void a_job_that_was_cancelled_while_it_was_held_is_not_released_after_its_end() {
        cell.submit(1, job(cpus(1), from(Hold.USER, null)));
        cell.cancel(1);

        List<Fact> facts = cell.ask(new Submission.Released(new JobId(1), "alice", Hold.USER));

        assertThat(facts).isEmpty();
    }

    @Test
    void a_job_begins_no_earlier_than_its_time() {
        cell.submit(1, job(cpus(1), from(null, cell.now + 5_000)));
        cell.round();
        Reason before = cell.job(1).reason();
        long due = Engine.nextDue(cell.state, cell.now);

        cell.now += 5_000;
        cell.round();

        assertThat(before).isEqualTo(Reason.BEGIN_TIME);
        assertThat(due).isEqualTo(cell.now);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @ParameterizedTest
    @CsvSource({"599000, ,DEADLINE", "600000, ,RUNNING", "61000,60,RUNNING", "59000,60,DEADLINE"})
    void a_job_that_cannot_end_by_its_deadline_never_starts(
            long left, @Nullable Long timeMin, JobState state) {
        cell.submit(1, job(cpus(1), deadline(cell.now + left, timeMin)));

        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(state);
    }

    @Test
    void a_run_is_stopped_at_its_deadline() {
        cell.submit(1, job(cpus(1), deadline(cell.now + 601_000, null)));
        cell.round();
        cell.started(1, 1, "n1");

        cell.now += 601_000;
        List<Fact> facts = cell.round();
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(orders(facts)).hasAtLeastOneElementOfType(Order.Stop.class);
        assertThat(cell.job(1).state()).isEqualTo(JobState.DEADLINE);
    }

    @Test
    void a_requeued_job_starts_again_under_a_new_lease() {
        cell.submit(1, cpus(1));
        cell.round();
        cell.started(1, 1, "n1");

        List<Fact> facts = cell.ask(new Submission.RequeueRequested(new JobId(1), "alice", false));
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);
        cell.round();

        assertThat(orders(facts)).singleElement().isInstanceOf(Order.Stop.class);
        assertThat(cell.job(1).run()).isNotNull().extracting(run -> run.lease()).isEqualTo(2);
    }

    @Test
    void a_job_that_is_requeued_for_ever_keeps_its_first_run_and_the_last_ones() {
        cell.submit(1, cpus(1));
        cell.round();
        long first = cell.now;
        for (int lease = 1; lease <= 250; lease++) {
            cell.started(1, lease, "n1");
            cell.ask(new Submission.RequeueRequested(new JobId(1), "alice", false));
            cell.now += 1_000;
            cell.ended(1, lease, "n1", Cause.STOPPED, 0);
            cell.round();
        }

        List<EndedRun> ended = cell.job(1).ended();

        assertThat(cell.job(1).run()).isNotNull().extracting(run -> run.lease()).isEqualTo(251);
        assertThat(ended).extracting(EndedRun::lease).hasSize(100).startsWith(1, 152).endsWith(250);
        assertThat(ended.getFirst().placedAt()).isEqualTo(first);
    }

    @Test
    void a_job_requeued_with_a_hold_waits_for_its_release() {
        cell.submit(1, cpus(1));
        cell.round();

        cell.ask(new Submission.RequeueRequested(new JobId(1), "root", true));
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);
        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.JOB_HELD_ADMIN);
    }

    @Test
    void the_limit_of_a_run_is_changed_on_its_nodes() {
        cell.submit(1, cpus(1));
        cell.round();

        List<Fact> facts = cell.ask(new Submission.Amended(new JobId(1), "root", limit(1200)));

        assertThat(orders(facts))
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Limit.class, it -> assertThat(it.timeLimitSeconds()).isEqualTo(1200));
        assertThat(events(facts)).singleElement().isInstanceOf(JobEvent.Amended.class);
    }

    @Test
    void a_run_keeps_its_resources_and_its_partition() {
        cell.submit(1, cpus(1));
        cell.round();
        var change =
                new Amendment(null, "urgent", null, null, cpus(2), null, null, null, null, null);

        List<Fact> facts = cell.ask(new Submission.Amended(new JobId(1), "root", change));

        assertThat(facts).isEmpty();
    }

    @Test
    void a_waiting_job_moved_to_another_partition_may_start_there() {
        cell.submit(1, gpus(1, 8, null));
        cell.submit(2, job(gpus(1, 8, null), from(Hold.USER, null)));
        cell.round();
        var change =
                new Amendment(
                        null, "urgent", null, null, null, null, null, null, JobTerms.NONE, null);

        cell.ask(new Submission.Amended(new JobId(2), "root", change));

        assertThat(cell.job(2).description().partition()).isEqualTo("urgent");
        assertThat(cell.job(2).description().conditions()).isEqualTo(JobTerms.NONE);
    }

    @ParameterizedTest
    @CsvSource({"BATCH,1", "STEPS,2", "ALL,2"})
    void a_signal_goes_to_the_nodes_where_its_processes_are(SignalTarget target, int nodes) {
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, gpus(2, 1, null));
        cell.round();
        cell.started(1, 1, "n1");
        cell.started(1, 1, "n2");

        List<Fact> facts =
                cell.ask(new Submission.SignalRequested(new JobId(1), "alice", 10, target));

        assertThat(orders(facts)).hasSize(nodes).hasOnlyElementsOfType(Order.Signal.class);
    }

    @Test
    void a_signal_to_a_step_is_told_to_all_nodes_with_its_number() {
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, gpus(2, 1, null));
        cell.round();
        cell.started(1, 1, "n1");
        cell.started(1, 1, "n2");

        List<Fact> facts =
                cell.ask(
                        new Submission.SignalRequested(
                                new JobId(1), "alice", 9, SignalTarget.STEPS, 3));

        assertThat(orders(facts))
                .hasSize(2)
                .allSatisfy(it ->
                        assertThat(it)
                                .isInstanceOfSatisfying(
                                        Order.Signal.class,
                                        signal -> assertThat(signal.step()).isEqualTo(3)));
    }

    @Test
    void the_tasks_of_an_array_are_jobs_of_their_own_under_its_throttle() {
        var array =
                new JobArray(
                        IndexSet.parse("0,4,8"),
                        2,
                        List.of(new JobArray.Ids(1, 2), new JobArray.Ids(101, 101)));

        cell.submit(1, job(cpus(1), null), array);
        cell.round();

        assertThat(cell.state.jobs())
                .extracting(it -> String.valueOf(it.description().array()), it -> it.state())
                .containsExactly(
                        tuple("1_0", JobState.RUNNING),
                        tuple("1_4", JobState.RUNNING),
                        tuple("1_8", JobState.PENDING));
        assertThat(cell.job(101).reason()).isEqualTo(Reason.JOB_ARRAY_TASK_LIMIT);
    }

    /// What is said of n1 after it has registered anew, with what its health program says.
    private @Nullable NodeHold heldAfter(String nonce, @Nullable String unhealthy) {
        NodeSeen seen = TestCell.seen("n1", 8, 8, "a100", nonce, "boot", List.of());
        cell.take(
                new Input.Registered(
                        new NodeSeen(
                                seen.node(),
                                nonce,
                                seen.machineId(),
                                seen.bootId(),
                                seen.agentVersion(),
                                seen.inventory(),
                                seen.runs(),
                                seen.reportsEnd(),
                                null,
                                unhealthy,
                                null,
                                null,
                                null)));
        return cell.state.node(new NodeName("n1")).orElseThrow().hold();
    }

    @Test
    void a_node_that_is_not_well_is_drained_until_it_is() {
        NodeHold disk = heldAfter("1", "disk full");

        assertThat(disk)
                .isEqualTo(new NodeHold(NodeHold.Kind.DRAIN, "disk full", "(health)", cell.now));
        assertThat(heldAfter("2", "disk full")).isEqualTo(disk);
        assertThat(Objects.requireNonNull(heldAfter("3", "no network")).reason())
                .isEqualTo("no network");
        assertThat(heldAfter("4", null)).isNull();
    }

    @Test
    void what_an_operator_says_of_a_node_outranks_its_health() {
        var health = heldAfter("1", "disk full");
        cell.take(asked(new NodeRequest.DrainRequested(new NodeName("n1"), "root", "fan")));
        NodeHold fan = heldAfter("2", "no network");

        assertThat(health).isNotNull();
        assertThat(Objects.requireNonNull(fan).reason()).isEqualTo("fan");
        assertThat(heldAfter("3", null)).isEqualTo(fan);
    }

    @Test
    void a_drained_node_gets_no_work_until_it_is_resumed() {
        cell.take(asked(new NodeRequest.DrainRequested(new NodeName("n1"), "root", "fan")));
        cell.submit(1, cpus(1));
        cell.round();
        Reason drained = cell.job(1).reason();

        cell.take(asked(new NodeRequest.ResumeRequested(new NodeName("n1"), "root")));
        cell.round();

        assertThat(drained).isEqualTo(Reason.REQ_NODE_NOT_AVAIL);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void what_runs_on_a_node_set_down_is_ended_once_it_says_so() {
        cell.submit(1, cpus(1));
        cell.round();

        List<Fact> facts =
                cell.take(asked(new NodeRequest.DownRequested(new NodeName("n1"), "root", "fan")));
        JobState before = cell.job(1).state();
        cell.ended(1, 1, "n1", Cause.STOPPED, 0);

        assertThat(orders(facts)).singleElement().isInstanceOf(Order.Stop.class);
        assertThat(before).isEqualTo(JobState.COMPLETING);
        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void of_a_silent_node_set_down_the_operators_word_frees_the_resources() {
        cell.submit(1, cpus(1));
        cell.round();
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.SILENT));

        cell.take(asked(new NodeRequest.DownRequested(new NodeName("n1"), "root", "gone")));

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.state.holding()).isEmpty();
    }

    @Test
    void a_silent_node_set_down_is_told_to_kill_what_it_may_still_run_before_it_gets_other_work() {
        cell.submit(1, cpus(1));
        cell.round();
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.SILENT));

        List<Fact> facts =
                cell.take(asked(new NodeRequest.DownRequested(new NodeName("n1"), "root", "gone")));

        assertThat(orders(facts))
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Stop.class,
                        stop -> {
                            assertThat(stop.run()).isEqualTo(TestCell.run(1, 1));
                            assertThat(stop.graceSeconds()).isZero();
                        });
    }

    private static Input asked(NodeRequest request) {
        return new Input.NodeAsked(request);
    }
}
