package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.topic.Topics;
import io.berth.embedded.FreePorts;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedBroker.class)
final class KafkaConnectionTest {
    @Test
    void an_acknowledged_write_names_its_offset(KafkaConnection kafka) {
        var topic = SharedBroker.createdTopic(kafka);

        var written = SharedBroker.write(kafka, topic, 1, 2);

        assertThat(written).allMatch(it -> it.hasOffset());
        assertThat(written).extracting(it -> it.offset()).containsExactly(0L, 1L);
    }

    @Test
    void producers_wait_for_all_replicas_and_for_nothing_else() {
        assertThat(new KafkaConnection("127.0.0.1:1").producerSettings())
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("linger.ms", 0)
                .containsEntry("retry.backoff.ms", 5L);
    }

    @Test
    void a_write_after_the_end_fails_as_every_other_failure(KafkaConnection kafka) {
        var events = new Events<>(SharedBroker.createdTopic(kafka), "test");
        var writer = new EventWriter(kafka::producer);
        writer.close();

        var write = writer.write(events.record(0, SharedBroker.started(1), "1"));

        assertThat(write).isCompletedExceptionally();
    }

    @Test
    void a_bounded_producer_gives_up_in_time_when_no_broker_is_there() {
        var nobody = new KafkaConnection("127.0.0.1:" + FreePorts.next());
        var events = new Events<>(Topics.JOBS, "test");
        try (var writer = new EventWriter(() -> nobody.producer(Duration.ofMillis(200)))) {
            var write = writer.write(events.record(0, SharedBroker.started(1), "1"));

            assertThatThrownBy(() -> write.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void what_a_transaction_writes_goes_in_one_request(KafkaConnection kafka) {
        var topic = SharedBroker.createdTopic(kafka);
        var events = new Events<>(topic, "test");
        try (var producer = kafka.transactionalProducer(topic.name())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int i = 1; i <= 100; i++) {
                var unused =
                        producer.send(
                                events.record(0, SharedBroker.started(i), Integer.toString(i)));
            }

            producer.commitTransaction();

            assertThat(producer.metrics().values())
                    .filteredOn(it -> it.metricName().name().equals("records-per-request-avg"))
                    .singleElement()
                    .satisfies(it -> assertThat(it.metricValue()).isEqualTo(100.0));
        }
    }
}
