package io.berth.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// How to reach the brokers, and the client settings that the design fixes: durable idempotent
/// writes without linger, committed reads, no offset reset. All clients of the log are made here.
///
/// @param bootstrapServers addresses, with commas between them
/// @param security how both sides know each other
public record KafkaConnection(String bootstrapServers, KafkaSecurity security)
        implements LogClients {

    public static final String BOOTSTRAP_SERVERS = "kafka.bootstrap.servers";

    /// The longest record that any topic takes, with room for its headers.
    private static final int MAX_REQUEST_BYTES = (8 << 20) + (64 << 10);

    /// How much of one partition goes in a request; a longer record goes alone.
    private static final int BATCH_BYTES = 256 << 10;

    /// The same where it matters less than that each partition has such a piece of memory.
    private static final int SMALL_BATCH_BYTES = 32 << 10;

    /// Longer than a transaction is filled: to commit it sends what waits.
    private static final int UNTIL_COMMIT_MILLIS = 5000;

    /// What is fetched to find one record; a longer one comes whole.
    private static final int LOOKUP_BYTES = 32 << 10;

    /// How long a candidate may be silent. Brokers allow it if `group.min.session.timeout.ms`, 6 s
    /// by default, is not above it.
    public static final Duration CANDIDATE_SESSION = Duration.ofSeconds(2);

    /// Who stands by hears of an election with his next heartbeat: it is part of a take-over.
    private static final int HEARTBEAT_MILLIS = 500;

    /// How long a follower's fetch waits on the broker for something to come: each end of that
    /// wakes six threads, of the broker and of the client.
    public static final Duration FOLLOWING = Duration.ofSeconds(2);

    /// How long a member of a group may be at work with a record and is not taken for stuck.
    private static final Duration MEMBER_AT_WORK = Duration.ofMinutes(30);

    /// Brokers that are reached in plain text.
    public KafkaConnection(String bootstrapServers) {
        this(bootstrapServers, KafkaSecurity.NONE);
    }

    /// The connection that settings tell of: `kafka.bootstrap.servers` and those of
    /// [KafkaSecurity].
    ///
    /// @param settings by their names
    /// @throws ConfigException if one is missing, or cannot be used
    public static KafkaConnection of(Function<String, Optional<String>> settings) {
        String servers =
                settings.apply(BOOTSTRAP_SERVERS)
                        .orElseThrow(() ->
                                new ConfigException(BOOTSTRAP_SERVERS + ": no broker is named"));
        return new KafkaConnection(servers, KafkaSecurity.of(settings));
    }

    @Override
    public Admin admin() {
        return Admin.create(settings());
    }

    @Override
    public Producer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                producerSettings(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /// A producer as [#producer], for one who writes little: it keeps less memory for that.
    public Producer<byte[], byte[]> smallProducer() {
        var settings = producerSettings();
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, SMALL_BATCH_BYTES);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /// A producer that gives up on a record after so long: its outcome is unknown then, and it is
    /// not tried again.
    public Producer<byte[], byte[]> producer(Duration limit) {
        var settings = producerSettings();
        int millis = Math.toIntExact(limit.toMillis());
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, millis);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, millis / 2);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public Producer<byte[], byte[]> transactionalProducer(String transactionalId) {
        var settings = producerSettings();
        settings.put(ProducerConfig.LINGER_MS_CONFIG, UNTIL_COMMIT_MILLIS);
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 10_000);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public Consumer<byte[], byte[]> consumer() {
        return consumer(Map.of(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50));
    }

    @Override
    public Consumer<byte[], byte[]> follower() {
        return follower(FOLLOWING, ConsumerConfig.DEFAULT_MAX_POLL_RECORDS);
    }

    /// A consumer as [#follower], that takes up to so many records at once.
    public Consumer<byte[], byte[]> follower(int records) {
        return follower(FOLLOWING, records);
    }

    @Override
    public Consumer<byte[], byte[]> follower(Duration answered) {
        return follower(answered, ConsumerConfig.DEFAULT_MAX_POLL_RECORDS);
    }

    private Consumer<byte[], byte[]> follower(Duration wait, int records) {
        return new Follower(
                readerSettings(
                        Map.of(
                                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                                Math.toIntExact(wait.toMillis()),
                                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                                records)));
    }

    /// A consumer as [#consumer], for single records here and there.
    public Consumer<byte[], byte[]> lookup() {
        return consumer(
                Map.of(
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 5,
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1,
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, LOOKUP_BYTES));
    }

    /// A member of a group that shares the partitions of what it subscribes to, and that says by
    /// commits how far it is; a new group begins with what comes. It takes one record at a time,
    /// for which it has [#MEMBER_AT_WORK].
    public Consumer<byte[], byte[]> member(String group) {
        return consumer(
                Map.of(
                        ConsumerConfig.GROUP_ID_CONFIG,
                        group,
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        1,
                        ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
                        Math.toIntExact(MEMBER_AT_WORK.toMillis()),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "latest"));
    }

    private Consumer<byte[], byte[]> consumer(Map<String, Object> way) {
        return new KafkaConsumer<>(
                readerSettings(way), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Map<String, Object> readerSettings(Map<String, Object> way) {
        var settings = settings();
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, 5L);
        settings.put(ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG, 50L);
        settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1000L);
        settings.putAll(way);
        return settings;
    }

    /// One that waits for no answer when it is closed: a fetch may be waiting, and it is in no
    /// group that it must leave.
    private static final class Follower extends KafkaConsumer<byte[], byte[]> {

        Follower(Map<String, Object> settings) {
            super(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public void close() {
            close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    @Override
    public Consumer<byte[], byte[]> candidate(String group, Duration wedgedAfter) {
        var settings = settings();
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        settings.put(
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                CooperativeStickyAssignor.class.getName());
        settings.put(
                ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                Math.toIntExact(CANDIDATE_SESSION.toMillis()));
        settings.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MILLIS);
        // So often the client looks whether a heartbeat is due: a moment later it is.
        settings.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, HEARTBEAT_MILLIS + 10L);
        settings.put(
                ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
                Math.toIntExact(wedgedAfter.toMillis()));
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500L);
        return new KafkaConsumer<>(
                settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /// Those of every client. What Kafka measures of itself nobody asks for: neither brokers nor
    /// JMX are told.
    private Map<String, Object> settings() {
        var settings = new HashMap<>(security.settings());
        settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, List.of());
        settings.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
        return settings;
    }

    Map<String, Object> producerSettings() {
        var settings = settings();
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        // What comes while a request is under way goes together in the next one, and is brought
        // to the disk together: more requests at once would only be smaller.
        settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        settings.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5L);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_REQUEST_BYTES);
        settings.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, 50L);
        settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1000L);
        return settings;
    }
}
