package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.packing.Policies;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The cluster names the policy by which one of the nodes with room is taken.
final class PlacementPackingTest {

    private final TestCell cell = new TestCell();

    static List<String> policies() {
        return Policies.live();
    }

    private void packing(String policy) {
        cell.configure(it -> it.packing = policy);
    }

    private String nodeOf(long job) {
        return cell.where(job).getFirst().split(":")[0];
    }

    /// Most free CPUs: n1. Least left of GPUs: n3. Nothing in use yet, so the fewest GPUs: n3.
    @ParameterizedTest
    @CsvSource({
        "tightest, n3",
        "first-fit, n1",
        "least-loaded, n1",
        "gpu-packing, n3",
        "dot-product, n3",
        "newer-than-this, n3"
    })
    void the_node_is_the_one_that_the_policy_takes(String policy, String node) {
        packing(policy);
        cell.node("n1", 32, 4, "a100");
        cell.node("n2", 16, 4, "a100");
        cell.node("n3", 16, 2, "a100");
        cell.submit(1, TestCell.gpus(1, 1, "a100"));

        cell.round();

        assertThat(nodeOf(1)).isEqualTo(node);
    }

    @Test
    void a_partition_of_the_least_loaded_takes_no_other() {
        packing("first-fit");
        TestPartition.change(cell, "batch", TestPartition.used(to -> to.leastLoaded = true));
        cell.node("n1", 16, 4, "a100");
        cell.node("n2", 32, 4, "a100");
        cell.submit(1, TestCell.gpus(1, 1, "a100"));

        cell.round();

        assertThat(nodeOf(1)).isEqualTo("n2");
    }

    /// Two nodes' worth of GPUs of each form: whole ones, a gang's, and none.
    @ParameterizedTest
    @MethodSource("policies")
    void what_fits_starts_by_every_policy(String policy) {
        packing(policy);
        for (int node = 1; node <= 3; node++) {
            cell.node("n" + node, 16, 4, "a100");
        }
        cell.submit(1, TestCell.gpus(2, 3, null));
        cell.submit(2, TestCell.gpus(1, 4, "a100"));
        cell.submit(3, TestCell.gpus(1, 1, null));
        cell.submit(4, TestCell.cpus(4));
        cell.submit(5, TestCell.gpus(1, 1, null));

        cell.round();

        for (long job = 1; job <= 5; job++) {
            assertThat(cell.job(job).run()).as("job " + job).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource({", tightest", "default, default", "newer-than-this, tightest"})
    void the_policy_is_told_with_why_a_job_waits(@Nullable String named, String told) {
        cell.configure(it -> it.packing = named);
        cell.node("n1", 32, 4, "a100");
        cell.submit(1, TestCell.gpus(1, 4, null));
        cell.submit(2, TestCell.gpus(1, 4, null));
        cell.round();

        Verdict why =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(2), cell.now)
                        .orElseThrow();

        assertThat(why.packing()).isEqualTo(told);
    }

    private static ResourceRequest ofTypes(int a100, int v100) {
        return new ResourceRequest(
                1,
                1,
                1,
                MemoryRequest.perCpu(16),
                GpuRequest.ofTypes(Map.of("a100", a100, "v100", v100), null));
    }

    /// All other jobs want a GPU of each type, which only n1 has.
    @ParameterizedTest
    @CsvSource({"first-fit, n1", "fgd, n2", "default, n2"})
    void one_gpu_is_not_taken_of_two_types_that_jobs_want_together(String policy, String node) {
        packing(policy);
        cell.node("n1", 64, 2, "a100+v100");
        cell.node("n2", 64, 2, "a100");
        for (int job = 1; job <= 64; job++) {
            cell.submit(job, ofTypes(1, 1));
            cell.cancel(job);
        }
        cell.submit(65, TestCell.gpus(1, 1, "a100"));

        cell.round();

        assertThat(nodeOf(65)).isEqualTo(node);
    }

    /// Two jobs of a GPU each leave as much of n1 as one of two GPUs leaves of n2.
    @Test
    void jobs_of_as_many_gpus_of_all_types_are_kept_together() {
        packing("gpu-clustering");
        cell.node("n1", 64, 4, "a100+v100");
        cell.node("n2", 64, 4, "a100+v100");
        cell.submit(1, TestCell.gpus(1, 1, "a100"));
        cell.submit(2, TestCell.gpus(1, 1, "v100"));
        cell.submit(3, ofTypes(1, 1));
        cell.submit(4, ofTypes(1, 1));

        cell.round();

        assertThat(List.of(nodeOf(1), nodeOf(2), nodeOf(3), nodeOf(4)))
                .containsExactly("n1", "n1", "n2", "n2");
    }

    private void share(String policy) {
        var both = new SharedGpus(List.of("ALL"), IndexSet.parse("0-1"), GpuSharing.MPS, 1000);
        cell.configure(it -> {
            it.packing = policy;
            it.sharedGpus = List.of(both);
        });
        cell.node("n1", 64, 2, "a100");
    }

    private static ResourceRequest mps(int thousandths) {
        return new ResourceRequest(
                1,
                1,
                1,
                MemoryRequest.perCpu(16),
                GpuRequest.of(new ShareRequest(GpuSharing.MPS, thousandths, null), null));
    }

    private void arrive(int jobs) {
        for (int job = 1; job <= jobs; job++) {
            cell.submit(job, mps(job % 2 == 0 ? 470 : 530));
            cell.cancel(job);
        }
    }

    /// A GPU has 530 free and another one is free. 470 would leave 60 of the first, which nobody
    /// wants; of the other it leaves 530, which half of the jobs want.
    @ParameterizedTest
    @CsvSource({"tightest, 0", "default, 1", "fgd, 1", "first-fit, 0"})
    void parts_go_to_the_gpu_where_those_that_come_lose_the_least(String policy, int gpu) {
        share(policy);
        arrive(64);
        cell.submit(65, mps(470));
        cell.round();
        cell.submit(66, mps(470));

        cell.round();

        assertThat(cell.where(65).getFirst()).endsWith(":0");
        assertThat(cell.where(66).getFirst()).endsWith(":" + gpu);
    }

    /// Half of the jobs want both GPUs of a node whole, and n2 is the tightest.
    @Test
    void a_node_is_kept_for_jobs_that_want_all_of_it() {
        packing("default");
        cell.node("n1", 16, 3, "a100");
        cell.node("n2", 16, 2, "a100");
        for (int job = 1; job <= 64; job++) {
            cell.submit(job, TestCell.gpus(1, job % 2 == 0 ? 1 : 2, null));
            cell.cancel(job);
        }
        cell.submit(65, TestCell.gpus(1, 1, null));

        cell.round();

        assertThat(nodeOf(65)).isEqualTo("n1");
    }
}
