package io.berth.placement.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RoundEvent.Decided;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.Fact;
import io.berth.log.Events;
import io.berth.log.KeyExchange;
import io.berth.log.Sealed;
import io.berth.placement.kafka.RoundWriter.Round;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
    private final Map<NodeName, String> sealFor = new HashMap<>();
    private final RoundWriter writer =
            new RoundWriter(new CellLog(0, 2), producer, new StateDigest(), sealFor::get);

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

    /// All agents read the orders of all nodes.
    @Test
    void the_key_of_a_specification_is_sealed_for_the_node_that_runs_the_job_alone()
            throws GeneralSecurityException, UnknownEventType, CorruptEvent {
        var agent = new KeyExchange();
        sealFor.put(new NodeName("n1"), agent.open());
        sealFor.put(new NodeName("n3"), "no key");
        String key = Sealed.key();
        var clear = new SpecReference(0, 7, "00", key);

        writer.write(
                new Round(
                        CELL,
                        List.of(),
                        List.of(launch("n1", clear), launch("n2", clear), launch("n3", clear)),
                        List.of(),
                        ROUND.decided()));

        List<SpecReference> told = specs();
        String sealed = String.valueOf(told.get(0).key());
        assertThat(sealed).isNotEqualTo(key);
        assertThat(agent.open(sealed)).isEqualTo(key);
        assertThat(told.get(0)).isEqualTo(clear.by(sealed));
        assertThat(told.get(1)).as("of an agent that opens none").isEqualTo(clear);
        assertThat(told.get(2).key()).as("of one whose key is none").isNull();
    }

    private static Fact launch(String node, SpecReference spec) {
        return new Fact.Ordered(
                new Order.Launch(
                        new NodeName(node),
                        1,
                        1,
                        new RunId(new JobId(1), 1),
                        spec,
                        LaunchMode.BATCH,
                        false,
                        List.of(),
                        60));
    }

    private List<SpecReference> specs() throws UnknownEventType, CorruptEvent {
        var events = new Events<>(Topics.PLACEMENTS, "test");
        var specs = new ArrayList<SpecReference>();
        for (var it : producer.history()) {
            if (it.topic().equals(Topics.PLACEMENTS.name())) {
                var read = new ConsumerRecord<>(it.topic(), 0, 0, it.key(), it.value());
                it.headers().forEach(read.headers()::add);
                specs.add(((Order.Launch) events.event(read)).spec());
            }
        }
        return specs;
    }

    @Test
    void the_question_for_the_brokers_time_leaves_nothing_behind() {
        writer.brokerTime(CELL);

        assertThat(producer.transactionAborted()).isTrue();
        assertThat(producer.history()).isEmpty();
    }
}
