package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.contracts.Dependency;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.Tres;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Held;
import io.berth.contracts.event.Submission.Released;
import io.berth.contracts.event.Submission.RequeueRequested;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.BuiltNode;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A heterogeneous job of two components: 1 with 1 GPU, 2 with all 8 of a node.
final class HetJobsTest {

    private final TestCell cell = new TestCell();

    private static JobDescription job(ResourceRequest request) {
        return TestCell.job(request, 600);
    }

    private List<Fact> placed() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submitTogether(1, job(gpus(1, 1, null)), job(gpus(1, 8, null)));
        return cell.round();
    }

    private void running() {
        placed();
        cell.ready(1, 1, node(1));
        cell.ready(2, 1, node(2));
        cell.started(1, 1, node(1));
        cell.started(2, 1, node(2));
    }

    private String node(long job) {
        return Objects.requireNonNull(cell.job(job).run()).allocations().getFirst().node().value();
    }

    private List<JobState> states() {
        return List.of(cell.job(1).state(), cell.job(2).state());
    }

    /// What both are going to be, or are.
    private List<JobState> outcomes() {
        return List.of(outcome(cell.job(1)), outcome(cell.job(2)));
    }

    private static JobState outcome(JobStatus job) {
        return job.run() == null || job.run().outcome() == null
                ? job.state()
                : job.run().outcome().state();
    }

    private void on(JobTerms first, @Nullable JobTerms second) {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        JobDescription other = job(gpus(1, 8, null));
        cell.submitTogether(
                1, job(gpus(1, 1, null)).on(first), second == null ? other : other.on(second));
        cell.round();
    }

    private static JobTerms terms(@Nullable Long begin, @Nullable Dependency dependency) {
        return JobTerms.NONE.with(to -> {
            to.beginAt = begin;
            to.dependency = dependency;
        });
    }

    @Test
    void both_are_placed_in_one_round_and_wait_for_the_word_to_go() {
        List<Fact> facts = placed();

        List<Order.Launch> launches = orders(facts).stream().map(Order.Launch.class::cast).toList();
        assertThat(launches)
                .extracting(it -> it.run().job().value(), Order.Launch::mode, Order.Launch::awaitGo)
                .containsExactlyInAnyOrder(
                        tuple(1L, LaunchMode.BATCH, true), tuple(2L, LaunchMode.HELD, true));
    }

    @Test
    void where_the_script_runs_all_components_are_known() {
        List<Fact> facts = placed();

        for (Order order : orders(facts)) {
            var launch = (Order.Launch) order;
            List<Order.HetGroup> groups = launch.hetGroups();
            if (launch.run().job().value() == 1) {
                assertThat(groups)
                        .extracting(it -> it.run(), it -> it.allocations())
                        .containsExactly(
                                tuple(TestCell.run(1, 1), allocations(1)),
                                tuple(TestCell.run(2, 1), allocations(2)));
            } else {
                assertThat(groups).isEmpty();
            }
        }
    }

    private Object allocations(long job) {
        return Objects.requireNonNull(cell.job(job).run()).allocations();
    }

    @Test
    void go_is_ordered_to_all_when_the_last_is_ready() {
        placed();

        assertThat(orders(cell.ready(1, 1, node(1)))).isEmpty();
        assertThat(orders(cell.ready(2, 1, node(2))))
                .hasOnlyElementsOfType(Order.Go.class)
                .extracting(it -> ((Order.Go) it).run().job().value())
                .containsExactly(1L, 2L);
    }

    @Test
    void one_that_is_not_ready_in_time_ends_the_start_of_both() {
        placed();
        cell.ready(1, 1, node(1));
        cell.now += Deadlines.READY_MILLIS;
        cell.round();
        cell.ended(1, 1, node(1), Cause.STOPPED, 0);
        cell.ended(2, 1, node(2), Cause.STOPPED, 0);

        cell.round();

        assertThat(cell.job(1).run()).extracting(JobStatus.Run::lease).isEqualTo(2);
        assertThat(cell.job(2).run()).extracting(JobStatus.Run::lease).isEqualTo(2);
    }

    @Test
    void one_that_cannot_be_launched_fails_both() {
        placed();

        cell.ended(2, 1, node(2), Cause.LAUNCH_FAILED, 1);

        assertThat(outcomes()).containsExactly(JobState.FAILED, JobState.FAILED);
    }

    @Test
    void both_end_with_the_script_of_the_first() {
        running();

        cell.ended(1, 1, node(1), Cause.EXITED, 0);
        cell.ended(2, 1, node(2), Cause.STOPPED, 0);

        assertThat(states()).containsExactly(JobState.COMPLETED, JobState.COMPLETED);
    }

    @Test
    void a_component_that_reaches_its_limit_ends_alone() {
        running();

        cell.ended(2, 1, node(2), Cause.TIME_LIMIT, 0);

        assertThat(states()).containsExactly(JobState.RUNNING, JobState.TIMEOUT);
    }

    @Test
    void a_node_that_fails_one_queues_both_again() {
        running();

        cell.ended(2, 1, node(2), Cause.STATUS_LOST, 0);
        assertThat(cell.job(2).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(2).eligible()).isFalse();
        cell.ended(1, 1, node(1), Cause.STOPPED, 0);

        assertThat(states()).containsExactly(JobState.PENDING, JobState.PENDING);
        assertThat(cell.job(1).eligible()).isTrue();
        assertThat(cell.job(2).eligible()).isTrue();
    }

    @Test
    void a_set_of_which_one_is_over_is_not_queued_again() {
        running();
        cell.ended(2, 1, node(2), Cause.TIME_LIMIT, 0);

        cell.ask(new RequeueRequested(new JobId(1), "alice", false));
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        cell.ended(1, 1, node(1), Cause.STATUS_LOST, 0);

        assertThat(states()).containsExactly(JobState.NODE_FAIL, JobState.TIMEOUT);
    }

    @Test
    void a_requeue_of_one_is_one_of_both_and_so_is_its_hold() {
        running();

        cell.ask(new RequeueRequested(new JobId(2), "alice", true));

        assertThat(outcomes()).containsExactly(JobState.PENDING, JobState.PENDING);
        assertThat(List.of(cell.job(1), cell.job(2)))
                .extracting(JobStatus::hold)
                .containsExactly(Hold.ADMIN, Hold.ADMIN);
    }

    @Test
    void who_cancels_the_first_or_one_that_waits_cancels_both() {
        running();
        cell.submitTogether(3, job(gpus(1, 8, null)), job(gpus(1, 8, null)));

        cell.ask(new CancelRequested(new JobId(1), "bob"));
        cell.ask(new CancelRequested(new JobId(4), "bob"));

        assertThat(outcomes()).containsExactly(JobState.CANCELLED, JobState.CANCELLED);
        assertThat(List.of(cell.job(2), cell.job(3), cell.job(4)))
                .extracting(JobStatus::cancelledBy)
                .containsOnly("bob");
        assertThat(cell.job(3).state()).isEqualTo(JobState.CANCELLED);
        assertThat(cell.job(4).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void who_cancels_another_one_that_runs_cancels_it_alone() {
        running();

        cell.ask(new CancelRequested(new JobId(2), "bob"));

        assertThat(outcomes()).containsExactly(JobState.RUNNING, JobState.CANCELLED);
    }

    @Test
    void a_hold_of_one_is_one_of_both() {
        cell.submitTogether(1, job(gpus(1, 1, null)), job(gpus(1, 8, null)));
        cell.ask(new Held(new JobId(2), "alice", Hold.USER));
        assertThat(List.of(cell.job(1), cell.job(2)))
                .extracting(JobStatus::reason)
                .containsOnly(Reason.JOB_HELD_USER);

        cell.ask(new Released(new JobId(1), "alice", Hold.USER));

        assertThat(List.of(cell.job(1), cell.job(2))).allMatch(JobStatus::eligible);
    }

    @Test
    void one_that_may_not_begin_keeps_the_other() {
        on(terms(cell.now + 5_000, null), null);
        assertThat(List.of(cell.job(1), cell.job(2)))
                .extracting(JobStatus::reason)
                .containsOnly(Reason.BEGIN_TIME);
        assertThat(Engine.nextDue(cell.state, cell.now)).isEqualTo(cell.now + 5_000);

        cell.now += 5_000;
        cell.round();

        assertThat(states()).containsExactly(JobState.RUNNING, JobState.RUNNING);
    }

    @Test
    void components_of_one_name_are_one_singleton() {
        var singleton =
                new Dependency(
                        false,
                        List.of(new Dependency.Clause(Dependency.Type.SINGLETON, null, null, 0)));

        on(terms(null, singleton), terms(null, singleton));

        assertThat(states()).containsExactly(JobState.RUNNING, JobState.RUNNING);
    }

    @Test
    void what_keeps_one_from_starting_is_the_reason_of_both() {
        cell.node("n1", 8, 8, "a100");
        cell.submitTogether(1, job(gpus(1, 1, null)), job(gpus(1, 16, null)));

        cell.round();

        assertThat(List.of(cell.job(1), cell.job(2)))
                .extracting(JobStatus::reason)
                .containsOnly(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void one_that_finds_no_seat_leaves_the_nodes_to_others() {
        cell.node("n1", 8, 8, "a100");
        cell.submitTogether(1, job(gpus(1, 1, null)), job(gpus(1, 8, null)));
        cell.submit(3, gpus(1, 8, null));

        cell.round();

        assertThat(states()).containsExactly(JobState.PENDING, JobState.PENDING);
        assertThat(cell.job(3).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void one_that_must_have_a_node_gets_it_though_a_larger_one_would_take_it() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        var onFirst =
                new NodeConstraints(
                        null, List.of(new NodeName("n1")), List.of(), Sharing.SHARED, null, null);
        cell.submitTogether(1, job(gpus(1, 4, null).on(onFirst)), job(gpus(1, 8, null)));

        cell.round();

        assertThat(List.of(node(1), node(2))).containsExactly("n1", "n2");
    }

    @Test
    void limits_are_counted_for_both_before_either_starts() {
        var eightGpus = new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.GPU, 8L)));
        cell.take(new Input.Configured(TestCell.configuration(eightGpus)));
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submitTogether(1, job(gpus(1, 4, null)), job(gpus(1, 4, null)));
        cell.submitTogether(3, job(gpus(1, 4, null)), job(gpus(1, 8, null)));
        cell.round();
        assertThat(states()).containsExactly(JobState.RUNNING, JobState.RUNNING);
        cell.cancel(1);
        cell.ended(1, 1, node(1), Cause.STOPPED, 0);
        cell.ended(2, 1, node(2), Cause.STOPPED, 0);

        cell.round();

        assertThat(List.of(cell.job(3), cell.job(4)))
                .extracting(JobStatus::reason)
                .containsOnly(Reason.QOS_MAX_GRES_PER_USER);
    }

    @Test
    void a_set_waits_until_what_is_used_beside_it_leaves_room_for_both_under_a_limit() {
        var eightGpus = new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.GPU, 8L)));
        cell.take(new Input.Configured(TestCell.configuration(eightGpus)));
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submit(3, gpus(1, 1, null));
        cell.round();
        cell.submitTogether(1, job(gpus(1, 4, null)), job(gpus(1, 4, null)));
        cell.round();
        assertThat(states()).containsExactly(JobState.PENDING, JobState.PENDING);

        cell.ended(3, 1, node(3), Cause.EXITED, 0);
        cell.round();

        assertThat(states()).containsExactly(JobState.RUNNING, JobState.RUNNING);
    }

    @Test
    void one_that_gives_way_takes_the_other_along() {
        var rules =
                new PreemptRules(
                        PreemptRules.Type.QOS,
                        PreemptMode.REQUEUE,
                        false,
                        PreemptMode.OFF,
                        0,
                        false,
                        0,
                        0,
                        0,
                        0,
                        null);
        cell.take(new Input.Configured(TestCell.configuration(Limits.NONE, rules)));
        running();
        JobDescription high = job(gpus(1, 8, null));
        cell.submit(
                3,
                new JobDescription(
                        high.user(),
                        high.account(),
                        high.partition(),
                        "high",
                        high.name(),
                        gpus(2, 8, null),
                        high.launch(),
                        600,
                        0,
                        true));
        cell.round();

        assertThat(outcomes()).containsExactly(JobState.PENDING, JobState.PENDING);
    }

    private static ResourceRequest onNode(int cpus, int gpus, @Nullable Integer perSocket) {
        return new ResourceRequest(
                1,
                1,
                cpus,
                MemoryRequest.perNode(100),
                new GpuRequest(gpus, null, null, null, perSocket, null));
    }

    private static ResourceRequest some(Random random) {
        int gpus = 2 * (1 + random.nextInt(3));
        int cpus = 1 + random.nextInt(5);
        return switch (random.nextInt(4)) {
            case 0 -> onNode(cpus, gpus, gpus / 2);
            case 1 -> onNode(cpus, 2, null).on(NodeConstraints.NONE.inBlocks(null, true));
            default -> onNode(cpus, gpus, null);
        };
    }

    private static boolean isStart(Fact fact) {
        return fact instanceof Fact.Announced(JobEvent.Placed _);
    }

    /// A round fails where a node has no place on its sockets for what was found to fit there.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void components_that_ask_where_gpus_lie_find_their_places_beside_one_another(long seed) {
        var random = new Random(seed);
        for (int number = 1; number <= 3; number++) {
            int onBoard = 2 << random.nextInt(2);
            cell.take(
                    new Input.Registered(
                            BuiltNode.of(
                                    "n" + number,
                                    2,
                                    BuiltNode.boards(8, onBoard),
                                    0,
                                    0,
                                    0,
                                    0,
                                    1,
                                    1,
                                    1,
                                    1)));
        }
        for (long id = 1; id < 60; id += 2) {
            cell.submitTogether(id, job(some(random)), job(some(random)));
            cell.round();
            for (JobId held : List.copyOf(cell.state.holding())) {
                if (random.nextInt(3) == 0) {
                    cell.ended(held.value(), 1, node(held.value()), Cause.EXITED, 0);
                }
            }
            cell.now += random.nextInt(200_000);
        }
        assertThat(cell.facts.stream().filter(HetJobsTest::isStart).count()).isGreaterThan(10);
    }

    @Test
    void who_cancels_the_first_leaves_what_ended_before_as_it_was() {
        running();
        cell.ended(2, 1, node(2), Cause.TIME_LIMIT, 0);

        cell.ask(new CancelRequested(new JobId(1), "bob"));

        assertThat(cell.job(1).cancelledBy()).isEqualTo("bob");
        assertThat(cell.job(2).cancelledBy()).isNull();
    }

    @Test
    void who_cancels_the_first_of_those_that_have_notice_cuts_it_short_for_all() {
        running();
        var draft = new Draft(cell.state);
        Endings.decide(
                draft,
                new JobId(1),
                new Outcome(
                        JobState.PENDING,
                        Reason.NONE,
                        ExitStatus.SUCCESS,
                        null,
                        JobState.PREEMPTED,
                        cell.now + 60_000),
                cell.now);
        draft.facts().forEach(cell.state::replay);

        List<Fact> facts = cell.ask(new CancelRequested(new JobId(1), "bob"));

        assertThat(outcomes()).containsExactly(JobState.CANCELLED, JobState.CANCELLED);
        assertThat(orders(facts))
                .extracting(it -> ((Order.Stop) it).run().job().value())
                .containsExactly(1L, 2L);
        assertThat(cell.job(2).cancelledBy()).isEqualTo("bob");
    }

    @Test
    void a_set_that_only_its_sum_keeps_back_is_tried_again_as_time_passes() {
        // Of 29 CPU-minutes, job 3 may still use 10 at first, and each component asks for 10.
        var minutes = new Limits(Map.of(), Map.of(Limit.GRP_TRES_RUN_MINS, Map.of(Tres.CPU, 29L)));
        cell.take(new Input.Configured(TestCell.configuration(minutes)));
        cell.node("n1", 8, 8, "a100");
        var placement = new Placement(cell.state, Settings.DEFAULT);
        decide(placement);
        cell.submit(3, cpus(1)).forEach(placement::note);
        decide(placement);
        cell.started(3, 1, "n1").forEach(placement::note);
        cell.submitTogether(1, job(cpus(1)), job(cpus(1))).forEach(placement::note);
        decide(placement);
        assertThat(states()).containsExactly(JobState.PENDING, JobState.PENDING);

        for (int minute = 0; minute < 3 && placement.next(cell.now) < Long.MAX_VALUE; minute++) {
            cell.now = placement.next(cell.now);
            decide(placement);
        }

        assertThat(states()).containsExactly(JobState.RUNNING, JobState.RUNNING);
    }

    private void decide(Placement placement) {
        List<Fact> facts = Engine.place(cell.state, placement, cell.now, Pass.PLAN);
        facts.forEach(cell.state::replay);
        facts.forEach(placement::note);
    }

    @Test
    void one_that_depends_on_the_other_does_not_wait_for_it() {
        var afterOther =
                new Dependency(
                        false,
                        List.of(
                                new Dependency.Clause(
                                        Dependency.Type.AFTEROK, new JobId(1), null, 0)));

        on(terms(null, null), terms(null, afterOther));

        assertThat(states()).containsExactly(JobState.RUNNING, JobState.RUNNING);
    }
}
