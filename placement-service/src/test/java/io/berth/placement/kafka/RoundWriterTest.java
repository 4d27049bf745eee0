package io.berth.placement.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.RoundEvent.Decided;
import io.berth.contracts.topic.Topics;
import io.berth.placement.kafka.RoundWriter.Round;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

final class RoundWriterTest {

    private static final CellStatus CELL = new CellStatus(0, 1, 1000, List.of(), 0, 0, "");

    private static final Round ROUND =
            new Round(
                    CELL,
                    List.of(),
                    List.of(),
                    List.of(),
                    new Decided(0, 1, 1000, 0, null, "CONSERVATIVE", 500, "test", ""));

    private final Queue<RuntimeException> commits = new ArrayDeque<>();
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                @Override
                public void commitTransaction() {
                    RuntimeException failure = commits.poll();
                    if (failure != null) {
                        throw failure;
                    }
                    super.commitTransaction();
                }
            };
    private final RoundWriter writer =
            new RoundWriter(new CellLog(0, 2), producer, new StateDigest());

    RoundWriterTest() {
        producer.initTransactions();
    }

    @Test
    void a_commit_without_an_answer_is_asked_for_again_and_not_given_up() {
        commits.add(new TimeoutException("no answer"));
        commits.add(new TimeoutException("no answer yet"));

        writer.write(ROUND);

        assertThat(producer.transactionCommitted()).isTrue();
        assertThat(producer.transactionAborted()).isFalse();
        assertThat(producer.history())
                .extracting(record -> record.topic())
                .containsExactly(Topics.ROUNDS.name(), Topics.CELL_STATES.name());
    }

    @Test
    void any_other_failure_of_a_commit_ends_the_tenure() {
        commits.add(new ProducerFencedException("another one leads"));

        assertThatThrownBy(() -> writer.write(ROUND)).isInstanceOf(Fenced.class);

        commits.add(new KafkaException("unknown"));
        assertThatThrownBy(() -> writer.write(ROUND)).isNotInstanceOf(Fenced.class);
    }

    /// As a producer says it that was fenced by an answer to what it sent, before the commit.
    @Test
    void one_that_was_fenced_before_it_commits_says_so() {
        commits.add(
                new KafkaException(
                        "in an error state", new InvalidProducerEpochException("a newer one")));

        assertThatThrownBy(() -> writer.write(ROUND)).isInstanceOf(Fenced.class);
    }

    @Test
    void the_question_for_the_brokers_time_leaves_nothing_behind() {
        writer.brokerTime(CELL);

        assertThat(producer.transactionAborted()).isTrue();
        assertThat(producer.history()).isEmpty();
    }
}
