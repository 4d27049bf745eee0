package io.berth.priority;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.priority.Rankings.Change;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Of every topic that ranks are made of, what no service wrote and what a newer one wrote.
final class InputsTest {

    private final Inputs inputs = new Inputs(new Rankings(), new Shares());

    static List<Topic<?>> read() {
        return List.of(
                Topics.SUBMISSIONS,
                Topics.CELL_STATES,
                Topics.JOB_STATES,
                Topics.NODE_STATES,
                Topics.CONFIG,
                Topics.SHARES,
                Topics.RANKINGS,
                Topics.FAIR_SHARES);
    }

    @ParameterizedTest
    @MethodSource("read")
    void what_no_version_can_read_is_kept_aside_once(Topic<?> topic) {
        String known = topic.name() + "/" + eventOf(topic).getSimpleName();

        inputs.handle(record(topic, 1, known, "{"));
        inputs.handle(record(topic, 2, known, "null"));
        inputs.handle(record(topic, 3, "berth.runs.v2/Ended", "{}"));
        inputs.handle(record(topic, 4, null, "{}"));

        assertThat(inputs.deadLetters())
                .extracting(DeadLetter::position)
                .containsExactly(
                        topic.name() + "/0/1",
                        topic.name() + "/0/2",
                        topic.name() + "/0/3",
                        topic.name() + "/0/4");
        assertThat(inputs.deadLetters()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("read")
    void what_only_a_newer_version_knows_is_skipped(Topic<?> topic) {
        inputs.handle(record(topic, 1, topic.name() + "/Teleported", "{}"));

        assertThat(inputs.deadLetters()).isEmpty();
    }

    /// Records of several topics come in any order.
    @Test
    void a_submission_that_is_read_after_what_became_of_it_changes_nothing() {
        var rankings = new Rankings();
        var late = new Inputs(rankings, new Shares());
        JobDescription asked = Samples.job("alice", "team_a", "normal");
        JobDescription amended = Samples.job("alice", "team_a", "high");
        Samples.configuration(1, 0, 1000).forEach(it -> late.handle(record(Topics.CONFIG, it)));
        late.handle(record(Topics.JOB_STATES, Samples.status(1, asked, JobState.CANCELLED)));
        late.handle(record(Topics.JOB_STATES, Samples.status(2, amended, JobState.PENDING)));
        late.forgetStrangers();
        assertThat(rankings.changes()).hasSize(1);

        late.handle(record(Topics.SUBMISSIONS, Samples.submitted(1, asked)));
        late.handle(record(Topics.SUBMISSIONS, Samples.submitted(2, asked)));

        assertThat(rankings.changes()).isEmpty();
    }

    /// The second submission has the first one's key.
    @Test
    void a_job_that_placement_makes_nothing_of_is_ranked_no_more() {
        var rankings = new Rankings();
        var inputs = new Inputs(rankings, new Shares());
        JobDescription job = Samples.job("alice", "team_a", "normal");
        Samples.configuration(1, 0, 1000).forEach(it -> inputs.handle(record(Topics.CONFIG, it)));
        for (long id = 1; id <= 3; id++) {
            inputs.handle(record(Topics.SUBMISSIONS, Samples.submitted(id, job), id));
        }
        inputs.handle(record(Topics.JOB_STATES, Samples.status(1, job, JobState.PENDING)));
        inputs.handle(record(Topics.CELL_STATES, Samples.cell(0, 3)));
        assertThat(rankings.changes()).hasSize(3);

        inputs.forgetVoid();
        assertThat(rankings.changes()).isEmpty();
        inputs.forgetVoid();

        assertThat(rankings.changes())
                .containsExactly(new Change(0, new JobId(2), Optional.empty()));
        inputs.forgetVoid();
        assertThat(rankings.changes()).isEmpty();
    }

    /// Placement decides on submissions in their order.
    @Test
    void a_job_is_void_when_placement_speaks_of_a_later_one_alone() {
        var rankings = new Rankings();
        var inputs = new Inputs(rankings, new Shares());
        JobDescription job = Samples.job("alice", "team_a", "normal");
        Samples.configuration(1, 0, 1000).forEach(it -> inputs.handle(record(Topics.CONFIG, it)));
        inputs.handle(record(Topics.SUBMISSIONS, Samples.submitted(1, job), 1));
        inputs.handle(record(Topics.SUBMISSIONS, Samples.submitted(2, job), 2));
        JobStatus later = Samples.status(2, job, JobState.PENDING, 2, Rank.NONE);
        inputs.handle(record(Topics.JOB_STATES, later));
        assertThat(rankings.changes()).hasSize(2);

        inputs.forgetVoid();
        inputs.forgetVoid();

        assertThat(rankings.changes())
                .containsExactly(new Change(0, new JobId(1), Optional.empty()));
    }

    @Test
    void a_job_of_which_placement_speaks_late_stays_ranked() {
        var rankings = new Rankings();
        var inputs = new Inputs(rankings, new Shares());
        JobDescription job = Samples.job("alice", "team_a", "normal");
        Samples.configuration(1, 0, 1000).forEach(it -> inputs.handle(record(Topics.CONFIG, it)));
        inputs.handle(record(Topics.SUBMISSIONS, Samples.submitted(1, job), 1));
        inputs.handle(record(Topics.CELL_STATES, Samples.cell(0, 2)));
        inputs.forgetVoid();
        inputs.handle(record(Topics.JOB_STATES, Samples.status(1, job, JobState.PENDING)));
        rankings.changes();

        inputs.forgetVoid();

        assertThat(rankings.changes()).isEmpty();
    }

    private static <E> ConsumerRecord<byte[], byte[]> record(Topic<E> topic, E event) {
        return record(topic, event, 0);
    }

    private static <E> ConsumerRecord<byte[], byte[]> record(Topic<E> topic, E event, long offset) {
        var sent = new Events<>(topic, "test").record(0, event, "test");
        var record = new ConsumerRecord<>(topic.name(), 0, offset, sent.key(), sent.value());
        sent.headers().forEach(record.headers()::add);
        return record;
    }

    private static ConsumerRecord<byte[], byte[]> record(
            Topic<?> topic, long offset, @Nullable String type, String value) {
        var record =
                new ConsumerRecord<byte[], byte[]>(
                        topic.name(),
                        0,
                        offset,
                        "7".getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8));
        if (type != null) {
            record.headers().add("ce_type", type.getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }

    private static Class<?> eventOf(Topic<?> topic) {
        Class<?>[] events = topic.events().getPermittedSubclasses();
        return events == null ? topic.events() : events[0];
    }
}
