package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.topic.Topic.Cleanup;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SharedBroker.class)
final class LogViewTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<Long> offsets = new CopyOnWriteArrayList<>();

    @Test
    void a_view_reads_what_is_there_and_what_comes(KafkaConnection kafka) throws Exception {
        var topic = SharedBroker.createdTopic(kafka);
        var partition = new TopicPartition(topic.name(), 0);
        SharedBroker.write(kafka, topic, 1, 2);
        try (var view = view(kafka, partition)) {
            assertThat(view.await(Map.of(partition, 2L), LONG)).isTrue();
            assertThat(view.caughtUp()).isTrue();

            SharedBroker.write(kafka, topic, 3);

            assertThat(view.await(Map.of(partition, 3L), LONG)).isTrue();
            assertThat(offsets).containsExactly(0L, 1L, 2L);
        }
    }

    @Test
    void a_view_is_waited_for_until_it_shows_what_is_asked(KafkaConnection kafka) throws Exception {
        var topic = SharedBroker.createdTopic(kafka);
        SharedBroker.write(kafka, topic, 1);
        try (var view = view(kafka, new TopicPartition(topic.name(), 0))) {
            assertThat(view.await(() -> offsets.contains(0L), LONG)).isTrue();

            SharedBroker.write(kafka, topic, 2, 3);

            assertThat(view.await(() -> offsets.contains(2L), LONG)).isTrue();
            assertThat(view.await(() -> offsets.contains(3L), Duration.ofMillis(50))).isFalse();
        }
    }

    @Test
    void a_view_of_an_empty_partition_is_caught_up(KafkaConnection kafka) throws Exception {
        var partition = new TopicPartition(SharedBroker.createdTopic(kafka).name(), 0);
        try (var view = view(kafka, partition)) {
            assertThat(view.await(Map.of(partition, 0L), LONG)).isTrue();

            awaitCaughtUp(view);
        }
    }

    @Test
    void waiting_for_what_is_not_written_ends_with_the_time(KafkaConnection kafka)
            throws Exception {
        var partition = new TopicPartition(SharedBroker.createdTopic(kafka).name(), 0);
        try (var view = view(kafka, partition)) {
            boolean there = view.await(Map.of(partition, 1L), Duration.ofMillis(50));

            assertThat(there).isFalse();
        }
    }

    @Test
    void a_transaction_is_seen_when_it_is_committed_and_not_before(KafkaConnection kafka)
            throws Exception {
        var topic = SharedBroker.createdTopic(kafka);
        var partition = new TopicPartition(topic.name(), 0);
        var events = new Events<>(topic, "test");
        try (var view = view(kafka, partition);
                var producer = kafka.transactionalProducer(topic.name())) {
            producer.initTransactions();
            producer.beginTransaction();
            var unused = producer.send(events.record(0, SharedBroker.started(1), "1"));
            producer.flush();
            assertThat(view.await(Map.of(partition, 1L), Duration.ofMillis(300))).isFalse();

            producer.commitTransaction();

            assertThat(view.await(Map.of(partition, 2L), LONG)).isTrue();
            assertThat(offsets).containsExactly(0L);
        }
    }

    @Test
    void a_view_begins_after_the_head_that_retention_deleted(KafkaConnection kafka)
            throws Exception {
        var topic = SharedBroker.createdTopic(kafka);
        var partition = new TopicPartition(topic.name(), 0);
        SharedBroker.write(kafka, topic, 1, 2, 3);
        try (var admin = kafka.admin()) {
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(2))).all().get();
        }
        try (var view = view(kafka, partition)) {
            assertThat(view.await(Map.of(partition, 3L), LONG)).isTrue();
            assertThat(offsets).containsExactly(2L);
        }
    }

    @Test
    void a_view_whose_handler_fails_stops_and_says_why(KafkaConnection kafka) throws Exception {
        var topic = SharedBroker.createdTopic(kafka);
        var partition = new TopicPartition(topic.name(), 0);
        SharedBroker.write(kafka, topic, 1);
        LogReader.Handler failing =
                _ -> {
                    throw new IllegalStateException("no room");
                };
        var view = new LogView(kafka.consumer(), List.of(partition), failing, Clocks.SYSTEM);
        var run = CompletableFuture.runAsync(view::run);

        boolean there = view.await(Map.of(partition, 1L), LONG);

        assertThat(there).isFalse();
        assertThat(view.caughtUp()).isFalse();
        assertThat(run).failsWithin(LONG).withThrowableThat().withMessageContaining("no room");
    }

    @Test
    void a_view_outlives_its_broker_and_goes_on_when_it_is_back(@TempDir Path directory)
            throws Exception {
        int port = FreePorts.next();
        int controllerPort = FreePorts.next();
        var kafka = new KafkaConnection("127.0.0.1:" + port);
        TopicPartition partition;
        LogView view;
        try (var first = KafkaBroker.start(directory, port, controllerPort)) {
            var topic = SharedBroker.createdTopic(kafka);
            partition = new TopicPartition(topic.name(), 0);
            SharedBroker.write(kafka, topic, 1);
            view = view(kafka, partition);
            assertThat(view.await(Map.of(partition, 1L), LONG)).isTrue();
            assertThat(first.bootstrapServers()).endsWith(":" + port);
        }
        try (view;
                var second = KafkaBroker.start(directory, port, controllerPort);
                var admin = new KafkaConnection(second.bootstrapServers()).admin()) {
            var events =
                    new Events<>(SharedBroker.named(partition.topic(), Cleanup.DELETE), "test");
            try (var writer = new EventWriter(kafka::producer)) {
                writer.write(events.record(0, SharedBroker.started(2), "2")).get();
            }

            assertThat(view.await(Map.of(partition, 2L), LONG)).isTrue();
            assertThat(admin.listTopics().names().get()).contains(partition.topic());
            assertThat(offsets).containsExactly(0L, 1L);
        }
    }

    @Test
    void a_view_that_begins_without_a_broker_waits_for_it(@TempDir Path directory)
            throws Exception {
        int port = FreePorts.next();
        int controllerPort = FreePorts.next();
        var kafka = new KafkaConnection("127.0.0.1:" + port);
        TopicPartition partition;
        try (var first = KafkaBroker.start(directory, port, controllerPort)) {
            var there = new KafkaConnection(first.bootstrapServers());
            var topic = SharedBroker.createdTopic(there);
            SharedBroker.write(there, topic, 1);
            partition = new TopicPartition(topic.name(), 0);
        }
        try (var view = view(impatientConsumer(kafka), partition)) {
            assertThat(view.await(Map.of(partition, 1L), Duration.ofMillis(300))).isFalse();
            assertThat(view.caughtUp()).isFalse();

            try (var second = KafkaBroker.start(directory, port, controllerPort)) {
                assertThat(view.await(Map.of(partition, 1L), LONG)).isTrue();
                assertThat(second.bootstrapServers()).endsWith(":" + port);
            }
        }
    }

    private LogView view(KafkaConnection kafka, TopicPartition partition) {
        return view(kafka.consumer(), partition);
    }

    private LogView view(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
        var view =
                new LogView(
                        consumer,
                        List.of(partition),
                        it -> offsets.add(it.offset()),
                        Clocks.SYSTEM);
        Thread.ofPlatform().daemon().start(view::run);
        return view;
    }

    /// A consumer whose calls give up on an absent broker at once, and not after a minute.
    private static Consumer<byte[], byte[]> impatientConsumer(KafkaConnection kafka) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka.bootstrapServers(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "none",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false,
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        100,
                        ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        100),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private static void awaitCaughtUp(LogView view) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (!view.caughtUp()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
