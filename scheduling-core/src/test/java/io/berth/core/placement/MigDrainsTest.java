package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.HeldRun;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Draining;
import io.berth.core.state.Input;
import io.berth.core.testing.MigNode;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A GPU in MIG mode runs empty for a job that wants it divided otherwise. Jobs have a limit of 600
/// seconds where nothing else is said; the one GPU of `n1` in MIG mode is `A`, of two `A` and `B`.
final class MigDrainsTest {

    private static final long COST = 15_000;
    private static final long RUN = 600_000 + Scheduling.SLACK_MILLIS;
    private static final String ONE = "1g.10gb";
    private static final String SEVEN =
            "1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6";

    private final TestCell cell = new TestCell();
    private final Map<String, String> splits = new TreeMap<>();
    private int nonces;

    @BeforeEach
    void give() {
        give(TestCell.configuration());
    }

    private void give(Configuration it) {
        give(it, List.of(new MigGpus(List.of("ALL"), null, null, 15, 300)));
    }

    private void give(Configuration it, List<MigGpus> rules) {
        cell.take(
                new Input.Configured(
                        new Configuration(
                                cell.state.configuration().orElseThrow().revision() + 1,
                                it.cluster().with(to -> to.migGpus = rules),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                it.switches(),
                                it.licenses())));
    }

    /// Jobs of the partition `urgent` have the place of those of others.
    private void preempt() {
        give(
                TestCell.configuration(
                        Limits.NONE,
                        new PreemptRules(
                                PreemptRules.Type.PARTITION_PRIO,
                                PreemptMode.REQUEUE,
                                false,
                                PreemptMode.REQUEUE,
                                0,
                                false,
                                0,
                                0,
                                0,
                                30,
                                null)));
    }

    private void register(String gpu, String geometry) {
        splits.put(gpu, geometry);
        var geometries = new TreeMap<String, List<MigPlacement>>();
        splits.forEach((uuid, words) -> geometries.put(uuid, MigNode.geometry(words)));
        var held = new ArrayList<HeldRun>();
        for (JobId job : cell.state.jobsOn(new NodeName("n1"))) {
            JobStatus.Run run = Objects.requireNonNull(cell.state.knownJob(job).run());
            held.add(new HeldRun(new RunId(job, run.lease()), HeldRun.Phase.RUNNING));
        }
        // The mark stays: a GPU that is not divided has the instances that it had.
        NodeSeen plain = TestCell.seen("n1", 16, 0, "a100", "n1-" + nonces++, "boot", held);
        cell.take(new Input.Registered(MigNode.seen(plain, geometries, "n1", null)));
    }

    private void submit(long id, String profile, long minutes) {
        cell.submit(id, TestCell.job(mig(profile), 60 * minutes));
    }

    private static ResourceRequest mig(String profile) {
        return new ResourceRequest(1, 1, 1, MemoryRequest.perCpu(1024), new GpuRequest(1, profile));
    }

    private void run(int from, int to, String profile, long minutes) {
        for (int job = from; job <= to; job++) {
            submit(job, profile, minutes);
        }
        cell.round();
        for (int job = from; job <= to; job++) {
            cell.started(job, 1, "n1");
        }
    }

    private void end(long job) {
        cell.ended(job, 1, "n1", Cause.EXITED, 0);
    }

    private List<String> divided() {
        return TestCell.orders(cell.round()).stream()
                .filter(Order.Partition.class::isInstance)
                .map(Order.Partition.class::cast)
                .map(it -> it.gpu() + "=" + MigPlacement.words(it.instances()))
                .toList();
    }

    private @Nullable Planned planned(long job) {
        return cell.job(job).planned();
    }

    private JobState state(long job) {
        return cell.job(job).state();
    }

    @Test
    void a_large_job_starts_after_the_last_of_the_small_ones_that_run_now() {
        register("A", SEVEN);
        run(1, 7, "1g.10gb", 10);
        submit(8, "3g.40gb", 10);
        cell.round();

        assertThat(planned(8))
                .isEqualTo(
                        new Planned(
                                cell.now + RUN + COST,
                                cell.now + 2 * RUN + COST,
                                List.of(new NodeName("n1")),
                                1,
                                null,
                                Map.of("A", "7x1g.10gb")));

        submit(9, "1g.10gb", 11);
        for (int job = 1; job <= 6; job++) {
            end(job);
            assertThat(divided()).isEmpty();
        }
        assertThat(state(9)).isEqualTo(JobState.PENDING);
        end(7);
        assertThat(divided()).containsExactly("A=1x3g.40gb+4x1g.10gb");
        register("A", "3g.40gb@4 1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3");
        cell.round();
        assertThat(state(8)).isEqualTo(JobState.RUNNING);
        assertThat(state(9)).isEqualTo(JobState.RUNNING);
    }

    @Test
    void nobody_comes_beside_a_job_that_will_have_the_node_for_its_user_alone() {
        TestPartition.change(cell, "urgent", TestPartition.used(to -> to.exclusiveUser = true));
        register("A", SEVEN);
        run(1, 7, "1g.10gb", 10);
        cell.submit(8, TestCell.job(mig("3g.40gb"), 600).inAnyOf(List.of("batch", "urgent")));
        cell.round();
        Planned plan = planned(8);
        assertThat(plan).satisfies(it -> assertThat(it.partition()).isEqualTo("urgent"));

        cell.submit(9, "bob", TestCell.cpus(1));
        cell.round();
        cell.now += 60_000;
        cell.submit(10, "bob", TestCell.cpus(1));
        cell.round();

        assertThat(state(9)).isEqualTo(JobState.RUNNING);
        assertThat(state(10)).isEqualTo(JobState.PENDING);
        assertThat(planned(8)).isEqualTo(plan);
    }

    @Test
    void a_small_job_that_is_over_by_then_has_an_instance_lent() {
        register("A", SEVEN);
        run(1, 1, "1g.10gb", 30);
        submit(2, "3g.40gb", 10);
        cell.round();
        assertThat(planned(2)).isNotNull();
        Planned before = planned(2);

        submit(3, "1g.10gb", 29);
        submit(4, "1g.10gb", 31);
        cell.round();

        assertThat(state(3)).isEqualTo(JobState.RUNNING);
        assertThat(state(4)).isEqualTo(JobState.PENDING);
        assertThat(planned(2)).isEqualTo(before);
        end(1);
        assertThat(divided()).isEmpty();
        end(3);
        assertThat(divided()).containsExactly("A=1x3g.40gb+4x1g.10gb");
    }

    @Test
    void nobody_ahead_is_put_off() {
        register("A", SEVEN);
        run(1, 7, "1g.10gb", 10);
        submit(8, "1g.10gb", 10);
        submit(9, "3g.40gb", 10);
        cell.round();

        assertThat(Objects.requireNonNull(planned(8)).start()).isEqualTo(cell.now + RUN);
        assertThat(planned(9)).isNull();
        end(1);
        cell.round();
        assertThat(state(8)).isEqualTo(JobState.RUNNING);
        assertThat(Objects.requireNonNull(planned(9)).start()).isEqualTo(cell.now + RUN + COST);
    }

    @Test
    void one_who_comes_to_stand_ahead_has_what_is_kept() {
        register("A", SEVEN);
        run(1, 2, "1g.10gb", 10);
        submit(3, "3g.40gb", 10);
        cell.round();
        submit(4, "1g.10gb", 60);
        cell.rank(4, 10);

        cell.round();

        assertThat(state(4)).isEqualTo(JobState.RUNNING);
        assertThat(Objects.requireNonNull(planned(3)).start())
                .isEqualTo(cell.now + 3_600_000 + Scheduling.SLACK_MILLIS + COST);
    }

    @Test
    void an_instance_of_the_right_size_that_comes_free_sooner_is_waited_for() {
        register("A", SEVEN);
        register("B", "3g.40gb@0 3g.40gb@4");
        run(1, 7, "1g.10gb", 60);
        run(8, 9, "3g.40gb", 10);
        submit(10, "3g.40gb", 10);
        cell.round();

        assertThat(Objects.requireNonNull(planned(10)).drains()).isEmpty();
        assertThat(Objects.requireNonNull(planned(10)).start()).isEqualTo(cell.now + RUN);
    }

    /// A is in sevenths for ten minutes more, B in halves for an hour.
    private void job10WantsHalfOfAGpu() {
        register("A", SEVEN);
        register("B", "3g.40gb@0 3g.40gb@4");
        run(1, 7, "1g.10gb", 10);
        run(8, 9, "3g.40gb", 60);
        submit(10, "3g.40gb", 10);
        cell.round();
    }

    @Test
    void a_gpu_that_runs_empty_before_is_better_than_the_right_size_later() {
        job10WantsHalfOfAGpu();

        assertThat(Objects.requireNonNull(planned(10)).drains()).containsOnlyKeys("A");
        assertThat(Objects.requireNonNull(planned(10)).start()).isEqualTo(cell.now + RUN + COST);
    }

    @Test
    void of_several_gpus_the_one_that_is_empty_first_is_taken_and_the_others_go_on() {
        register("A", SEVEN);
        register("B", SEVEN);
        run(1, 7, "1g.10gb", 60);
        run(8, 14, "1g.10gb", 10);
        submit(15, "3g.40gb", 10);
        cell.round();
        String first = Objects.requireNonNull(planned(15)).drains().keySet().iterator().next();
        end(14);
        end(7);
        submit(16, "1g.10gb", 60);
        cell.round();

        List<String> on =
                Objects.requireNonNull(cell.job(16).run()).allocations().getFirst().gpus();
        assertThat(on).singleElement().asString().doesNotContain("MIG-" + first);
    }

    /// A GPU on each of more nodes than are looked at, the last of them by name empty first.
    @Test
    void of_many_nodes_the_one_with_the_gpu_that_is_empty_first_is_looked_at() {
        int nodes = MigChoices.STEPS + 2;
        for (int node = 1; node <= nodes; node++) {
            String name = "m%04d".formatted(node);
            NodeSeen plain = TestCell.seen(name, 16, 0, "a100", name, "boot", List.of());
            cell.take(
                    new Input.Registered(
                            MigNode.seen(
                                    plain,
                                    Map.of("A-" + name, MigNode.geometry(SEVEN)),
                                    name,
                                    null)));
        }
        var all = new ResourceRequest(1, 1, 1, MemoryRequest.perCpu(1024), new GpuRequest(7, ONE));
        for (int job = 1; job <= nodes; job++) {
            cell.submit(job, TestCell.job(all, 60 * (job == nodes ? 10 : 20)));
        }
        cell.round();
        String soonest =
                Objects.requireNonNull(cell.job(nodes).run())
                        .allocations()
                        .getFirst()
                        .node()
                        .value();
        assertThat(soonest).isEqualTo("m%04d".formatted(nodes));
        submit(nodes + 1, "3g.40gb", 10);
        cell.round();

        assertThat(Objects.requireNonNull(planned(nodes + 1)).start())
                .isEqualTo(cell.now + RUN + COST);
        assertThat(Objects.requireNonNull(planned(nodes + 1)).drains())
                .containsOnlyKeys("A-" + soonest);
    }

    @Test
    void what_is_left_of_it_is_for_those_behind() {
        register("A", SEVEN);
        run(1, 7, "1g.10gb", 10);
        submit(8, "3g.40gb", 10);
        submit(9, "3g.40gb", 10);
        submit(10, "3g.40gb", 10);
        cell.round();

        assertThat(Objects.requireNonNull(planned(8)).start()).isEqualTo(cell.now + RUN + COST);
        assertThat(Objects.requireNonNull(planned(9)).start()).isEqualTo(cell.now + RUN + COST);
        assertThat(planned(10)).isNull();
    }

    @Test
    void the_gpu_fills_again_when_the_job_has_gone() {
        register("A", SEVEN);
        run(1, 2, "1g.10gb", 10);
        submit(3, "3g.40gb", 10);
        submit(4, "1g.10gb", 60);
        cell.round();
        assertThat(state(4)).isEqualTo(JobState.PENDING);

        cell.cancel(3);
        cell.round();

        assertThat(state(4)).isEqualTo(JobState.RUNNING);
    }

    @Test
    void two_jobs_that_want_it_otherwise_do_not_take_turns() {
        register("A", "3g.40gb@0 1g.10gb@4 1g.10gb@5");
        run(1, 1, "3g.40gb", 10);
        submit(2, "7g.80gb", 10);
        submit(3, "4g.40gb", 10);
        var seen = new ArrayList<Map<String, String>>();
        for (int round = 0; round < 5; round++) {
            cell.round();
            seen.add(Objects.requireNonNull(planned(2)).drains());
            assertThat(planned(3)).isNull();
            cell.now += 1000;
        }

        assertThat(seen).containsOnly(Map.of("A", "1x3g.40gb+2x1g.10gb"));
        end(1);
        assertThat(divided()).containsExactly("A=1x7g.80gb");
    }

    @Test
    void who_may_have_the_place_of_a_run_there_has_it_at_once() {
        preempt();
        register("A", SEVEN);
        run(1, 7, "1g.10gb", 10);
        submit(8, "3g.40gb", 10);
        cell.round();
        assertThat(planned(8)).isNotNull();

        cell.submit(9, "urgent", mig("1g.10gb"), LaunchMode.BATCH, true);
        cell.round();

        assertThat(cell.job(9).clearing()).isNotNull();
        assertThat(planned(8)).isNull();
    }

    @Test
    void nobody_gives_way_of_whom_a_gpu_runs_empty_for_a_job_ahead() {
        preempt();
        register("A", SEVEN);
        run(1, 7, "1g.10gb", 10);
        cell.submit(8, "urgent", mig("3g.40gb"), LaunchMode.BATCH, true);
        cell.round();
        Planned before = planned(8);
        assertThat(before).isNotNull();

        cell.submit(9, "urgent", TestCell.cpus(12), LaunchMode.BATCH, true);
        cell.round();

        assertThat(planned(8)).isEqualTo(before);
        assertThat(cell.job(9).clearing()).isNull();
        assertThat(Objects.requireNonNull(planned(9)).start()).isEqualTo(cell.now + RUN);
    }

    @Test
    void the_expected_start_goes_with_the_rule_for_the_gpu() {
        job10WantsHalfOfAGpu();
        assertThat(Objects.requireNonNull(planned(10)).drains()).containsOnlyKeys("A");

        give(TestCell.configuration(), List.of());
        cell.round();

        assertThat(Objects.requireNonNull(planned(10)).start())
                .isEqualTo(cell.now + 3_600_000 + Scheduling.SLACK_MILLIS);
    }

    @Test
    void why_names_the_gpu_that_runs_empty() {
        register("A", SEVEN);
        run(1, 7, "1g.10gb", 10);
        submit(8, "3g.40gb", 10);
        cell.round();

        Verdict verdict =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(8), cell.now)
                        .orElseThrow();

        assertThat(verdict.draining()).containsExactly(new Draining(new NodeName("n1"), 0));
    }
}
