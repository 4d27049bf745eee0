package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedBroker.class)
final class LogReaderTest {
    private final List<Long> offsets = new ArrayList<>();

    @Test
    void an_empty_partition_is_read_at_once(KafkaConnection kafka) {
        var partition = partition(SharedBroker.createdTopic(kafka).name());
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(consumer, List.of(partition), it -> offsets.add(it.offset()));

            assertThat(offsets).isEmpty();
        }
    }

    @Test
    void everything_up_to_the_end_is_read_in_order(KafkaConnection kafka) {
        var topic = SharedBroker.createdTopic(kafka);
        SharedBroker.write(kafka, topic, 1, 2, 3);
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(
                    consumer, List.of(partition(topic.name())), it -> offsets.add(it.offset()));

            assertThat(offsets).containsExactly(0L, 1L, 2L);
        }
    }

    @Test
    void reading_stops_at_the_given_end_and_goes_on_from_there(KafkaConnection kafka) {
        var topic = SharedBroker.createdTopic(kafka);
        var partition = partition(topic.name());
        SharedBroker.write(kafka, topic, 1, 2, 3, 4);
        try (var consumer = kafka.consumer()) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            LogReader.readTo(consumer, Map.of(partition, 3L), it -> offsets.add(it.offset()));
            assertThat(offsets).containsExactly(0L, 1L, 2L);

            LogReader.readTo(consumer, Map.of(partition, 4L), it -> offsets.add(it.offset()));

            assertThat(offsets).containsExactly(0L, 1L, 2L, 3L);
        }
    }

    @Test
    void what_waits_to_be_read_is_counted(KafkaConnection kafka) {
        var topic = SharedBroker.createdTopic(kafka);
        var partition = partition(topic.name());
        SharedBroker.write(kafka, topic, 1, 2, 3);
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(consumer, List.of(partition), _ -> {});
            assertThat(LogReader.unread(consumer)).isZero();

            consumer.seek(partition, 1);

            assertThat(LogReader.unread(consumer)).isEqualTo(2);
        }
    }

    @Test
    void a_log_whose_head_is_deleted_is_read_from_what_is_left(KafkaConnection kafka)
            throws Exception {
        var topic = SharedBroker.createdTopic(kafka);
        var partition = partition(topic.name());
        SharedBroker.write(kafka, topic, 1, 2, 3);
        try (var admin = kafka.admin();
                var consumer = kafka.consumer()) {
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(2))).all().get();

            LogReader.readAll(consumer, List.of(partition), it -> offsets.add(it.offset()));

            assertThat(offsets).containsExactly(2L);
        }
    }

    @Test
    void what_a_transaction_took_back_is_not_read(KafkaConnection kafka) {
        var topic = SharedBroker.createdTopic(kafka);
        var events = new Events<>(topic, "test");
        try (var producer = kafka.transactionalProducer(topic.name());
                var successor = kafka.transactionalProducer(topic.name());
                var consumer = kafka.consumer()) {
            producer.initTransactions();
            producer.beginTransaction();
            var unused = producer.send(events.record(0, SharedBroker.started(1), "1"));
            producer.flush();
            producer.abortTransaction();
            producer.beginTransaction();
            unused = producer.send(events.record(0, SharedBroker.started(2), "2"));
            producer.commitTransaction();
            // A commit returns before its mark stands in the log; the next of that name waits for
            // it.
            successor.initTransactions();

            LogReader.readAll(
                    consumer, List.of(partition(topic.name())), it -> offsets.add(it.offset()));

            // 0 is aborted, 1 is the mark of the abort.
            assertThat(offsets).containsExactly(2L);
        }
    }

    private static TopicPartition partition(String topic) {
        return new TopicPartition(topic, 0);
    }
}
