package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.contracts.event.PartitionRules.Use.OverSubscribe;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Question;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/// Who is on a node beside whom, and with how many CPUs. Nodes have 8 CPUs.
final class NeighboursTest {

    private final TestCell cell = new TestCell();

    private void nodes(String... names) {
        for (String name : names) {
            cell.node(name, 8, 0, "a100");
        }
    }

    private static ResourceRequest cpus(int cpus, Sharing sharing) {
        return new ResourceRequest(
                1,
                1,
                cpus,
                MemoryRequest.perCpu(16),
                GpuRequest.NONE,
                new NodeConstraints(null, List.of(), List.of(), sharing, null));
    }

    private void submit(long id, String user, int cpus, Sharing sharing) {
        cell.submit(id, user, cpus(cpus, sharing));
    }

    private void submit(long id, String partition, String user, int cpus) {
        cell.submit(
                id,
                new JobDescription(
                        user,
                        "team",
                        partition,
                        "normal",
                        "job",
                        cpus(cpus, Sharing.SHARED),
                        LaunchMode.BATCH,
                        600,
                        0,
                        true));
    }

    /// Partition `batch` with other rules.
    private void batch(int maxCpusPerNode, Use use) {
        var rules =
                new PartitionRules(
                        State.UP,
                        1,
                        maxCpusPerNode,
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        null,
                        0,
                        false,
                        null,
                        null,
                        use);
        TestPartition.change(cell, "batch", rules);
    }

    private String on(long job) {
        return String.join(" ", cell.where(job));
    }

    private Reason reason(long job) {
        return cell.job(job).reason();
    }

    @Test
    void a_node_for_one_user_takes_nobody_else() {
        nodes("n1", "n2");
        submit(1, "alice", 2, Sharing.USER);
        submit(2, "bob", 2, Sharing.SHARED);
        submit(3, "alice", 2, Sharing.SHARED);

        cell.round();

        assertThat(on(1)).isEqualTo("n1:0-1:");
        assertThat(on(2)).isEqualTo("n2:0-1:");
        assertThat(on(3)).as("her own jobs may be there").startsWith("n1:");
    }

    @Test
    void a_job_that_wants_a_node_for_its_user_is_not_put_beside_another_user() {
        nodes("n1");
        submit(1, "bob", 2, Sharing.SHARED);
        cell.round();
        submit(2, "alice", 2, Sharing.USER);

        cell.round();

        assertThat(reason(2)).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(2).planned()).isNotNull();
        Verdict why =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(2), cell.now)
                        .orElseThrow();
        assertThat(why.stages())
                .filteredOn(it -> it.question() == Question.NEIGHBOURS)
                .extracting(Verdict.Stage::nodes)
                .containsExactly(0);
        cell.ended(1, 1, "n1", RunReport.Cause.EXITED, 0);
        cell.round();
        assertThat(on(2)).startsWith("n1:");
    }

    @Test
    void nobody_slips_in_before_a_planned_job_that_wants_the_node_for_its_user() {
        nodes("n1");
        submit(1, "bob", 2, Sharing.SHARED);
        cell.round();
        cell.now += 60_000;
        submit(2, "alice", 2, Sharing.USER);
        submit(3, "bob", 2, Sharing.SHARED);
        submit(4, "alice", 2, Sharing.SHARED);

        cell.round();

        assertThat(on(3)).as("his ten minutes end after hers could begin").isEmpty();
        assertThat(on(4)).as("her own may be beside her, and is beside bob now").startsWith("n1:");
    }

    @Test
    void in_a_partition_for_one_user_a_node_every_job_wants_its_node_so() {
        batch(0, Use.ANY.with(to -> to.exclusiveUser = true));
        nodes("n1", "n2");
        submit(1, "batch", "alice", 2);
        submit(2, "batch", "bob", 2);
        submit(3, "urgent", "carol", 2);

        cell.round();

        assertThat(List.of(on(1), on(2), on(3)))
                .as("urgent comes first, and its jobs are no less strangers")
                .containsExactly("n2:0-1:", "", "n1:0-1:");
    }

    @Test
    void in_a_partition_for_one_job_in_a_block_no_two_jobs_share_one() {
        var blocks = List.of(block("a", "n1", "n2"), block("b", "n3", "n4"));
        batch(0, Use.ANY.with(to -> to.exclusiveTopology = true));
        cell.configure(
                cell.state.configuration().orElseThrow(),
                to -> to.blocks = new Blocks(blocks, List.of()));
        nodes("n1", "n2", "n3", "n4");
        submit(1, "batch", "alice", 2);
        submit(2, "urgent", "alice", 2);
        submit(3, "urgent", "carol", 2);
        submit(4, "batch", "alice", 2);

        cell.round();

        assertThat(on(2)).isEqualTo("n1:0-1:");
        assertThat(on(3)).as("it may be beside another of its partition").isEqualTo("n1:2-3:");
        assertThat(on(1)).isEqualTo("n3:0-1:");
        assertThat(on(4)).as("nobody is beside job 1, on n4 neither").isEmpty();
        assertThat(reason(4)).isEqualTo(Reason.RESOURCES);
        Verdict why =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(4), cell.now)
                        .orElseThrow();
        assertThat(why.stages())
                .filteredOn(it -> it.question() == Question.NEIGHBOURS)
                .extracting(Verdict.Stage::nodes)
                .containsExactly(0);

        submit(5, "urgent", "carol", 8);
        cell.round();
        assertThat(on(5)).as("a job of another partition does not go there").isEqualTo("n2:0-7:");
        cell.ended(1, 1, "n3", RunReport.Cause.EXITED, 0);
        cell.round();
        assertThat(on(4)).startsWith("n3:");
    }

    @Test
    void one_job_in_a_block_is_expected_where_all_would_share_their_cpus() {
        batch(
                0,
                Use.ANY.with(to -> {
                    to.exclusiveTopology = true;
                    to.overSubscribe = new OverSubscribe(true, 4);
                }));
        nodes("n1");
        submit(1, "alice", 2, Sharing.SHARED);
        submit(2, "alice", 2, Sharing.SHARED);

        cell.round();

        assertThat(on(1)).isEqualTo("n1:0-1:");
        assertThat(on(2)).isEmpty();
        assertThat(cell.job(2).planned()).isNotNull();
    }

    @Test
    void in_the_blocks_of_who_asks_for_them_nobody_else_is() {
        var blocks = List.of(block("a", "n1", "n2"), block("b", "n3", "n4"));
        cell.configure(to -> to.blocks = new Blocks(blocks, List.of()));
        nodes("n1", "n2", "n3", "n4");
        submit(1, "alice", 2, Sharing.SHARED);
        submit(2, "alice", 2, Sharing.TOPOLOGY);
        submit(3, "alice", 2, Sharing.TOPOLOGY);
        submit(4, "alice", 8, Sharing.SHARED);
        submit(5, "alice", 8, Sharing.SHARED);

        cell.round();

        assertThat(on(1)).isEqualTo("n1:0-1:");
        assertThat(on(2)).isEqualTo("n3:0-1:");
        assertThat(on(3)).as("somebody is in either block").isEmpty();
        assertThat(cell.job(3).planned()).isNotNull();
        assertThat(on(4)).isEqualTo("n2:0-7:");
        assertThat(on(5)).as("nobody is beside job 2, on n4 neither").isEmpty();

        cell.ended(2, 1, "n3", RunReport.Cause.EXITED, 0);
        cell.round();
        assertThat(on(3)).isEqualTo("n3:0-1:");
    }

    private static Block block(String name, String... nodes) {
        return new Block(name, List.of(nodes).stream().map(NodeName::new).toList());
    }

    @Test
    void only_those_who_want_nodes_for_themselves_are_told_apart() {
        nodes("n1");
        submit(1, "alice", 2, Sharing.USER);
        submit(2, "bob", 2, Sharing.SHARED);
        submit(3, "carol", 2, Sharing.SHARED);
        submit(4, "dave", 2, Sharing.USER);
        var tenants = new Tenants(cell.state, cell.state.configuration().orElseThrow());
        IntFunction<JobDescription> job = id -> cell.job(id).description();

        assertThat(tenants.of(job.apply(2))).isEqualTo(tenants.of(job.apply(3)));
        assertThat(tenants.of(job.apply(1)).user()).isNotZero();
        assertThat(tenants.of(job.apply(4)).user())
                .isNotIn(tenants.of(job.apply(1)).user(), tenants.of(job.apply(2)).user());
        JobDescription alone = job.apply(1);
        assertThat(tenants.covers(alone)).isTrue();
        assertThat(tenants.covers(byUser(alone, "bob")))
                .as("one of the others until now")
                .isFalse();
        assertThat(tenants.covers(byUser(alone, "erin"))).as("nobody knew her").isTrue();
    }

    private static JobDescription byUser(JobDescription it, String user) {
        return new JobDescription(
                user,
                it.account(),
                it.partition(),
                it.qos(),
                it.name(),
                it.request(),
                it.launch(),
                it.timeLimitSeconds(),
                0,
                true);
    }

    @Test
    void the_jobs_of_a_partition_have_so_many_cpus_of_a_node() {
        batch(3, Use.ANY);
        nodes("n1", "n2");
        submit(1, "batch", "alice", 2);
        submit(2, "batch", "alice", 2);
        submit(3, "batch", "alice", 2);
        submit(4, "batch", "alice", 1);
        submit(5, "urgent", "alice", 5);

        cell.round();

        assertThat(on(5)).isEqualTo("n1:0-4:");
        assertThat(on(1)).isEqualTo("n1:5-6:");
        assertThat(on(2)).isEqualTo("n2:0-1:");
        assertThat(reason(3)).isEqualTo(Reason.RESOURCES);
        assertThat(on(4)).isEqualTo("n1:7:");
    }

    @Test
    void a_job_that_wants_more_cpus_of_a_node_than_its_partition_has_never_starts() {
        batch(3, Use.ANY);
        nodes("n1");
        submit(1, "batch", "alice", 4);

        cell.round();

        assertThat(reason(1)).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void a_job_that_has_its_node_alone_has_it_whole() {
        batch(3, Use.ANY);
        nodes("n1");
        submit(1, "alice", 2, Sharing.NODE);

        cell.round();

        assertThat(on(1)).isEqualTo("n1:0-7:");
    }
}
