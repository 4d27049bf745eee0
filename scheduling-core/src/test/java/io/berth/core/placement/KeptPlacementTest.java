package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Limits;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// One and the same placement decides and tells from round to round what a fresh one would, also
/// where a job may start in several partitions.
final class KeptPlacementTest {

    private final TestCell cell = new TestCell();
    private Placement kept = new Placement(cell.state, Settings.DEFAULT);

    private void note(List<Fact> facts) {
        facts.forEach(kept::note);
    }

    private void round() {
        List<Fact> facts = Engine.place(cell.state, kept, cell.now, Pass.START);
        facts.forEach(cell.state::replay);
        note(facts);
    }

    /// Only one waiting job is expected to start at a certain time from now on.
    private void expectOne() {
        var one = new Settings(Backfill.CONSERVATIVE, 1, Settings.DEFAULT.policy());
        kept = new Placement(cell.state, one);
    }

    private void end(long job) {
        note(cell.started(job, 1, "n1"));
        note(cell.ended(job, 1, "n1", Cause.EXITED, 0));
    }

    private Reason reason(long job) {
        return cell.job(job).reason();
    }

    @Test
    void a_pass_that_is_cut_off_is_gone_on_with_at_once() {
        kept = new Placement(cell.state, Settings.DEFAULT.with(2));
        note(cell.node("n1", 16, 0, "a100"));
        for (long job = 1; job <= 5; job++) {
            note(cell.submit(job, TestCell.cpus(1)));
        }

        round();
        assertThat(running()).containsExactly(1L, 2L);
        assertThat(kept.next(cell.now)).isEqualTo(cell.now);
        note(cell.submit(6, TestCell.cpus(1)));
        round();
        assertThat(running()).containsExactly(1L, 2L, 3L, 4L);
        round();
        assertThat(running()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        round();
        assertThat(kept.next(cell.now)).isGreaterThan(cell.now);
    }

    private List<Long> running() {
        return LongStream.rangeClosed(1, 6)
                .filter(it -> cell.state.job(new JobId(it)).isPresent())
                .filter(it -> cell.job(it).run() != null)
                .boxed()
                .toList();
    }

    @Test
    void tasks_that_waited_for_room_are_told_that_a_task_which_starts_keeps_them() {
        expectOne();
        note(cell.node("n1", 4, 0, "a100"));
        note(cell.submit(1, TestCell.cpus(4)));
        round();
        var array = new JobArray(IndexSet.parse("0-2"), 1, List.of(new JobArray.Ids(2, 4)));
        note(cell.submit(2, TestCell.job(TestCell.cpus(4), 600), array));
        round();
        assertThat(List.of(reason(2), reason(3), reason(4)))
                .containsExactly(Reason.RESOURCES, Reason.PRIORITY, Reason.PRIORITY);

        round();
        end(1);
        round();

        assertThat(cell.job(2).run()).isNotNull();
        assertThat(List.of(reason(3), reason(4))).containsOnly(Reason.JOB_ARRAY_TASK_LIMIT);
    }

    @Test
    void those_who_waited_for_room_are_told_that_another_one_has_the_licenses_now() {
        expectOne();
        note(
                cell.take(
                        new Input.Configured(
                                TestCell.configuration(
                                        Limits.NONE,
                                        PreemptRules.NONE,
                                        List.of(it -> new License(it, "matlab", 1))))));
        note(cell.node("n1", 4, 0, "a100"));
        note(cell.submit(1, TestCell.cpus(4)));
        round();
        note(cell.submit(2, licensed(TestCell.cpus(4))));
        note(cell.submit(3, licensed(TestCell.cpus(4))));
        note(cell.submit(4, licensed(TestCell.cpus(4))));
        round();
        assertThat(List.of(reason(2), reason(3), reason(4)))
                .containsExactly(Reason.RESOURCES, Reason.PRIORITY, Reason.PRIORITY);

        round();
        end(1);
        round();

        assertThat(cell.job(2).run()).isNotNull();
        assertThat(List.of(reason(3), reason(4))).containsOnly(Reason.LICENSES);
    }

    private static ResourceRequest licensed(ResourceRequest it) {
        return new ResourceRequest(
                it.nodes(),
                it.tasks(),
                it.cpusPerTask(),
                it.memory(),
                it.gpus(),
                null,
                Map.of("matlab", 1));
    }

    @Test
    void a_job_starts_elsewhere_on_a_node_that_was_only_kept_for_it_to_be_alone_in_its_block() {
        note(cell.node("n1", 8, 4, "a100"));
        note(cell.node("n2", 8, 4, "a100"));
        note(cell.node("n3", 8, 4, "a100"));
        var block = new Block("first", List.of(new NodeName("n1"), new NodeName("n2")));
        cell.configure(to -> to.blocks = new Blocks(List.of(block), List.of()));
        TestPartition.change(cell, "urgent", TestPartition.used(to -> to.exclusiveTopology = true));
        var drained = new NodeRequest.DrainRequested(new NodeName("n2"), "root", "fan");
        note(cell.take(new Input.NodeAsked(drained)));
        note(cell.submit(1, TestCell.gpus(1, 1, null)));
        round();
        assertThat(cell.where(1)).containsExactly("n1:0:0");
        note(
                cell.submit(
                        2,
                        TestCell.job(TestCell.gpus(2, 4, null), 600)
                                .inAnyOf(List.of("batch", "urgent"))));
        round();
        assertThat(cell.job(2).planned())
                .satisfies(it -> assertThat(it.partition()).isEqualTo("urgent"));

        round();
        cell.now += 60_000;
        note(
                cell.take(
                        new Input.NodeAsked(
                                new NodeRequest.ResumeRequested(new NodeName("n2"), "root"))));
        round();

        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(2).description().partition()).isEqualTo("batch");
    }

    @Test
    void a_job_comes_beside_no_other_user_in_a_partition_of_one_user_that_it_names_second() {
        TestPartition.change(cell, "urgent", TestPartition.used(to -> to.exclusiveUser = true));
        note(cell.node("n1", 8, 0, "a100"));
        note(cell.submit(1, "bob", TestCell.cpus(4)));
        round();
        cell.now += 60_000;
        note(
                cell.submit(
                        2,
                        TestCell.job(TestCell.cpus(4), 600).inAnyOf(List.of("batch", "urgent"))));
        round();

        assertThat(cell.where(2)).containsExactly("n1:4-7:");
        assertThat(cell.job(2).description().partition()).isEqualTo("batch");
    }
}
