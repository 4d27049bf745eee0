package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Consumption;
import io.berth.contracts.EndedJobs;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobArray.Ids;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.Idempotency.Claim;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Submission.Submitted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PictureTest {
    private static final long NOW = 1_000_000_000;

    private final Picture picture = new Picture(List.of());

    @Test
    void a_job_is_pending_from_its_submission_on() {
        picture.submitted(submitted(7, null), 0, 3, 500);

        var job = picture.job(new JobId(7), NOW).orElseThrow();

        assertThat(job.state()).isEqualTo(JobState.PENDING);
        assertThat(job.reason()).isEqualTo(Reason.NONE);
        assertThat(job.submittedAt()).isEqualTo(500);
        assertThat(Position.after(job)).hasToString("submissions:0:4");
    }

    @Test
    void placements_word_replaces_the_submission() {
        picture.submitted(submitted(7, null), 0, 7, 500);

        picture.jobStatus(status(7, JobState.PENDING, Reason.RESOURCES), 0);

        assertThat(picture.jobs(NOW)).singleElement().returns(Reason.RESOURCES, Job::reason);
    }

    @Test
    void a_submission_that_is_read_after_placements_word_changes_nothing() {
        picture.jobStatus(status(7, JobState.RUNNING, Reason.NONE), 0);

        picture.submitted(submitted(7, null), 0, 7, 500);

        assertThat(picture.jobs(NOW)).singleElement().returns(JobState.RUNNING, Job::state);
    }

    @Test
    void a_job_that_placement_forgot_is_gone() {
        picture.jobStatus(running(7), 0);

        picture.jobForgotten(new JobId(7));

        assertThat(picture.jobs(NOW)).isEmpty();
        assertThat(picture.job(new JobId(7), NOW)).isEmpty();
    }

    @Test
    void tasks_of_an_array_go_by_its_name_also_when_the_first_is_forgotten() throws Refused {
        var tasks = new JobArray(IndexSet.parse("0-2"), 0, List.of(new Ids(7, 7), new Ids(9, 10)));
        Submitted plain = submitted(7, null);
        picture.submitted(
                new Submitted(plain.job(), plain.description(), "alice", plain.spec(), null, tasks),
                0,
                7,
                500);
        picture.submitted(submitted(8, null), 0, 8, 500);

        assertThat(named("7")).containsExactly(7L, 9L, 10L);
        assertThat(named("7_[1-2]")).containsExactly(9L, 10L);
        assertThat(named("9")).containsExactly(9L);
        assertThat(named("9_1")).isEmpty();
        assertThat(named("8")).containsExactly(8L);
        assertThat(named("8_0")).isEmpty();

        picture.jobForgotten(new JobId(7));
        assertThat(named("7")).containsExactly(9L, 10L);
        assertThat(named("7_0")).isEmpty();

        picture.jobForgotten(new JobId(9));
        picture.jobForgotten(new JobId(10));
        assertThat(named("7")).isEmpty();
    }

    private List<Long> named(String name) throws Refused {
        return picture.named(JobName.parse(name), NOW).stream().map(it -> it.id().value()).toList();
    }

    @Test
    void jobs_are_listed_by_id_whatever_the_order_of_their_records() {
        for (long id : List.of(30L, 4L, 111L, 7L)) {
            picture.submitted(submitted(id, null), 0, id, 500);
        }

        var ids = picture.jobs(NOW).map(job -> job.id().value());

        assertThat(ids).containsExactly(4L, 7L, 30L, 111L);
    }

    @Test
    void an_ended_job_shows_for_a_day() {
        long day = Duration.ofHours(24).toMillis();
        picture.jobStatus(ended(7), 0);

        assertThat(picture.job(new JobId(7), NOW + day - 1)).isPresent();
        assertThat(picture.job(new JobId(7), NOW + day)).isEmpty();
        assertThat(picture.jobs(NOW + day)).isEmpty();
    }

    @Test
    void an_ended_job_shows_for_as_long_as_the_configuration_says() {
        for (ConfigEntry entry : Samples.configEntries()) {
            picture.configEntry(
                    entry instanceof Cluster it
                            ? it.with(to -> to.ended = new EndedJobs(10, 60, 600))
                            : entry);
        }
        picture.jobStatus(ended(7), 0);

        assertThat(picture.job(new JobId(7), NOW + 599_999)).isPresent();
        assertThat(picture.job(new JobId(7), NOW + 600_000)).isEmpty();
    }

    private static JobStatus ended(long id) {
        return Samples.status(
                id,
                Samples.description("alice", "batch", 0),
                JobState.COMPLETED,
                Reason.NONE,
                Rank.NONE,
                null,
                NOW);
    }

    @Test
    void a_second_submission_with_a_key_does_not_show() {
        picture.submitted(submitted(7, "key"), 0, 3, 500);

        picture.submitted(submitted(8, "key"), 0, 4, 501);

        assertThat(picture.jobs(NOW)).extracting(Job::id).containsExactly(new JobId(7));
        assertThat(picture.claim(0, "alice", "key")).map(Claim::job).contains(new JobId(7));
    }

    @Test
    void what_placement_had_read_before_the_gateway_began_and_keeps_no_record_of_is_over() {
        var late = new Picture(List.of(Samples.cellStatus(4, 7)));
        late.submitted(submitted(7, "key"), 0, 3, 500);

        late.submitted(submitted(8, null), 0, 4, 501);

        assertThat(late.jobs(NOW)).extracting(Job::id).containsExactly(new JobId(8));
        assertThat(late.claim(0, "alice", "key")).map(Claim::job).contains(new JobId(7));
    }

    @Test
    void what_placement_passed_without_a_record_disappears_after_a_while() {
        picture.submitted(submitted(7, null), 0, 3, 500);
        picture.submitted(submitted(8, null), 0, 4, 501);
        picture.cellStatus(Samples.cellStatus(4, 7), 600);
        assertThat(picture.jobs(NOW)).hasSize(2);

        picture.jobsRead(0, 601 + 10_000);

        assertThat(picture.jobs(NOW)).extracting(Job::id).containsExactly(new JobId(8));
    }

    @Test
    void what_placement_has_passed_when_it_is_read_shows_until_its_record_is_read() {
        picture.cellStatus(Samples.cellStatus(4, 7), 60_000);

        picture.submitted(submitted(7, null), 0, 3, 59_000);

        assertThat(picture.job(new JobId(7), NOW)).isPresent();
        picture.jobsRead(0, 60_000);
        assertThat(picture.job(new JobId(7), NOW)).isPresent();
        picture.jobsRead(0, 71_000);
        assertThat(picture.job(new JobId(7), NOW)).isEmpty();
    }

    @Test
    void what_placement_passed_late_shows_until_its_record_is_read() {
        picture.submitted(submitted(7, null), 0, 3, 500);

        picture.cellStatus(Samples.cellStatus(4, 7), 60_000);
        picture.cellStatus(Samples.cellStatus(4, 7), 90_000);

        assertThat(picture.jobs(NOW)).hasSize(1);
    }

    @Test
    void what_placement_has_a_record_of_stays() {
        picture.submitted(submitted(7, null), 0, 7, 500);
        picture.jobStatus(status(7, JobState.PENDING, Reason.PRIORITY), 0);

        picture.cellStatus(Samples.cellStatus(100, 7), 500_000);

        assertThat(picture.jobs(NOW)).hasSize(1);
    }

    @Test
    void the_highest_job_is_that_of_any_record() {
        assertThat(new Picture(List.of(Samples.cellStatus(0, 900))).highestJob()).isEqualTo(900);
        picture.submitted(submitted(7, null), 0, 7, 500);
        assertThat(picture.highestJob()).isEqualTo(7);
        picture.jobStatus(status(12, JobState.PENDING, Reason.NONE), 0);
        assertThat(picture.highestJob()).isEqualTo(12);
        picture.cellStatus(Samples.cellStatus(0, 3), 0);
        assertThat(picture.highestJob()).isEqualTo(12);
    }

    @Test
    void the_configuration_shows_when_it_is_whole() {
        var entries = Samples.configEntries();
        entries.subList(0, entries.size() - 1).forEach(picture::configEntry);
        assertThat(picture.configuration()).isEmpty();

        picture.configEntry(entries.getLast());

        assertThat(picture.configuration()).isPresent();
    }

    @Test
    void an_older_calculation_of_fair_share_does_not_replace_a_newer_one() {
        picture.fairShares(shares(2, 500_000));

        picture.fairShares(shares(1, 900_000));

        assertThat(picture.shares().micros("team_a", "alice")).isEqualTo(5_000_000);
    }

    @Test
    void a_node_shows_who_holds_what_and_when_it_was_heard() {
        picture.nodeStatus(Samples.nodeStatus(Samples.DGX, Presence.UP));
        picture.nodeStatus(Samples.nodeStatus(Samples.PLAIN, Presence.SILENT));
        picture.jobStatus(running(7), 0);
        picture.heartbeat(
                new Heartbeat(Samples.DGX.node(), 1, 0, List.of(new RunId(new JobId(7), 1)), 5, 6),
                777);

        var nodes = picture.nodes();

        assertThat(nodes).extracting(Node::state).containsExactly("MIXED", "NOT_RESPONDING");
        var dgx = nodes.getFirst();
        assertThat(dgx.cpusHeld()).isEqualTo(4);
        assertThat(dgx.memoryMibHeld()).isEqualTo(8192);
        assertThat(dgx.gpuHolders()).containsOnlyKeys("GPU-dgx-01-0", "GPU-dgx-01-1");
        assertThat(dgx.beat()).isEqualTo(new Node.Beat(777, 5, 6, List.of(), Map.of()));
    }

    @Test
    void a_running_job_shows_what_it_has_used_so_far() {
        picture.jobStatus(running(7), 0);
        picture.heartbeat(used(new RunId(new JobId(8), 1), 1), 776);
        List<JobUsage> ofAnother = picture.usage(job(7));

        picture.heartbeat(used(new RunId(new JobId(7), 1), 9000), 777);

        assertThat(ofAnother).isEmpty();
        assertThat(picture.usage(job(7)))
                .containsExactly(
                        new JobUsage(
                                Samples.DGX.node(), 777, new Consumption(9000, 512), List.of()));
    }

    private Job job(long id) {
        return picture.job(new JobId(id), 0).orElseThrow();
    }

    private static Heartbeat used(RunId run, long cpuMillis) {
        return new Heartbeat(
                Samples.DGX.node(),
                1,
                0,
                List.of(run),
                5,
                6,
                List.of(),
                List.of(new RunUsage(run, new Consumption(cpuMillis, 512))));
    }

    @Test
    void what_a_job_held_is_free_when_its_run_is_over() {
        picture.nodeStatus(Samples.nodeStatus(Samples.DGX, Presence.UP));
        picture.jobStatus(running(7), 0);

        picture.jobStatus(status(7, JobState.COMPLETED, Reason.NONE), 0);

        assertThat(picture.nodes()).singleElement().returns("IDLE", Node::state);
    }

    @Test
    void a_forgotten_node_is_gone() {
        picture.nodeStatus(Samples.nodeStatus(Samples.DGX, Presence.UP));

        picture.nodeForgotten(Samples.DGX.node());

        assertThat(picture.nodes()).isEmpty();
        assertThat(picture.registrations()).isEmpty();
    }

    private static JobStatus running(long id) {
        return Samples.status(
                id,
                Samples.description("alice", "batch", 2),
                JobState.RUNNING,
                Reason.NONE,
                Rank.NONE,
                Samples.run(Samples.DGX, 2000, List.of("GPU-dgx-01-0", "GPU-dgx-01-1")),
                0);
    }

    private static JobStatus status(long id, JobState state, Reason reason) {
        return Samples.status(
                id, Samples.description("alice", "batch", 2), state, reason, Rank.NONE);
    }

    private static FairShares shares(long version, long factor) {
        return new FairShares(
                version,
                0,
                10_000_000,
                List.of(new FairShares.Factor("team_a", "alice", factor, 0, 0)));
    }

    private static Submitted submitted(long id, @Nullable String key) {
        return new Submitted(
                new JobId(id),
                Samples.description("alice", "batch", 0),
                "alice",
                new SpecReference(0, id, ""),
                key == null ? null : new IdempotencyKey(key, "sha"));
    }
}
