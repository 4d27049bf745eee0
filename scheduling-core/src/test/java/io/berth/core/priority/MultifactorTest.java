package io.berth.core.priority;

import static io.berth.core.testing.TestCluster.PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.Rank;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.PriorityRules;
import io.berth.contracts.event.PriorityRules.FairShareRule;
import io.berth.contracts.event.PriorityRules.UsageReset;
import io.berth.contracts.event.Terms;
import io.berth.core.testing.TestCluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MultifactorTest {

    private static final long POINT = 1_000_000;
    private static final long WEEK = 7 * 86_400;
    private static final ClusterSize EIGHT_NODES = new ClusterSize(8, 1024);
    private static final Weights WEIGHTS = new Weights(1000, 10_000, 1000, 500, 10_000);

    @Test
    void job_size_is_the_mean_of_the_parts_of_nodes_and_cpus() {
        Rank rank = rank(job("batch", "normal", 1, 8, 0), WEIGHTS, false, EIGHT_NODES);

        // What sprio of a real Slurm showed as 66 for this request.
        assertThat(rank.jobSize()).isEqualTo(66_406_250);
    }

    @Test
    void favoured_small_jobs_get_the_rest() {
        Rank rank = rank(job("batch", "normal", 1, 8, 0), WEIGHTS, true, EIGHT_NODES);

        assertThat(rank.jobSize()).isEqualTo(1000 * POINT - 66_406_250);
    }

    @Test
    void a_job_larger_than_the_cell_has_factor_1() {
        Rank rank = rank(job("batch", "normal", 64, 9999, 0), WEIGHTS, false, EIGHT_NODES);

        assertThat(rank.jobSize()).isEqualTo(1000 * POINT);
    }

    @Test
    void an_unknown_cell_gives_nothing_for_size() {
        Rank rank = rank(job("batch", "normal", 1, 8, 0), WEIGHTS, true, ClusterSize.UNKNOWN);

        assertThat(rank.jobSize()).isZero();
    }

    @Test
    void partition_and_qos_are_relative_to_the_largest() {
        Rank rank = rank(job("batch", "high", 1, 1, 0), WEIGHTS, false, EIGHT_NODES);

        assertThat(rank.partition()).isEqualTo(125 * POINT);
        assertThat(rank.qos()).isEqualTo(10_000 * POINT);
    }

    @Test
    void an_unknown_partition_or_qos_gives_nothing() {
        Rank rank = rank(job("gone", "gone", 1, 1, 0), WEIGHTS, false, EIGHT_NODES);

        assertThat(rank.partition()).isZero();
        assertThat(rank.qos()).isZero();
    }

    @Test
    void nice_is_subtracted_in_points() {
        Rank rank = rank(job("batch", "normal", 1, 1, 50), WEIGHTS, false, EIGHT_NODES);

        assertThat(rank.nice()).isEqualTo(-50 * POINT);
    }

    @Test
    void a_site_factor_is_added_in_points() {
        var terms = JobTerms.NONE.with(to -> to.siteFactor = 500);

        Rank rank = rank(job("batch", "normal", 1, 1, 0).on(terms), WEIGHTS, false, EIGHT_NODES);

        assertThat(rank.sitePart()).isEqualTo(500 * POINT);
        assertThat(rank.after(0))
                .isEqualTo(rank.jobSize() + rank.partition() + rank.qos() + 500 * POINT);
    }

    @Test
    void age_is_full_at_the_maximum_and_never_more() {
        Rank rank = rank(job("gone", "gone", 1, 1, 0), WEIGHTS, false, ClusterSize.UNKNOWN);

        assertThat(rank.after(0)).isZero();
        assertThat(rank.after(WEEK * 1000 / 2)).isBetween(500 * POINT, 501 * POINT);
        assertThat(rank.after(WEEK * 1000)).isEqualTo(1000 * POINT);
        assertThat(rank.after(WEEK * 9000)).isEqualTo(1000 * POINT);
    }

    @Test
    void the_largest_weights_do_not_overflow() {
        int max = Integer.MAX_VALUE;
        var weights = new Weights(max, max, max, max, max);

        Rank rank = rank(job("interactive", "high", 8, 1024, -max), weights, false, EIGHT_NODES);

        assertThat(rank.after(WEEK * 1000)).isEqualTo(5L * max * POINT);
    }

    @Test
    void size_by_time_is_cpus_per_minute_of_the_limit() {
        var rules = rules(true, 0, Map.of());

        Rank rank = rank(job("batch", "normal", 1, 512, 0), rules);

        // 512 CPUs for a minute, of 1024.
        assertThat(rank.jobSize()).isEqualTo(500 * POINT);
    }

    @Test
    void size_by_time_of_a_job_with_few_cpus_is_that_of_its_nodes() {
        Rank rank = rank(job("batch", "normal", 2, 8, 0), rules(true, 0, Map.of()));

        // 2 nodes for a minute, of 8.
        assertThat(rank.jobSize()).isEqualTo(250 * POINT);
    }

    @Test
    void size_by_time_of_a_job_without_a_limit_is_nothing() {
        var rules = rules(true, 0, Map.of());
        JobDescription job = job("batch", "normal", 8, 1024, 0, 0);

        Rank rank = rank(job, rules);
        Rank small = Multifactor.rank(job, configuration(WEIGHTS, true, rules), EIGHT_NODES, 1);

        assertThat(rank.jobSize()).isZero();
        assertThat(small.jobSize()).isEqualTo(1000 * POINT);
    }

    @Test
    void each_weighted_resource_counts_by_its_part_of_the_cell() {
        var rules = rules(false, 0, Map.of(Tres.CPU, 1000L, Tres.NODE, 800L, Tres.GPU, 5000L));

        Rank rank = rank(job("batch", "normal", 2, 256, 0), rules);

        // A quarter of the CPUs and of the nodes; the cell has no GPUs.
        assertThat(rank.tres()).isEqualTo((250 + 200) * POINT);
        assertThat(rank.after(0)).isEqualTo(rank.jobSize() + rank.partition() + 450 * POINT);
    }

    @Test
    void an_association_without_a_priority_has_that_of_the_nearest_account_above() {
        Rank alice = rank(job("batch", "normal", 1, 1, 0), rules(false, 300, Map.of()));

        // 4 of science, above team_a; the largest is 6 of bob.
        assertThat(alice.association()).isEqualTo(200 * POINT);
    }

    private static PriorityRules rules(
            boolean sizeByTime, int association, Map<String, Long> tres) {
        return new PriorityRules(
                FairShareRule.FAIR_TREE, 1, UsageReset.NONE, sizeByTime, association, tres);
    }

    private static Terms priority(int priority) {
        return new Terms(null, List.of(), priority, Limits.NONE, Map.of());
    }

    private static Rank rank(JobDescription job, PriorityRules rules) {
        return Multifactor.rank(job, configuration(WEIGHTS, false, rules), EIGHT_NODES, 1);
    }

    private static Rank rank(
            JobDescription job, Weights weights, boolean favorSmall, ClusterSize size) {
        return Multifactor.rank(
                job, configuration(weights, favorSmall, PriorityRules.DEFAULT), size, 1);
    }

    private static Configuration configuration(
            Weights weights, boolean favorSmall, PriorityRules rules) {
        return TestCluster.configuration(
                TestCluster.of(
                        "default", new Prices(1000, 0, 0, Map.of()), weights, favorSmall, rules),
                new Account(PART, "science", null, 1, priority(4), null),
                new Account(PART, "team_a", "science", 1),
                new Association(PART, "team_a", "alice", 1, true),
                new Association(PART, "team_a", "bob", 1, true, priority(6)),
                partition("batch", 1),
                partition("interactive", 4),
                new Qos(PART, "normal", 0),
                new Qos(PART, "high", 100));
    }

    private static Partition partition(String name, int jobFactor) {
        return new Partition(PART, name, false, List.of("ALL"), 0, 0, 0, jobFactor, 1, 0);
    }

    private static JobDescription job(String partition, String qos, int nodes, int cpus, int nice) {
        return job(partition, qos, nodes, cpus, nice, 60);
    }

    private static JobDescription job(
            String partition, String qos, int nodes, int cpus, int nice, long limitSeconds) {
        var request =
                new ResourceRequest(
                        nodes,
                        nodes,
                        Math.ceilDiv(cpus, nodes),
                        MemoryRequest.perNode(1),
                        GpuRequest.NONE);
        return new JobDescription(
                "alice",
                "team_a",
                partition,
                qos,
                "job",
                request,
                LaunchMode.values()[0],
                limitSeconds,
                nice,
                true);
    }
}
