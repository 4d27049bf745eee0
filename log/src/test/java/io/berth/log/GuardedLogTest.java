package io.berth.log;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.topic.Access;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.embedded.Certificates;
import io.berth.embedded.GuardedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a broker with TLS and access rules lets its clients do.
final class GuardedLogTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final TopicDeclarations DECLARATIONS = new TopicDeclarations(1, 1, (short) 1);

    @TempDir static Path folder;
    private static GuardedBroker broker;
    private static KafkaConnection placement;
    private static Map<String, String> asAgent;

    @BeforeAll
    static void start() throws IOException {
        broker = GuardedBroker.start(folder);
        var topics = new ArrayList<Topic<?>>(Topics.all());
        topics.add(Topics.ELECTIONS);
        try (var admin = new KafkaConnection(broker.bootstrapServers()).admin()) {
            DECLARATIONS.create(admin, topics);
        }
        placement = connection(admitted(Access.PLACEMENT));
        asAgent = admitted(Access.AGENT);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static Map<String, String> admitted(Access access) throws IOException {
        return broker.admit(
                access.client(),
                access.rules().stream()
                        .map(it ->
                                new GuardedBroker.Right(
                                        it.resource(), it.name(), it.prefixed(), it.operations()))
                        .toList());
    }

    private static KafkaConnection connection(Map<String, String> settings) {
        return KafkaConnection.of(name -> Optional.ofNullable(settings.get(name)));
    }

    private static void read(KafkaConnection kafka, Topic<?> topic) {
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(consumer, List.of(new TopicPartition(topic.name(), 0)), record -> {});
        }
    }

    private static void write(KafkaConnection kafka, Topic<?> topic) throws Throwable {
        try (var producer = kafka.producer()) {
            send(producer, topic);
        }
    }

    private static void send(Producer<byte[], byte[]> producer, Topic<?> topic) throws Throwable {
        try {
            producer.send(new ProducerRecord<>(topic.name(), 0, new byte[] {'k'}, new byte[] {'v'}))
                    .get();
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    /// A client of each kind, with what is done by it.
    enum Kind {
        ADMIN {
            @Override
            void use(KafkaConnection kafka) {
                try (var admin = kafka.admin()) {
                    DECLARATIONS.create(admin, Topics.writtenBy("placement-service"));
                }
            }
        },
        PRODUCER {
            @Override
            void use(KafkaConnection kafka) throws Throwable {
                write(kafka, Topics.JOBS);
            }
        },
        SMALL_PRODUCER {
            @Override
            void use(KafkaConnection kafka) throws Throwable {
                try (var producer = kafka.smallProducer()) {
                    send(producer, Topics.JOBS);
                }
            }
        },
        IMPATIENT_PRODUCER {
            @Override
            void use(KafkaConnection kafka) throws Throwable {
                try (var producer = kafka.producer(PATIENCE)) {
                    send(producer, Topics.JOBS);
                }
            }
        },
        TRANSACTION {
            @Override
            void use(KafkaConnection kafka) throws Throwable {
                try (var producer = kafka.transactionalProducer("berth-placement-0")) {
                    producer.initTransactions();
                    producer.beginTransaction();
                    var sent =
                            producer.send(
                                    new ProducerRecord<>(
                                            Topics.JOBS.name(), 0, new byte[] {'k'}, new byte[0]));
                    producer.commitTransaction();
                    sent.get();
                }
            }
        },
        CONSUMER {
            @Override
            void use(KafkaConnection kafka) {
                read(kafka, Topics.SUBMISSIONS);
            }
        },
        FOLLOWER {
            @Override
            void use(KafkaConnection kafka) {
                try (var consumer = kafka.follower()) {
                    var unused = consumer.partitionsFor(Topics.SUBMISSIONS.name(), PATIENCE);
                }
            }
        },
        LOOKUP {
            @Override
            void use(KafkaConnection kafka) {
                try (var consumer = kafka.lookup()) {
                    var unused = consumer.partitionsFor(Topics.SUBMISSIONS.name(), PATIENCE);
                }
            }
        },
        MEMBER {
            @Override
            void use(KafkaConnection kafka) {
                try (var consumer = kafka.member("berth-placement-mail")) {
                    consumer.subscribe(List.of(Topics.SUBMISSIONS.name()));
                    var unused = consumer.poll(Duration.ofMillis(100));
                }
            }
        },
        CANDIDATE {
            @Override
            void use(KafkaConnection kafka) {
                try (var election = new Election(kafka, "berth-placement-0", PATIENCE)) {
                    while (!election.poll(Duration.ofMillis(100))) {
                        // Nobody else stands.
                    }
                }
            }
        };

        abstract void use(KafkaConnection kafka) throws Throwable;
    }

    @ParameterizedTest
    @EnumSource
    void every_client_comes_over_tls_and_by_its_certificate(Kind kind) {
        assertThatCode(() -> kind.use(placement)).doesNotThrowAnyException();
    }

    @Test
    void a_stranger_reads_no_script_and_gives_no_order() throws IOException {
        var stranger = connection(broker.admit("stranger", List.of()));

        assertThatThrownBy(() -> read(stranger, Topics.SPECS))
                .isInstanceOf(AuthorizationException.class);
        assertThatThrownBy(() -> write(stranger, Topics.PLACEMENTS))
                .isInstanceOf(AuthorizationException.class);
    }

    @Test
    void an_agent_gives_no_order_and_submits_no_job() {
        var agent = connection(asAgent);

        assertThatCode(() -> read(agent, Topics.PLACEMENTS)).doesNotThrowAnyException();
        assertThatCode(() -> write(agent, Topics.RUNS)).doesNotThrowAnyException();
        for (var topic : List.of(Topics.PLACEMENTS, Topics.SUBMISSIONS, Topics.STEP_REQUESTS)) {
            assertThatThrownBy(() -> write(agent, topic))
                    .isInstanceOf(AuthorizationException.class);
        }
        assertThatThrownBy(() -> read(agent, Topics.JOBS))
                .isInstanceOf(AuthorizationException.class);
        assertThatThrownBy(
                        () -> {
                            try (var producer = agent.transactionalProducer("berth-placement-0")) {
                                producer.initTransactions();
                            }
                        })
                .isInstanceOf(AuthorizationException.class);
    }

    @Test
    void a_host_has_a_certificate_of_its_own_and_the_rights_of_all_agents() throws IOException {
        var host = connection(broker.settings("node1", "/OU=berth-agent/CN=node1"));

        assertThatCode(() -> write(host, Topics.HEARTBEATS)).doesNotThrowAnyException();
        assertThatThrownBy(() -> write(host, Topics.PLACEMENTS))
                .isInstanceOf(AuthorizationException.class);
    }

    @Test
    void who_shows_no_certificate_is_told_why_he_does_not_get_in() {
        var settings = new HashMap<>(asAgent);
        settings.remove("kafka.tls.certificate");
        settings.remove("kafka.tls.key");

        refused(settings, "certificate_required");
    }

    @Test
    void a_broker_that_another_authority_certified_is_not_spoken_to() throws IOException {
        Path other = Files.createDirectories(folder.resolve("other"));
        new Certificates(other).certify("broker", "/CN=broker", "IP:127.0.0.1");
        var settings = new HashMap<>(asAgent);
        settings.put("kafka.tls.ca", other.resolve("ca.crt").toString());

        refused(settings, "SSL handshake failed", "PKIX path");
    }

    @Test
    void a_broker_by_another_name_than_its_certificate_has_is_not_spoken_to() {
        var settings = new HashMap<>(asAgent);
        settings.compute(
                "kafka.bootstrap.servers", (_, it) -> it.replace("127.0.0.1", "localhost"));

        refused(settings, "SSL handshake failed", "localhost");
    }

    @Test
    void a_password_lets_in_and_a_wrong_one_is_named_for_what_it_is() throws IOException {
        Path file = Files.writeString(folder.resolve("password"), "right \"one\"\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        var settings = new HashMap<>(broker.enlist("berth-reader", "right \"one\""));
        settings.put("kafka.sasl.username", "berth-reader");
        settings.put("kafka.sasl.password-file", file.toString());
        assertThatThrownBy(() -> read(connection(settings), Topics.JOBS))
                .isInstanceOf(AuthorizationException.class);

        Files.writeString(file, "wrong");

        refused(settings, "invalid credentials with SASL mechanism SCRAM-SHA-512");
    }

    /// By the first thing that every service does.
    private static void refused(Map<String, String> settings, String... why) {
        try (var admin = connection(settings).admin()) {
            assertThatThrownBy(() -> DECLARATIONS.create(admin, List.of(Topics.RUNS)))
                    .isInstanceOf(KafkaException.class)
                    .hasMessageStartingWith("cannot create topic berth.runs.v1: ")
                    .hasMessageContainingAll(why)
                    .message()
                    .hasLineCount(1);
        }
    }
}
