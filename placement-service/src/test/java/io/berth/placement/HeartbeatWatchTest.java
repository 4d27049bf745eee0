package io.berth.placement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.placement.Presences.Watched;
import io.berth.placement.kafka.CellLog;
import io.berth.placement.kafka.HeartbeatReader;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A node is silent after 10 s and down after 300 s, of a time that only the test lets pass, poll
/// by poll.
@Timeout(60)
final class HeartbeatWatchTest {

    private static final NodeName NODE = new NodeName("n1");
    private static final NodeName OTHER = new NodeName("n2");
    private static final TopicPartition HEARTBEATS =
            new TopicPartition(Topics.HEARTBEATS.name(), 0);

    private final AtomicLong clock = new AtomicLong();
    private final Semaphore polls = new Semaphore(0);
    private final Semaphore begun = new Semaphore(0);
    private volatile boolean brokerAway;
    private volatile Consumer consumer = new Consumer();
    private final HeartbeatWatch watch =
            new HeartbeatWatch(
                    () -> {
                        consumer = new Consumer();
                        return new HeartbeatReader(consumer, new CellLog(0, 8));
                    },
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(300),
                    clock::get);
    private long written;

    /// One whose polls wait until the test lets them.
    private final class Consumer extends MockConsumer<byte[], byte[]> {

        Consumer() {
            super("none");
            updateEndOffsets(Map.of(HEARTBEATS, written));
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // The test writes meanwhile.
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            begun.release();
            polls.acquireUninterruptibly();
            return super.poll(timeout);
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(
                Collection<TopicPartition> partitions, Duration timeout) {
            if (brokerAway) {
                throw new TimeoutException("no answer");
            }
            return super.endOffsets(partitions, timeout);
        }
    }

    @BeforeEach
    void begin() {
        watch.watch(
                List.of(
                        new Watched(NODE, 2, Presence.UP, null, null),
                        new Watched(OTHER, 2, Presence.UP, null, null)));
        begun.acquireUninterruptibly();
        poll(0);
    }

    @AfterEach
    void end() {
        polls.release(1_000_000);
        watch.close();
    }

    /// Another poll, which takes so long.
    private void poll(int seconds) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        polls.release();
        begun.acquireUninterruptibly();
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            poll(1);
        }
    }

    private void beat(NodeName node) {
        beat(node, 2);
    }

    private void beat(NodeName node, long epoch) {
        var beat = new Heartbeat(node, epoch, 0, List.of(), 0, 0, List.of(), List.of());
        byte[] value = new Events<>(Topics.HEARTBEATS, "test").record(0, beat, "test").value();
        var record =
                new ConsumerRecord<>(HEARTBEATS.topic(), 0, written++, new byte[] {'n'}, value);
        record.headers().add("ce_type", (HEARTBEATS.topic() + "/Heartbeat").getBytes(UTF_8));
        consumer.addRecord(record);
        consumer.updateEndOffsets(Map.of(HEARTBEATS, written));
    }

    private Presence presence() {
        return watch.latest().getOrDefault(NODE, Presence.LEFT);
    }

    @Test
    void at_the_head_of_the_heartbeats_silence_counts() {
        beat(NODE);
        poll(1);

        pass(9);
        Presence first = presence();
        pass(1);
        Presence silent = presence();
        pass(289);
        Presence last = presence();
        pass(1);

        assertThat(List.of(first, silent, last, presence()))
                .containsExactly(Presence.UP, Presence.SILENT, Presence.SILENT, Presence.DOWN);
    }

    @Test
    void a_heartbeat_ends_the_silence() {
        pass(200);
        beat(NODE);
        poll(1);

        assertThat(watch.latest())
                .containsEntry(NODE, Presence.UP)
                .containsEntry(OTHER, Presence.SILENT);
    }

    /// Another machine may have the name by now.
    @Test
    void a_heartbeat_of_an_epoch_that_is_over_ends_no_silence() {
        pass(200);
        beat(NODE, 1);
        beat(OTHER, 3);
        poll(1);

        assertThat(watch.latest())
                .containsEntry(NODE, Presence.SILENT)
                .containsEntry(OTHER, Presence.UP);
    }

    @Test
    void heartbeats_that_are_not_read_yet_may_be_any_nodes() {
        pass(200);
        consumer.updateEndOffsets(Map.of(HEARTBEATS, 1_000L));
        pass(101);

        assertThat(presence()).isEqualTo(Presence.UP);
    }

    @Test
    void silence_counts_though_more_is_written_all_the_time() {
        for (int i = 0; i < 300; i++) {
            beat(OTHER);
            consumer.updateEndOffsets(Map.of(HEARTBEATS, written + 1));
            poll(1);
        }

        assertThat(watch.latest())
                .containsEntry(NODE, Presence.DOWN)
                .containsEntry(OTHER, Presence.UP);
    }

    @Test
    void a_reader_that_stood_still_has_not_listened() {
        pass(299);
        poll(6);
        Presence stoodStill = presence();
        pass(299);
        Presence last = presence();
        pass(1);

        assertThat(List.of(stoodStill, last, presence()))
                .containsExactly(Presence.UP, Presence.SILENT, Presence.DOWN);
    }

    @Test
    void while_the_broker_gives_no_answer_nobody_is_silent() {
        pass(200);
        brokerAway = true;
        pass(200);
        Presence away = presence();
        brokerAway = false;
        pass(9);

        assertThat(List.of(away, presence())).containsOnly(Presence.UP);
    }

    @Test
    void a_reader_that_follows_one_that_failed_listens_only_from_then_on() {
        pass(299);
        consumer.setPollException(new KafkaException("broken"));
        poll(2);
        poll(1);

        assertThat(presence()).isEqualTo(Presence.UP);
    }
}
