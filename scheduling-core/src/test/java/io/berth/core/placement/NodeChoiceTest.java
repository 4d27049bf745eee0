package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeRange;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.Tres;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Which nodes jobs get that ask for nodes side by side, by name, or in a range. Nodes have 8 GPUs.
final class NodeChoiceTest {

    private final TestCell cell = new TestCell();

    private void nodes(String... names) {
        for (String name : names) {
            cell.node(name, 8, 8, "a100");
        }
    }

    private static ResourceRequest sideBySide(int nodes, int gpus) {
        return gpus(nodes, gpus, null).on(where(List.of(), true));
    }

    private static ResourceRequest among(int nodes, String... names) {
        return gpus(nodes, 8, null)
                .on(where(List.of(names).stream().map(NodeName::new).toList(), null));
    }

    private static NodeConstraints where(List<NodeName> named, @Nullable Boolean contiguous) {
        return new NodeConstraints(
                null, named, List.of(), Sharing.SHARED, null, null, null, contiguous);
    }

    private static ResourceRequest upTo(int least, int most) {
        return new ResourceRequest(
                least,
                least,
                1,
                MemoryRequest.perCpu(1024),
                new GpuRequest(8, null),
                null,
                null,
                null,
                new NodeRange(least, most, true));
    }

    private List<String> on(long job) {
        return cell.where(job).stream().map(it -> it.substring(0, it.indexOf(':'))).toList();
    }

    /// Holds all GPUs of these nodes, one job each.
    private void occupy(long firstJob, String... names) {
        for (int i = 0; i < names.length; i++) {
            cell.submit(firstJob + i, among(1, names[i]));
        }
        cell.round();
    }

    private void drain(String node) {
        cell.take(
                new Input.NodeAsked(
                        new NodeRequest.DrainRequested(new NodeName(node), "root", "fan")));
    }

    private Verdict why(long job) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(job), cell.now)
                .orElseThrow();
    }

    @Test
    void nodes_side_by_side_are_neighbours_by_the_numbers_in_their_names() {
        nodes("n1", "n2", "n9", "n10");
        occupy(10, "n2");
        cell.submit(1, sideBySide(2, 8));

        cell.round();

        assertThat(on(1)).containsExactlyInAnyOrder("n9", "n10");
    }

    @Test
    void a_job_that_wants_neighbours_waits_while_only_others_are_free() {
        nodes("n1", "n2", "n3", "n4");
        occupy(10, "n2", "n3");
        cell.submit(1, sideBySide(2, 8));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(1).planned()).isNotNull();
        assertThat(why(1).changes()).contains(new Change(Axis.CONTIGUOUS, "yes", "no"));
    }

    @Test
    void neighbours_are_taken_where_the_fewest_are_left_beside_them() {
        nodes("n1", "n2", "n3", "n4", "n5", "n6");
        occupy(10, "n4");
        cell.submit(1, sideBySide(2, 8));

        cell.round();

        assertThat(on(1)).containsExactly("n5", "n6");
    }

    @Test
    void a_node_that_is_named_is_among_the_nodes_of_a_job() {
        nodes("n1", "n2", "n3");
        cell.submit(1, among(2, "n3"));

        cell.round();

        assertThat(on(1)).containsExactlyInAnyOrder("n1", "n3");
    }

    @Test
    void a_job_waits_for_the_node_that_it_names() {
        nodes("n1", "n2", "n3");
        occupy(10, "n3");
        cell.submit(1, among(2, "n3"));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(why(1).changes()).contains(new Change(Axis.NODE_LIST, "n3", "any"));
    }

    @Test
    void a_job_whose_named_node_is_drained_waits_for_it_by_reason() {
        nodes("n1", "n2", "n3");
        drain("n3");
        cell.submit(1, among(2, "n3"));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.REQ_NODE_NOT_AVAIL);
    }

    @Test
    void of_a_range_a_job_takes_as_many_nodes_as_are_free() {
        nodes("n1", "n2", "n3", "n4");
        occupy(10, "n2");
        cell.submit(1, upTo(2, 4));

        cell.round();

        assertThat(on(1)).containsExactly("n1", "n3", "n4");
        assertThat(cell.job(1).description().request().tasks()).isEqualTo(3);
    }

    @Test
    void a_job_waits_for_the_least_of_its_range_and_no_longer() {
        nodes("n1", "n2", "n3");
        occupy(10, "n1", "n2");
        cell.submit(1, upTo(2, 3));
        cell.round();
        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESOURCES);

        cell.ended(10, 1, "n1", RunReport.Cause.EXITED, 0);
        cell.round();

        assertThat(on(1)).containsExactly("n1", "n3");
    }

    @Test
    void a_job_that_waits_again_asks_for_its_whole_range() {
        nodes("n1", "n2", "n3");
        cell.submit(1, upTo(1, 3));
        cell.round();
        assertThat(on(1)).hasSize(3);
        cell.ask(new Submission.RequeueRequested(new JobId(1), "alice", false));
        for (String node : List.of("n1", "n2", "n3")) {
            cell.ended(1, 1, node, RunReport.Cause.STOPPED, 0);
        }
        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).description().request()).isEqualTo(upTo(1, 3));
        drain("n1");
        drain("n2");

        cell.round();

        assertThat(on(1)).containsExactly("n3");
    }

    @Test
    void a_node_that_is_named_is_the_first_of_a_range() {
        nodes("n1", "n2", "n3");
        cell.submit(1, upTo(1, 2).on(where(List.of(new NodeName("n3")), null)));

        cell.round();

        assertThat(on(1)).containsExactlyInAnyOrder("n1", "n3");
    }

    @Test
    void limits_keep_a_job_from_more_nodes_and_not_from_its_least() {
        var limits = new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.GPU, 16L)));
        cell.take(new Input.Configured(TestCell.configuration(limits)));
        nodes("n1", "n2", "n3");
        cell.submit(1, upTo(1, 3));

        cell.round();

        assertThat(on(1)).containsExactly("n1", "n2");
    }

    /// Eight tasks of one CPU each, on two to four nodes.
    private static ResourceRequest eightTasks() {
        return new ResourceRequest(
                2,
                8,
                1,
                MemoryRequest.perCpu(16),
                GpuRequest.NONE,
                null,
                null,
                null,
                new NodeRange(2, 4, false));
    }

    @Test
    void counted_tasks_go_to_more_nodes_where_the_fewest_have_no_room() {
        nodes("n1", "n2", "n3", "n4");
        for (int i = 1; i <= 4; i++) {
            cell.submit(10 + i, cpusOn("n" + i, 6));
        }
        cell.round();
        cell.submit(1, eightTasks());

        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:6-7:", "n2:6-7:", "n3:6-7:", "n4:6-7:");
    }

    @Test
    void counted_tasks_that_have_no_room_anywhere_are_expected_on_the_fewest_nodes() {
        nodes("n1", "n2", "n3", "n4");
        for (int i = 1; i <= 4; i++) {
            cell.submit(10 + i, cpusOn("n" + i, 7));
        }
        cell.round();
        cell.submit(1, eightTasks());
        cell.round();
        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(Objects.requireNonNull(cell.job(1).planned()).nodes()).hasSize(2);

        cell.ended(11, 1, "n1", RunReport.Cause.EXITED, 0);
        cell.ended(12, 1, "n2", RunReport.Cause.EXITED, 0);
        cell.round();

        assertThat(on(1)).contains("n1", "n2");
    }

    @Test
    void counted_tasks_do_not_go_to_more_nodes_than_the_partition_lets_them() {
        nodes("n1", "n2");
        var pair =
                new ResourceRequest(
                        1,
                        8,
                        2,
                        MemoryRequest.perCpu(16),
                        GpuRequest.NONE,
                        null,
                        null,
                        null,
                        new NodeRange(1, 2, false));
        cell.submit(1, TestCell.job(pair, 600).in("pair"));

        cell.round();

        assertThat(cell.where(1)).isEmpty();
        assertThat(cell.job(1).planned()).isNull();
    }

    private static ResourceRequest cpusOn(String node, int cpus) {
        return new ResourceRequest(
                1,
                1,
                cpus,
                MemoryRequest.perCpu(16),
                GpuRequest.NONE,
                where(List.of(new NodeName(node)), null));
    }

    @Test
    void more_nodes_are_not_taken_from_under_the_plan_of_a_job_ahead() {
        nodes("n1", "n2", "n3", "n4");
        occupy(10, "n1");
        cell.now += 60_000;
        cell.submit(1, among(2, "n1", "n2"));
        cell.submit(2, upTo(1, 3));

        cell.round();

        assertThat(cell.job(1).planned()).isNotNull();
        assertThat(on(2)).containsExactly("n3", "n4");
    }

    @Test
    void cpus_that_a_node_must_give_are_held() {
        cell.node("n1", 8, 0, "a100");
        cell.submit(
                1,
                new ResourceRequest(
                        1, 1, 1, MemoryRequest.perNode(100), GpuRequest.NONE, null, null, 6, null));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-5:");
    }
}
