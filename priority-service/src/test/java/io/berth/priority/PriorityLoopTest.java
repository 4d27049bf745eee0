package io.berth.priority;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.FairShares.Factor;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.Usage;
import io.berth.contracts.topic.Access;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.embedded.GuardedBroker;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.log.TopicDeclarations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The loop on a real broker, with topics of each test's own; the test writes what the other
/// services would.
class PriorityLoopTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final JobDescription ALICES = Samples.job("alice", "team_a", "high");
    private static final JobDescription ZOES = Samples.job("zoe", "default", "normal");
    private static final PriorityConfig CONFIG =
            new PriorityConfig() {
                @Override
                public Duration fairShareInterval() {
                    return Duration.ofMillis(50);
                }

                @Override
                public Duration longestPause() {
                    return Duration.ofMillis(200);
                }
            };

    @TempDir static Path directory;
    private static GuardedBroker broker;
    private static Map<String, String> settings;
    private final TopicDeclarations declarations = new TopicDeclarations(2, 1, (short) 1);
    private KafkaConnection kafka;
    private PriorityLoop loop;
    private Producer<byte[], byte[]> producer;

    @BeforeAll
    static void startBroker() throws IOException {
        broker = GuardedBroker.start(directory);
        settings = admit(broker);
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @BeforeEach
    void start() throws Exception {
        kafka = new KafkaConnection(broker.bootstrapServers());
        loop =
                new PriorityLoop(
                        KafkaConnection.of(name -> Optional.ofNullable(settings.get(name))),
                        declarations,
                        CONFIG);
        producer = kafka.producer();
        try (Admin admin = kafka.admin()) {
            admin.deleteTopics(admin.listTopics().names().get()).all().get();
            declarations.create(admin, Topics.all());
        }
        loop.start();
        for (var entry : Samples.configuration(1, 0, 500)) {
            write(Topics.CONFIG, 0, entry);
        }
    }

    /// With the rights that the access rules give it.
    private static Map<String, String> admit(GuardedBroker broker) throws IOException {
        return broker.admit(
                Access.PRIORITY.client(),
                Access.PRIORITY.rules().stream()
                        .map(it ->
                                new GuardedBroker.Right(
                                        it.resource(), it.name(), it.prefixed(), it.operations()))
                        .toList());
    }

    @AfterEach
    void stop() {
        loop.stop();
        producer.close();
    }

    @Test
    void a_submitted_job_is_ranked_in_its_own_cell() {
        write(Topics.SUBMISSIONS, 1, Samples.submitted(7, ALICES));

        ConsumerRecord<byte[], byte[]> record = awaitRecords(Topics.RANKINGS, 1).getFirst();

        assertThat(record.partition()).isEqualTo(1);
        Ranked ranked = event(Topics.RANKINGS, record);
        assertThat(ranked.job().value()).isEqualTo(7);
        assertThat(ranked.rank().qos()).isEqualTo(500_000_000);
        assertThat(ranked.rank().nice()).isEqualTo(-10_000_000);
        assertThat(ranked.rank().after(Duration.ofDays(7).toMillis()))
                .isEqualTo(500_000_000 - 10_000_000 + 1000_000_000);
        assertThat(loop.waitsFor()).isEmpty();
    }

    @Test
    void a_new_revision_ranks_the_waiting_jobs_anew() {
        write(Topics.SUBMISSIONS, 0, Samples.submitted(1, ALICES));
        awaitRecords(Topics.RANKINGS, 1);

        for (var entry : Samples.configuration(2, 0, 700)) {
            write(Topics.CONFIG, 0, entry);
        }

        var records = awaitRecords(Topics.RANKINGS, 2);
        Ranked first = event(Topics.RANKINGS, records.getFirst());
        Ranked second = event(Topics.RANKINGS, records.getLast());
        assertThat(second.rank().qos()).isEqualTo(700_000_000);
        assertThat(second.rank().version()).isGreaterThan(first.rank().version());
    }

    @Test
    void what_was_submitted_during_an_outage_is_ranked_and_nothing_is_ranked_twice() {
        write(Topics.SUBMISSIONS, 0, Samples.submitted(1, ALICES));
        awaitRecords(Topics.RANKINGS, 1);
        loop.stop();

        // Placement has read job 2 and not yet job 3.
        write(Topics.JOB_STATES, 0, Samples.status(1, ALICES, JobState.PENDING));
        write(Topics.SUBMISSIONS, 0, Samples.submitted(2, ALICES));
        write(Topics.JOB_STATES, 0, Samples.status(2, ALICES, JobState.PENDING));
        write(Topics.CELL_STATES, 0, Samples.cell(0, 2));
        write(Topics.SUBMISSIONS, 0, Samples.submitted(3, ZOES));
        loop.start();
        awaitRecords(Topics.RANKINGS, 3);
        write(Topics.SUBMISSIONS, 0, Samples.submitted(4, ZOES));

        assertThat(awaitRecords(Topics.RANKINGS, 4))
                .extracting(it -> event(Topics.RANKINGS, it).job().value())
                .containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void the_ranking_of_a_job_that_is_gone_is_ended_also_if_it_went_during_an_outage() {
        write(Topics.SUBMISSIONS, 0, Samples.submitted(1, ALICES));
        write(Topics.SUBMISSIONS, 0, Samples.submitted(2, ALICES));
        awaitRecords(Topics.RANKINGS, 2);
        tombstone(Topics.JOB_STATES, "1");
        var records = awaitRecords(Topics.RANKINGS, 3);
        assertThat(key(records.getLast())).isEqualTo("1");
        assertThat(records.getLast().value()).isNull();

        loop.stop();
        write(Topics.CELL_STATES, 0, Samples.cell(0, 2));
        loop.start();

        records = awaitRecords(Topics.RANKINGS, 4);
        assertThat(key(records.getLast())).isEqualTo("2");
        assertThat(records.getLast().value()).isNull();
    }

    @Test
    void usage_orders_the_fair_shares_and_a_stranger_has_his_own() {
        write(Topics.SHARES, 0, new Usage("team_a", "alice", 1_000, 5_000_000, null, List.of()));
        write(Topics.SUBMISSIONS, 0, Samples.submitted(1, ZOES));

        FairShares shares =
                awaitShares(it ->
                        it.factors().size() == 2 && it.factors().getFirst().effectiveUsage() > 0);

        assertThat(shares.weight()).isEqualTo(10_000_000_000L);
        assertThat(shares.factors())
                .containsExactly(
                        new Factor("team_a", "alice", 500_000, 1_000_000, 1_000_000),
                        new Factor("default", "zoe", 1_000_000, 1_000_000, 0));
    }

    /// The job that comes after it is ranked after all that is said of the usage.
    @Test
    void a_change_of_usage_is_one_record_of_fair_shares_and_no_job_is_ranked_anew() {
        write(Topics.SUBMISSIONS, 0, Samples.submitted(1, ALICES));
        write(Topics.SUBMISSIONS, 0, Samples.submitted(2, ALICES));
        write(Topics.SUBMISSIONS, 0, Samples.submitted(3, ZOES));
        awaitRecords(Topics.RANKINGS, 3);
        awaitShares(it -> it.factors().size() == 2);
        int before = read(Topics.FAIR_SHARES).size();

        write(Topics.SHARES, 0, new Usage("team_a", "alice", 1_000, 5_000_000, null, List.of()));
        awaitShares(it -> it.factors().getFirst().effectiveUsage() > 0);
        write(Topics.SUBMISSIONS, 0, Samples.submitted(4, ALICES));

        assertThat(awaitRecords(Topics.RANKINGS, 4))
                .extracting(PriorityLoopTest::key)
                .containsExactly("1", "2", "3", "4");
        assertThat(read(Topics.FAIR_SHARES)).hasSize(before + 1);
    }

    @Test
    void the_version_of_fair_shares_goes_on_after_a_restart_and_equal_shares_are_not_repeated() {
        write(Topics.SHARES, 0, new Usage("team_a", "alice", 1_000, 5_000_000, null, List.of()));
        FairShares before = awaitShares(it -> it.factors().getFirst().effectiveUsage() > 0);
        loop.stop();
        loop.start();
        await().atMost(PATIENCE).until(() -> loop.waitsFor().isEmpty());

        write(Topics.SUBMISSIONS, 0, Samples.submitted(1, ZOES));

        FairShares after = awaitShares(it -> it.factors().size() == 2);
        assertThat(after.version()).isEqualTo(before.version() + 1);
    }

    @Test
    void a_corrupt_record_is_kept_aside_and_the_next_one_is_ranked() {
        var corrupt =
                new ProducerRecord<>(
                        Topics.SUBMISSIONS.name(),
                        0,
                        "1".getBytes(StandardCharsets.UTF_8),
                        "{".getBytes(StandardCharsets.UTF_8));
        corrupt.headers()
                .add("ce_type", "berth.submissions.v1/Submitted".getBytes(StandardCharsets.UTF_8));
        send(corrupt);
        write(Topics.SUBMISSIONS, 0, Samples.submitted(2, ALICES));

        awaitRecords(Topics.RANKINGS, 1);

        var topic = Topics.deadLetters("priority-service");
        DeadLetter letter = event(topic, awaitRecords(topic, 1).getFirst());
        assertThat(letter.position()).isEqualTo("berth.submissions.v1/0/0");
    }

    @Test
    void a_broker_that_was_away_is_waited_for() throws Exception {
        write(Topics.SUBMISSIONS, 0, Samples.submitted(1, ALICES));
        awaitRecords(Topics.RANKINGS, 1);
        broker.close();
        await().atMost(PATIENCE).until(() -> loop.waitsFor().isPresent());

        broker.restart();
        write(Topics.SUBMISSIONS, 0, Samples.submitted(2, ALICES));

        assertThat(awaitRecords(Topics.RANKINGS, 2))
                .extracting(it -> event(Topics.RANKINGS, it).job().value())
                .containsExactly(1L, 2L);
        await().atMost(PATIENCE).until(() -> loop.waitsFor().isEmpty());
    }

    private <E> void write(Topic<E> topic, int partition, E event) {
        send(new Events<>(topic, "test").record(partition, event, "test"));
    }

    private void tombstone(Topic<?> topic, String key) {
        send(new ProducerRecord<>(topic.name(), 0, key.getBytes(StandardCharsets.UTF_8), null));
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        try {
            producer.send(record).get();
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The topic's records when there are that many; never more.
    private List<ConsumerRecord<byte[], byte[]>> awaitRecords(Topic<?> topic, int count) {
        return await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> read(topic), records -> records.size() == count);
    }

    private FairShares awaitShares(Predicate<FairShares> condition) {
        return await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(
                        () -> event(Topics.FAIR_SHARES, read(Topics.FAIR_SHARES).getLast()),
                        condition::test);
    }

    private List<ConsumerRecord<byte[], byte[]>> read(Topic<?> topic) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(
                    consumer,
                    consumer.partitionsFor(topic.name()).stream()
                            .map(it -> new TopicPartition(it.topic(), it.partition()))
                            .toList(),
                    records::add);
        }
        return records;
    }

    private static <E> E event(Topic<E> topic, ConsumerRecord<byte[], byte[]> record) {
        try {
            return new Events<>(topic, "test").event(record);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }
}
