package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.core.request.Sight;
import io.berth.core.state.Transitions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ExplanationTest {
    private static final long NOW = 1_000_000;
    private static final Sight SEES_ALL = new Sight(null, "root", true);
    private static final JobDescription TWO_GPUS = Samples.description("alice", "batch", 2);

    private final Picture picture = new Picture(List.of());

    @BeforeEach
    void setUp() {
        Samples.configEntries().forEach(picture::configEntry);
        picture.nodeStatus(Samples.nodeStatus(Samples.DGX, Presence.UP));
        picture.nodeStatus(Samples.nodeStatus(Samples.DGX_2, Presence.DOWN));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    None               | The scheduler has not looked at the job yet.
                    Resources          | It is next in partition batch and waits for 2 GPUs, 4 CPUs and 8192 MiB of memory on one node. Free are 7 such GPUs, at most 7 on one node, and at most 124 CPUs on one node; 1 of 2 nodes up. It has no expected start: the plan holds 0 jobs and does not reach it yet.
                    Priority           | 0 jobs are before it in partition batch. It waits for 2 GPUs, 4 CPUs and 8192 MiB of memory on one node. Free are 7 such GPUs, at most 7 on one node, and at most 124 CPUs on one node; 1 of 2 nodes up. It has no expected start: the plan holds 0 jobs and does not reach it yet.
                    BadConstraints     | No nodes of partition batch could ever hold it: it asks for 2 GPUs, 4 CPUs and 8192 MiB of memory on one node, but it has too few such nodes.
                    ReqNodeNotAvail    | Nodes that could hold it are not available: dgx-02 (DOWN). It waits for 2 GPUs, 4 CPUs and 8192 MiB of memory on one node.
                    PartitionTimeLimit | Its time limit of 01:00:00 is above the 1-00:00:00 that partition batch allows.
                    PartitionNodeLimit | It asks for 1 nodes, and partition batch allows 4 for one job.
                    PartitionConfig    | Partition batch is not configured any more.
                    """)
    void a_waiting_job_says_what_it_waits_for(String reason, String text) {
        running(1, List.of("GPU-dgx-01-0"));
        picture.jobStatus(
                Samples.status(2, TWO_GPUS, JobState.PENDING, Reason.of(reason), Rank.NONE), 0);

        assertThat(explain(2).text()).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    BadConstraints  | 9 | but 9 GPUs on one node, and the largest has 8.
                    ReqNodeNotAvail | 2 | Nodes that could hold it are not available. It waits for
                    """)
    void nodes_that_are_private_are_not_named(String reason, int gpus, String text) {
        JobDescription job = Samples.description("alice", "batch", gpus);
        picture.jobStatus(
                Samples.status(2, job, JobState.PENDING, Reason.of(reason), Rank.NONE), 0);
        var blind = new Sight(null, "alice", false);

        assertThat(explain(2, blind).text()).contains(text).doesNotContain("dgx");
        assertThat(explain(2).text()).contains("dgx");
    }

    @ParameterizedTest
    @CsvSource({"PENDING, The scheduler has", "RUNNING, The job runs on", "SUSPENDED, The job is"})
    void a_job_that_a_node_failed_says_so_until_it_is_over(JobState state, String begin) {
        picture.jobStatus(Samples.lostBefore(2, TWO_GPUS, state, "XID 79 of GPU 0"), 0);

        assertThat(explain(2).text())
                .startsWith(begin)
                .endsWith(". The run before ended: XID 79 of GPU 0.");
    }

    @Test
    void a_job_that_waits_for_room_says_so_if_it_has_no_expected_start() {
        JobStatus waits =
                Samples.status(2, TWO_GPUS, JobState.PENDING, Reason.RESOURCES, Rank.NONE);
        picture.jobStatus(waits, 0);
        assertThat(explain(2).text()).contains("It has no expected start");

        var planned = new JobStatus.Planned(5_000, 9_000, List.of(Samples.DGX.node()), 1);
        picture.jobStatus(Transitions.planned(waits, planned), 1);
        assertThat(explain(2).text()).endsWith("nodes up.");
    }

    /// Each of two nodes is kept for an hour when the other has just been free for one.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    20 | the plan holds 20 jobs and does not reach it yet.
                    80 | the search stopped after the 64 moments, or the nodes, that it looks at; it starts as soon as enough is free.
                    """)
    void a_plan_that_is_full_is_told_from_a_search_that_gave_up(int planned, String because) {
        picture.nodeStatus(Samples.nodeStatus(Samples.DGX_2, Presence.UP));
        for (int job = 1; job <= planned; job++) {
            JobStatus waits = waits(job, Samples.description("alice", "batch", 8));
            List<NodeName> node = List.of((job % 2 == 0 ? Samples.DGX : Samples.DGX_2).node());
            long start = NOW + job * 5_400_000L - 5_399_000;
            var kept = new JobStatus.Planned(start, start + 3_602_000, node, job);
            picture.jobStatus(Transitions.planned(waits, kept), 0);
        }
        var wide =
                new ResourceRequest(2, 2, 4, MemoryRequest.perNode(8192), new GpuRequest(8, null));
        picture.jobStatus(waits(1000, TWO_GPUS.with(wide)), 0);

        assertThat(explain(1000).text()).endsWith("It has no expected start: " + because);
    }

    @Test
    void a_job_without_nodes_that_could_hold_it_can_never_start() {
        picture.jobStatus(waits(2, Samples.description("alice", "cpu", 0)), 0);

        assertThat(explain(2).text())
                .endsWith(
                        "It has no expected start: as things stand, there is room for it at no time at which it may start.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    7200 |      | its deadline.
                         | 3600 | it has waited as long as it may.
                    7200 | 3600 | its deadline, or before it has waited as long as it may.
                    """)
    void a_job_that_ends_before_there_is_room_says_so(
            @Nullable Long deadline, @Nullable Long wait, String before) {
        var node = List.of(Samples.DGX.node());
        JobStatus ahead = waits(1, Samples.description("alice", "batch", 8));
        var kept = new JobStatus.Planned(NOW + 1000, NOW + 3_603_000, node, 1);
        picture.jobStatus(Transitions.planned(ahead, kept), 0);
        JobTerms terms =
                JobTerms.NONE.with(to -> {
                    to.deadlineAt = deadline == null ? null : (Long) (NOW + deadline * 1000);
                    to.maxWaitSeconds = wait;
                });
        picture.jobStatus(waits(2, Samples.description("alice", "batch", 8).on(terms)), 0);

        assertThat(explain(2).text())
                .endsWith(
                        "It has no expected start: as things stand, it will not start before "
                                + before);
    }

    private static JobStatus waits(long job, JobDescription description) {
        return Samples.status(job, description, JobState.PENDING, Reason.RESOURCES, Rank.NONE);
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void every_reason_of_a_waiting_job_is_put_into_words(Reason reason) {
        picture.jobStatus(Samples.status(2, TWO_GPUS, JobState.PENDING, reason, Rank.NONE), 0);

        assertThat(explain(2).text()).endsWith(".").doesNotContain("  ");
    }

    @ParameterizedTest
    @EnumSource(value = JobState.class, mode = EnumSource.Mode.EXCLUDE, names = "PENDING")
    void a_job_that_does_not_wait_has_no_place_in_the_queue(JobState state) {
        picture.jobStatus(
                Samples.status(
                        2,
                        TWO_GPUS,
                        state,
                        Reason.NONE,
                        Rank.NONE,
                        state.terminal() ? null : Samples.run(Samples.DGX, 5000, List.of()),
                        state.terminal() ? NOW : 0),
                0);

        var why = explain(2);

        assertThat(why.ahead()).isNull();
        assertThat(why.text()).startsWith("The job");
    }

    @Test
    void a_job_of_several_partitions_says_which_does_not_let_it_start_and_which_it_speaks_of() {
        waiting(1, "batch", 1_000_000);
        waiting(2, "later", 1_000_000);
        picture.jobStatus(
                Samples.status(
                        3,
                        Samples.description("alice", "batch", 2).inAnyOf(List.of("later", "batch")),
                        JobState.PENDING,
                        Reason.PRIORITY,
                        new Rank(1, 0, 0, 0, 0, 0, 0)),
                0);

        assertThat(explain(3).text())
                .startsWith(
                        "It may start in any of its partitions. later does not let it start: PartitionTimeLimit. In batch: One job is before it in partition batch. It waits for 2 GPUs");
    }

    @Test
    void ahead_are_the_waiting_jobs_of_the_partition_with_a_higher_priority() {
        waiting(1, "batch", 100);
        waiting(2, "batch", 300);
        waiting(3, "cpu", 900);
        waiting(4, "batch", 200);
        waiting(5, "batch", 200);
        running(6, List.of());

        assertThat(explain(2).ahead()).isEqualTo(0);
        assertThat(explain(4).ahead()).isEqualTo(1);
        assertThat(explain(5).ahead()).isEqualTo(2);
        assertThat(explain(1).ahead()).isEqualTo(3);
    }

    @Test
    void the_first_five_ahead_are_told_in_order_to_those_who_may_see_them() {
        for (int id = 1; id <= 7; id++) {
            waiting(id, id == 6 ? "carol" : "alice", "batch", 100 * id);
        }

        assertThat(first(1, SEES_ALL)).containsExactly(7L, 6L, 5L, 4L, 3L);
        assertThat(first(5, SEES_ALL)).containsExactly(7L, 6L);
        assertThat(first(1, new Sight(null, "alice", false))).containsExactly(7L, 5L, 4L, 3L);
        assertThat(first(7, SEES_ALL)).isEmpty();
        assertThat(explain(1).ahead()).isEqualTo(6);
    }

    private List<Long> first(long id, Sight sight) {
        return explain(id, sight).first().stream().map(it -> it.id().value()).toList();
    }

    @Test
    void a_priority_is_the_sum_of_its_parts() {
        picture.fairShares(
                new FairShares(
                        1,
                        0,
                        10_000_000_000L,
                        List.of(new FairShares.Factor("team_a", "alice", 250_000, 0, 0))));
        var rank = new Rank(1, 5_000_000, 7_000_000, 11_000_000, -2_000_000, 1_500, 1_000_000_000);
        picture.jobStatus(Samples.status(2, TWO_GPUS, JobState.PENDING, Reason.PRIORITY, rank), 0);

        Priority priority = explain(2).priority();

        // Submitted at 2 s, so it has waited 998 s.
        assertThat(priority)
                .isEqualTo(
                        new Priority(
                                998 * 1500,
                                0,
                                2_500_000_000L,
                                5_000_000,
                                7_000_000,
                                11_000_000,
                                0,
                                0,
                                -2_000_000,
                                0));
        assertThat(priority.points()).isEqualTo(2522);
    }

    @Test
    void age_stands_still_once_a_job_is_placed() {
        var rank = new Rank(1, 0, 0, 0, 0, 1_000_000, 1_000_000_000);
        picture.jobStatus(
                Samples.status(
                        2,
                        TWO_GPUS,
                        JobState.RUNNING,
                        Reason.NONE,
                        rank,
                        Samples.run(Samples.DGX, 12_000, List.of()),
                        0),
                0);

        assertThat(explain(2).priority().points()).isEqualTo(10);
    }

    private Explanation explain(long id) {
        return explain(id, SEES_ALL);
    }

    private Explanation explain(long id, Sight sight) {
        return Explanation.of(picture.job(new JobId(id), NOW).orElseThrow(), picture, NOW, sight);
    }

    private void waiting(long id, String partition, long points) {
        waiting(id, "alice", partition, points);
    }

    private void waiting(long id, String user, String partition, long points) {
        picture.jobStatus(
                Samples.status(
                        id,
                        Samples.description(user, partition, 0),
                        JobState.PENDING,
                        Reason.PRIORITY,
                        new Rank(1, points * 1_000_000, 0, 0, 0, 0, 0)),
                0);
    }

    private void running(long id, List<String> gpus) {
        picture.jobStatus(
                Samples.status(
                        id,
                        Samples.description("alice", "batch", gpus.size()),
                        JobState.RUNNING,
                        Reason.NONE,
                        Rank.NONE,
                        Samples.run(Samples.DGX, 5000, gpus),
                        0),
                0);
    }
}
