package io.berth.submit.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Trigger.Asked;
import io.berth.contracts.event.Trigger.Occasion;
import io.berth.contracts.event.Trigger.Progress;
import io.berth.submit.Job;
import io.berth.submit.Job.Attempt;
import io.berth.submit.Node;
import io.berth.submit.NodeOccasion;
import io.berth.submit.Samples;
import io.berth.submit.trigger.Watch.Sight;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchTest {

    private static final JobId JOB = new JobId(17);
    private static final long LIMIT = 3600_000;
    private static final long PLACED = 100_000;

    private @Nullable Progress progress;

    private static Asked trigger(
            Occasion occasion, long offset, boolean permanent, Node... before) {
        return new Asked(
                18,
                "alice",
                occasion,
                occasion.ofJob() ? JOB : null,
                List.of(),
                NodeOccasion.before(occasion, List.of(before)),
                offset,
                permanent,
                List.of("/bin/true"),
                1);
    }

    /// What the program is run for, if it is: as the loop keeps it.
    private @Nullable String seen(Asked trigger, long now, List<Node> nodes, @Nullable Job job) {
        Sight sight = new Watch(_ -> Optional.ofNullable(job), nodes, now).look(trigger, progress);
        return switch (sight) {
            case Sight.Same() -> null;
            case Sight.Never() -> "never";
            case Sight.Change(Progress next) -> {
                progress = next.subject() == null ? next : next.ran();
                yield next.subject();
            }
        };
    }

    private static Node node(NodeSeen seen, Presence presence, @Nullable NodeHold hold) {
        return new Node(
                Samples.nodeStatus(seen, presence).held(hold),
                0,
                0,
                new LinkedHashMap<>(),
                new LinkedHashMap<>(),
                List.of(),
                List.of(),
                null);
    }

    private static Node up(NodeSeen seen) {
        return node(seen, Presence.UP, null);
    }

    private static Node down(NodeSeen seen) {
        return node(seen, Presence.DOWN, null);
    }

    private static Node held(String user) {
        return node(Samples.DGX, Presence.UP, new NodeHold(NodeHold.Kind.DRAIN, "fan", user, 1));
    }

    private static Job job(JobState state, long endedAt, long suspended) {
        var attempt = new Attempt(1, PLACED, true, 0, List.of(), suspended, 0, 0, null, List.of());
        return new Job(
                JOB,
                Samples.description("alice", "batch", 1),
                "alice",
                0,
                0,
                null,
                0,
                17,
                17_000,
                state,
                Reason.NONE,
                Rank.NONE,
                attempt,
                0,
                endedAt,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "no",
            value = {
                "FINI, 0,    RUNNING,   0,       0, 200000,  no",
                "FINI, 0,    COMPLETED, 200000,  0, 200000,  17",
                "FINI, 60,   COMPLETED, 200000,  0, 259999,  no",
                "FINI, 60,   COMPLETED, 200000,  0, 260000,  17",
                "TIME, 0,    RUNNING,   0,       0, 3699999, no",
                "TIME, 0,    RUNNING,   0,       0, 3700000, 17",
                "TIME, -600, RUNNING,   0,       0, 3099999, no",
                "TIME, -600, RUNNING,   0,       0, 3100000, 17",
                "TIME, -600, RUNNING,   0,   50000, 3149999, no",
                "TIME, -600, SUSPENDED, 0,       0, 9999999, no",
                "TIME, -600, COMPLETED, 200000,  0, 200000,  never",
                "TIME, 0,    TIMEOUT,   3700500, 0, 3700500, 17",
            })
    void the_end_of_a_job_and_of_its_time_are_seen(
            Occasion occasion,
            long offset,
            JobState state,
            long endedAt,
            long suspended,
            long now,
            @Nullable String subject) {
        Job job = job(state, endedAt, suspended);

        assertThat(LIMIT).isEqualTo(1000 * job.description().timeLimitSeconds());
        assertThat(seen(trigger(occasion, offset, false), now, List.of(), job)).isEqualTo(subject);
    }

    @Test
    void a_job_that_the_log_has_forgotten_is_over() {
        assertThat(seen(trigger(Occasion.FINI, 0, false), 1, List.of(), null)).isEqualTo("17");
    }

    @Test
    void nodes_that_go_down_are_told_together_and_once() {
        Asked trigger = trigger(Occasion.DOWN, 0, true, up(Samples.DGX), down(Samples.PLAIN));

        assertThat(
                        seen(
                                trigger,
                                2,
                                List.of(
                                        down(Samples.DGX),
                                        down(Samples.DGX_2),
                                        down(Samples.PLAIN)),
                                null))
                .isEqualTo("dgx-[01-02]");
        assertThat(seen(trigger, 3, List.of(down(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 4, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 5, List.of(down(Samples.DGX)), null)).isEqualTo("dgx-01");
    }

    @Test
    void an_offset_follows_the_event_whatever_comes_after_it() {
        Asked trigger = trigger(Occasion.DOWN, 60, false);

        assertThat(seen(trigger, 1, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 1000, List.of(down(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 2000, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 61_000, List.of(up(Samples.DGX)), null)).isEqualTo("dgx-01");
    }

    @Test
    void a_node_comes_back_that_was_down_and_no_other() {
        Asked trigger = trigger(Occasion.UP, 0, true, down(Samples.DGX));

        assertThat(seen(trigger, 2, List.of(up(Samples.DGX), up(Samples.PLAIN)), null))
                .isEqualTo("dgx-01");
        assertThat(seen(trigger, 3, List.of(up(Samples.DGX), up(Samples.PLAIN)), null)).isNull();
        assertThat(seen(trigger, 4, List.of(down(Samples.PLAIN)), null)).isNull();
        assertThat(seen(trigger, 5, List.of(up(Samples.PLAIN)), null)).isEqualTo("plain-01");
    }

    @Test
    void a_node_is_idle_for_so_long_or_its_time_begins_anew() {
        Asked trigger = trigger(Occasion.IDLE, 600, true);

        assertThat(seen(trigger, 1000, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(progress).isNotNull();
        assertThat(seen(trigger, 500_000, List.of(down(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 501_000, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 1_100_999, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 1_101_000, List.of(up(Samples.DGX)), null)).isEqualTo("dgx-01");
        assertThat(seen(trigger, 9_000_000, List.of(up(Samples.DGX)), null)).isNull();
    }

    @Test
    void a_node_that_was_idle_when_the_trigger_was_set_has_been_so_since() {
        Asked trigger = trigger(Occasion.IDLE, 600, false, up(Samples.DGX));

        assertThat(seen(trigger, 599_999, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 600_000, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(trigger, 600_001, List.of(up(Samples.DGX)), null)).isEqualTo("dgx-01");
    }

    @Test
    void a_node_that_fails_is_drained_too_and_one_that_an_operator_drains_has_not_failed() {
        Asked fail = trigger(Occasion.FAIL, 0, true);

        assertThat(seen(fail, 1, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(fail, 2, List.of(held("root")), null)).isNull();
        assertThat(seen(fail, 3, List.of(held(NodeHold.HEALTH)), null)).isEqualTo("dgx-01");

        progress = null;
        Asked drained = trigger(Occasion.DRAINED, 0, true);
        assertThat(seen(drained, 1, List.of(up(Samples.DGX)), null)).isNull();
        assertThat(seen(drained, 2, List.of(held("root")), null)).isEqualTo("dgx-01");
    }

    @Test
    void nodes_that_are_not_named_do_not_count() {
        var trigger =
                new Asked(
                        18,
                        "alice",
                        Occasion.DOWN,
                        null,
                        List.of(new NodeName("dgx-02")),
                        List.of(),
                        0,
                        false,
                        List.of("/bin/true"),
                        0);

        assertThat(seen(trigger, 1, List.of(up(Samples.DGX), up(Samples.DGX_2)), null)).isNull();
        assertThat(seen(trigger, 2, List.of(down(Samples.DGX), up(Samples.DGX_2)), null)).isNull();
        assertThat(seen(trigger, 3, List.of(down(Samples.DGX), down(Samples.DGX_2)), null))
                .isEqualTo("dgx-02");
    }
}
