package io.berth.core.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.Reason;
import io.berth.core.limits.LimitTimeline.Claim;
import io.berth.core.limits.LimitTimeline.Counter;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Of four GPUs that one user may have, times in minutes. A run that is past its end is expected to
/// end at 5.
final class LimitTimelineTest {

    private static final long NEVER = Long.MAX_VALUE;
    private static final Reason MET = Reason.QOS_MAX_GRES_PER_USER;

    private final LimitTimeline timeline = new LimitTimeline();

    private static List<Claim> gpus(long amount) {
        return List.of(new Claim(new Counter("alice", "gres/gpu"), amount, 4, MET));
    }

    private long from(long job, long amount) {
        return timeline.from(List.of(new JobId(job)), gpus(amount), null, 0, 5);
    }

    private boolean leaves(long amount, long until) {
        return timeline.kept(List.of(new JobId(99)), gpus(amount), until) == null;
    }

    @Test
    void a_job_may_start_when_enough_has_ended() {
        timeline.run(new JobId(1), gpus(1), 30);
        timeline.run(new JobId(2), gpus(2), 60);

        assertThat(from(3, 1)).isZero();
        assertThat(from(3, 2)).isEqualTo(30);
        assertThat(from(3, 4)).isEqualTo(60);
        assertThat(from(3, 5)).isEqualTo(NEVER);
    }

    @Test
    void who_is_past_his_end_ends_soon() {
        timeline.run(new JobId(1), gpus(4), -10);
        timeline.run(new JobId(2), gpus(1), 3);

        assertThat(from(3, 2)).isEqualTo(5);
        assertThat(from(3, 4)).isEqualTo(5);
    }

    @Test
    void no_more_is_planned_than_may_run_together() {
        timeline.plan(new JobId(1), gpus(3), 60);

        assertThat(from(2, 1)).isZero();
        assertThat(from(2, 2)).isEqualTo(NEVER);
        assertThat(from(1, 4)).as("beside itself").isZero();
    }

    @Test
    void what_is_planned_counts_beside_what_runs_still() {
        timeline.run(new JobId(1), gpus(2), 30);
        timeline.plan(new JobId(2), gpus(2), 60);

        assertThat(from(3, 2)).isEqualTo(30);
    }

    @Test
    void nobody_takes_what_somebody_is_expected_to_start_with() {
        timeline.run(new JobId(1), gpus(3), 30);
        timeline.plan(new JobId(2), gpus(3), 60);

        assertThat(leaves(1, NEVER)).isTrue();
        assertThat(leaves(2, 60)).isTrue();
        assertThat(leaves(2, 61)).isFalse();
        assertThat(timeline.kept(List.of(new JobId(2)), gpus(4), NEVER)).as("itself").isNull();
    }

    @Test
    void a_run_that_lasts_into_it_counts_too() {
        timeline.run(new JobId(1), gpus(2), 90);
        timeline.plan(new JobId(2), gpus(2), 60);

        assertThat(leaves(1, 60)).isTrue();
        assertThat(leaves(1, 61)).isFalse();
    }

    @Test
    void who_leaves_takes_all_along() {
        timeline.run(new JobId(1), gpus(4), 90);
        timeline.plan(new JobId(2), gpus(4), 90);
        timeline.run(new JobId(2), gpus(1), 30);
        timeline.leave(new JobId(1));
        timeline.leave(new JobId(2));
        timeline.leave(new JobId(7));

        assertThat(from(3, 4)).isZero();
        assertThat(leaves(4, NEVER)).isTrue();
    }

    @Test
    void what_is_planned_for_some_may_be_left_out() {
        timeline.plan(new JobId(1), gpus(2), 60);
        timeline.plan(new JobId(2), gpus(2), 60);

        List<JobId> job = List.of(new JobId(3));
        assertThat(timeline.from(job, gpus(2), null, 0, 5)).isEqualTo(NEVER);
        assertThat(timeline.from(job, gpus(2), new JobId(2)::equals, 0, 5)).isZero();
        assertThat(timeline.from(job, gpus(3), new JobId(2)::equals, 0, 5)).isEqualTo(NEVER);
    }

    /// The first may be the third of three; a partition's limit leaves the second one more.
    @Test
    void those_that_start_together_count_beside_those_before_them() {
        var jobs = new Counter("alice", "");
        List<Claim> first = List.of(new Claim(jobs, 1, 3, MET), new Claim(jobs, 1, 9, MET));
        List<Claim> second = List.of(new Claim(jobs, 1, 4, MET));

        assertThat(Claim.together(List.of(first, second)))
                .containsExactly(new Claim(jobs, 2, 4, MET));
        assertThat(Claim.together(List.of(second, first)))
                .containsExactly(new Claim(jobs, 2, 3, MET));
    }

    @Test
    void a_limit_that_is_not_read_for_a_job_keeps_it_from_nothing() {
        timeline.run(new JobId(1), gpus(4), 90);
        timeline.plan(new JobId(2), gpus(4), 90);
        List<Claim> free = List.of(new Claim(new Counter("alice", "gres/gpu"), 8, NEVER, MET));

        assertThat(timeline.from(List.of(new JobId(3)), free, null, 0, 5)).isZero();
        assertThat(timeline.kept(List.of(new JobId(3)), free, NEVER)).isNull();
    }
}
