package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuLinks;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeShape;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.placement.Verdict.Question;
import io.berth.core.placement.Verdict.Stage;
import io.berth.core.state.Input;
import io.berth.core.testing.BuiltNode;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Jobs to which it matters where on a node they lie: on GPUs that are linked, on certain sockets.
final class SeatsTest {

    private static final long SLACK = Scheduling.SLACK_MILLIS;

    private final TestCell cell = new TestCell();

    private void node(String name, @Nullable GpuLinks links, int... socketOfGpu) {
        cell.take(new Input.Registered(BuiltNode.of(name, 2, links, socketOfGpu)));
    }

    /// Two boards of four, each on a socket of its own.
    private void boards(String name) {
        node(name, BuiltNode.boards(8, 4), 0, 0, 0, 0, 1, 1, 1, 1);
    }

    private static ResourceRequest island(int gpus) {
        return gpus(1, gpus, null).on(NodeConstraints.NONE.inBlocks(null, true));
    }

    private static ResourceRequest onSockets(int sockets, int gpusEach, int tasks, int cpus) {
        return new ResourceRequest(
                1,
                tasks,
                cpus,
                MemoryRequest.perNode(100),
                new GpuRequest(sockets * gpusEach, null, null, null, gpusEach, null));
    }

    private static ResourceRequest tasksPerSocket(int most, int tasks, int cpus) {
        return new ResourceRequest(1, tasks, cpus, MemoryRequest.perNode(100), GpuRequest.NONE)
                .on(NodeConstraints.built(new NodeShape(0, 0, 0, null, most)));
    }

    private void submit(long id, ResourceRequest request, long limitSeconds) {
        cell.submit(id, TestCell.job(request, limitSeconds));
    }

    private void end(long id) {
        cell.ended(id, 1, "n1", RunReport.Cause.EXITED, 0);
    }

    private long expected(long id) {
        return Objects.requireNonNull(cell.job(id).planned()).start();
    }

    private Verdict why(long job) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(job), cell.now)
                .orElseThrow();
    }

    @Test
    void an_island_of_four_is_one_board() {
        boards("n1");
        cell.submit(1, gpus(1, 1, null));
        cell.submit(2, island(4));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:0");
        assertThat(cell.where(2)).containsExactly("n1:8:4,5,6,7");
    }

    @Test
    void no_island_is_larger_than_a_board() {
        boards("n1");
        cell.submit(1, island(5));
        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(why(1).changes()).contains(new Change(Axis.LINKED, "yes", "no"));
    }

    @Test
    void an_island_waits_for_its_board_though_as_many_gpus_are_free() {
        boards("n1");
        submit(1, gpus(1, 1, null), 600);
        submit(2, island(4), 300);
        cell.round();
        submit(3, island(4), 600);
        cell.round();

        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(expected(3)).isEqualTo(cell.now + 300_000 + SLACK);

        end(1);
        cell.round();

        assertThat(cell.where(3)).containsExactly("n1:0:0,1,2,3");
    }

    @Test
    void nobody_takes_gpus_of_an_expected_island_who_would_still_have_them() {
        boards("n1");
        submit(1, gpus(1, 1, null), 600);
        submit(2, island(4), 300);
        submit(3, island(4), 600);
        cell.round();
        submit(4, gpus(1, 1, null), 1000);
        submit(5, gpus(1, 2, null), 200);
        cell.round();

        assertThat(cell.job(3).run()).isNull();
        assertThat(cell.job(4).run()).isNull();
        assertThat(cell.where(5)).hasSize(1);
        assertThat(expected(3)).isEqualTo(cell.now + 300_000 + SLACK);
        assertThat(expected(4)).isGreaterThan(expected(3));

        cell.now += 250_000;
        end(5);
        end(2);
        cell.round();

        assertThat(cell.where(3)).containsExactly("n1:8:4,5,6,7");
        assertThat(cell.where(4)).hasSize(1);
    }

    @Test
    void gpus_that_reach_one_another_over_others_are_an_island_with_these_alone() {
        node("n1", new GpuLinks(List.of("X NV1 SYS", "NV1 X NV1", "SYS NV1 X")), 0, 0, 0);
        cell.submit(1, island(2));
        cell.round();
        cell.submit(2, island(2));
        cell.round();

        assertThat(cell.where(1)).hasSize(1);
        assertThat(cell.job(2).run()).isNull();

        end(1);
        cell.cancel(2);
        cell.submit(3, island(3));
        cell.round();

        assertThat(cell.where(3)).containsExactly("n1:0:0,1,2");
    }

    @Test
    void each_socket_gives_its_gpus_and_cpus() {
        boards("n1");
        cell.submit(1, onSockets(2, 2, 2, 3));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-2,8-10:0,1,4,5");
    }

    @Test
    void one_socket_is_the_one_that_is_left_with_the_least() {
        boards("n1");
        cell.submit(1, gpus(1, 5, null));
        cell.round();
        cell.submit(2, onSockets(1, 2, 1, 4));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:0,1,2,3,4");
        assertThat(cell.where(2)).containsExactly("n1:8-11:5,6");
    }

    @Test
    void a_socket_without_cpus_gives_no_gpus() {
        boards("n1");
        cell.submit(1, TestCell.cpus(8));
        cell.round();
        submit(2, onSockets(2, 1, 2, 1), 600);
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-7:");
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(expected(2)).isEqualTo(cell.now + 600_000 + SLACK);
        assertThat(why(2).changes()).contains(new Change(Axis.SOCKETS, "1", "any"));
    }

    @Test
    void tasks_are_on_a_socket_so_many_at_most() {
        boards("n1");
        cell.submit(1, tasksPerSocket(1, 2, 3));
        cell.submit(2, tasksPerSocket(2, 5, 1));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-2,8-10:");
        assertThat(cell.job(2).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void a_node_whose_gpus_are_on_unknown_sockets_holds_no_such_job() {
        node("n1", null, 0, -1);
        cell.submit(1, onSockets(1, 1, 1, 1));
        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(why(1).stages()).contains(new Stage(Question.SOCKETS, 0, 0));
    }

    @Test
    void a_job_that_has_the_node_to_itself_has_all_its_sockets() {
        boards("n1");
        ResourceRequest request = onSockets(2, 4, 2, 1);
        cell.submit(
                1, request.on(new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null)));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-15:0,1,2,3,4,5,6,7");
    }

    private void bounded(int mostOnSocket) {
        TestPartition.change(
                cell, "batch", TestPartition.used(to -> to.maxCpusPerSocket = mostOnSocket));
    }

    @Test
    void the_jobs_of_a_partition_have_so_many_cpus_of_each_socket() {
        bounded(3);
        node("n1", null);
        cell.submit(1, TestCell.cpus(4));
        cell.submit(2, TestCell.cpus(2));
        submit(3, TestCell.cpus(1), 300);
        cell.round();
        cell.submit(4, TestCell.job(TestCell.cpus(9), 600).in("urgent"));
        cell.submit(5, TestCell.cpus(7));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-2,8:");
        assertThat(cell.where(2)).containsExactly("n1:9-10:");
        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(expected(3)).isEqualTo(cell.now + 600_000 + SLACK);
        assertThat(cell.where(4)).as("of another partition").containsExactly("n1:3-7,11-14:");
        assertThat(cell.job(5).reason()).as("six at most").isEqualTo(Reason.BAD_CONSTRAINTS);

        end(2);
        cell.round();

        assertThat(cell.where(3)).containsExactly("n1:9:");
    }

    @Test
    void what_others_left_of_a_socket_counts_too() {
        bounded(3);
        node("n1", null);
        cell.submit(1, TestCell.job(TestCell.cpus(7), 600).in("urgent"));
        cell.submit(2, TestCell.cpus(5));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-6:");
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);

        cell.submit(3, TestCell.cpus(4));
        cell.cancel(2);
        cell.round();

        assertThat(cell.where(3)).containsExactly("n1:7-10:");
    }

    @Test
    void cpus_that_are_bounded_are_near_to_the_gpus() {
        bounded(3);
        boards("n1");
        submit(1, gpus(1, 4, null), 600);
        cell.round();
        submit(2, gpus(1, 2, null), 600);
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:0,1,2,3");
        assertThat(cell.where(2)).containsExactly("n1:8:4,5");
    }

    @Test
    void a_node_of_one_socket_is_bounded_by_it_and_who_has_it_alone_has_it_whole() {
        bounded(3);
        cell.node("n1", 8, 0, "a100");
        cell.submit(1, TestCell.cpus(4));
        cell.submit(2, TestCell.cpus(3));
        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(cell.where(2)).containsExactly("n1:0-2:");

        end(2);
        var alone = new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null);
        cell.submit(3, TestCell.cpus(2).on(alone));
        cell.round();

        assertThat(cell.where(3)).containsExactly("n1:0-7:");
    }
}
