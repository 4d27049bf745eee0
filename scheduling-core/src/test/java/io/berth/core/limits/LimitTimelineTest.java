package io.berth.core.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.core.limits.LimitTimeline.Claim;
import io.berth.core.limits.LimitTimeline.Counter;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Of four GPUs that one user may have, times in minutes. A run that is past its end is expected to
/// end at 5.
final class LimitTimelineTest {

    private static final long NEVER = Long.MAX_VALUE;

    private final LimitTimeline timeline = new LimitTimeline();

    private static List<Claim> gpus(long amount) {
        return List.of(new Claim(new Counter("alice", "gres/gpu"), amount, 4));
    }

    private long from(long job, long amount) {
        return timeline.from(new JobId(job), gpus(amount), 0, 5);
    }

    private boolean leaves(long amount, long until) {
        return timeline.leaves(new JobId(99), gpus(amount), until);
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
        assertThat(timeline.leaves(new JobId(2), gpus(4), NEVER)).as("itself").isTrue();
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
    void a_limit_that_is_not_read_for_a_job_keeps_it_from_nothing() {
        timeline.run(new JobId(1), gpus(4), 90);
        timeline.plan(new JobId(2), gpus(4), 90);
        List<Claim> free = List.of(new Claim(new Counter("alice", "gres/gpu"), 8, Long.MAX_VALUE));

        assertThat(timeline.from(new JobId(3), free, 0, 5)).isZero();
        assertThat(timeline.leaves(new JobId(3), free, NEVER)).isTrue();
    }
}
