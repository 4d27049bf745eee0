package io.berth.submit.kafka;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.Submission;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.LogReader;
import io.berth.submit.Picture;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/// Reads the topics that a picture is made of. A record of an unknown type is skipped, one that
/// cannot be read goes to the dead letters: a view misses it, and goes on.
final class PictureTopics implements LogReader.Handler {
    static final String SERVICE = "submit-service";

    /// Those that gateways write.
    static final List<Topic<?>> OWN = List.of(Topics.SUBMISSIONS, Topics.TRIGGERS);

    /// Those that other services write.
    static final List<Topic<?>> OF_OTHERS =
            List.of(
                    Topics.JOB_STATES,
                    Topics.NODE_STATES,
                    Topics.HEARTBEATS,
                    Topics.CONFIG,
                    Topics.FAIR_SHARES,
                    Topics.CELL_STATES);

    private final Picture picture;
    private final DeadLetters deadLetters;
    private final Map<String, Route<?>> routes = new LinkedHashMap<>();

    /// When the last record of jobs was appended that was read, by cell.
    private final Map<Integer, Long> jobsReadUpTo = new HashMap<>();

    private record Route<E>(
            Events<E> events,
            BiConsumer<E, ConsumerRecord<byte[], byte[]>> replay,
            BiConsumer<Picture, String> forget) {
        void take(ConsumerRecord<byte[], byte[]> record, Picture picture)
                throws UnknownEventType, CorruptEvent {
            if (record.value() != null) {
                replay.accept(events.event(record), record);
            } else if (record.key() != null) {
                forget.accept(picture, new String(record.key(), StandardCharsets.UTF_8));
            }
        }
    }

    PictureTopics(Picture picture, DeadLetters deadLetters) {
        this.picture = picture;
        this.deadLetters = deadLetters;
        route(Topics.SUBMISSIONS, this::submission);
        route(
                Topics.JOB_STATES,
                (it, record) -> {
                    picture.jobStatus(it, record.partition());
                    jobsReadUpTo.put(record.partition(), record.timestamp());
                },
                (to, key) -> to.jobForgotten(new JobId(Long.parseLong(key))));
        route(
                Topics.NODE_STATES,
                (it, _) -> picture.nodeStatus(it),
                (to, key) -> to.nodeForgotten(new NodeName(key)));
        route(Topics.HEARTBEATS, (it, record) -> picture.heartbeat(it, record.timestamp()));
        route(Topics.CONFIG, (it, _) -> picture.configEntry(it));
        route(Topics.FAIR_SHARES, (it, _) -> picture.fairShares(it));
        route(Topics.TRIGGERS, (it, _) -> picture.trigger(it), Picture::triggerForgotten);
        route(Topics.CELL_STATES, (it, record) -> picture.cellStatus(it, record.timestamp()));
    }

    static Events<CellStatus> cellStates() {
        return new Events<>(Topics.CELL_STATES, SERVICE);
    }

    private <E> void route(Topic<E> topic, BiConsumer<E, ConsumerRecord<byte[], byte[]>> replay) {
        route(topic, replay, (_, _) -> {});
    }

    private <E> void route(
            Topic<E> topic,
            BiConsumer<E, ConsumerRecord<byte[], byte[]>> replay,
            BiConsumer<Picture, String> forget) {
        routes.put(topic.name(), new Route<>(new Events<>(topic, SERVICE), replay, forget));
    }

    private void submission(Submission submission, ConsumerRecord<byte[], byte[]> record) {
        switch (submission) {
            case Submission.Submitted it ->
                    picture.submitted(it, record.partition(), record.offset(), record.timestamp());
            // Placement answers them with the job's next state.
            case Submission.CancelRequested _,
                    Submission.Held _,
                    Submission.Released _,
                    Submission.Amended _,
                    Submission.RequeueRequested _,
                    Submission.SignalRequested _,
                    Submission.SuspendRequested _,
                    Submission.ResumeRequested _ -> {}
        }
    }

    @Override
    public void atEnd(TopicPartition partition) {
        Long upTo = jobsReadUpTo.get(partition.partition());
        if (partition.topic().equals(Topics.JOB_STATES.name()) && upTo != null) {
            picture.jobsRead(partition.partition(), upTo);
        }
    }

    @Override
    public void handle(ConsumerRecord<byte[], byte[]> record) {
        Route<?> route = routes.get(record.topic());
        if (route == null) {
            throw new IllegalStateException(
                    "cannot read a record of " + record.topic() + ": expected " + routes.keySet());
        }
        try {
            route.take(record, picture);
        } catch (UnknownEventType e) {
            // A newer writer's; a view does without it.
            noticeGap(record);
        } catch (CorruptEvent | IllegalArgumentException e) {
            deadLetters.bury(record, e);
            noticeGap(record);
        }
    }

    private void noticeGap(ConsumerRecord<byte[], byte[]> record) {
        if (record.topic().equals(Topics.JOB_STATES.name())) {
            picture.lacksJobs();
        }
    }
}
