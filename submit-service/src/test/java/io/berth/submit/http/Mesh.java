package io.berth.submit.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.JobSpec;
import io.berth.contracts.PrivateData;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.json.Json;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.log.Sealed;
import io.berth.submit.Samples;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.ConfigProvider;

/// The hand of the other services: writes what placement, priority and accounting write, and reads
/// what the gateway wrote.
final class Mesh implements AutoCloseable {
    /// The setting that tells where the others come to the broker.
    static final String OUTSIDE = "test.kafka";

    private static final AtomicLong REVISION = new AtomicLong(1);

    private final KafkaConnection kafka;
    private final EventWriter writer;
    private final List<CompletableFuture<RecordMetadata>> pending = new ArrayList<>();

    Mesh(KafkaConnection kafka) {
        this.kafka = kafka;
        this.writer = new EventWriter(kafka::producer);
    }

    /// On the broker that the application under test is connected to.
    static Mesh connect() {
        return new Mesh(
                new KafkaConnection(ConfigProvider.getConfig().getValue(OUTSIDE, String.class)));
    }

    void publishCluster() {
        Samples.configEntries().forEach(it -> later(Topics.CONFIG, it));
        Samples.NODES.forEach(it -> later(Topics.NODE_STATES, Samples.nodeStatus(it, Presence.UP)));
        write(Topics.HEARTBEATS, new Heartbeat(Samples.DGX.node(), 1, 0, List.of(), 250, 12_000));
        write(
                Topics.FAIR_SHARES,
                new FairShares(
                        1,
                        1_700_000_000_000L,
                        10_000_000_000L,
                        List.of(
                                new FairShares.Factor(
                                        "team_a", "alice", 125_000, 500_000, 800_000))));
        write(Topics.CELL_STATES, Samples.cellStatus(0, 0));
    }

    /// The same configuration as a new revision, with these data private.
    void publishCluster(List<PrivateData> hidden) {
        publishCluster(to -> to.privateData = hidden);
    }

    /// The same configuration as a new revision, with the cluster changed so.
    void publishCluster(Consumer<ConfigEntry.Draft> change) {
        publish(it -> it instanceof Cluster cluster ? cluster.with(change) : it);
    }

    /// The same configuration as a new revision, with these records changed.
    void publish(UnaryOperator<ConfigEntry> change) {
        long revision = REVISION.incrementAndGet();
        for (ConfigEntry entry : Samples.configEntries()) {
            ObjectNode changed = Json.mapper().valueToTree(entry);
            changed.withObject("/part").put("revision", revision);
            later(
                    Topics.CONFIG,
                    change.apply(Json.mapper().convertValue(changed, entry.getClass())));
        }
        flush();
    }

    void jobStatus(JobStatus status) {
        write(Topics.JOB_STATES, status);
    }

    void forgetJob(long job) {
        forgetLater(job);
        flush();
    }

    /// Forgets, and does not wait for it: see [#flush].
    void forgetLater(long job) {
        byte[] key = Long.toString(job).getBytes(StandardCharsets.UTF_8);
        pending.add(writer.write(new ProducerRecord<>(Topics.JOB_STATES.name(), 0, key, null)));
    }

    <E> void write(Topic<E> topic, E event) {
        later(topic, event);
        flush();
    }

    /// Writes what no service would.
    void raw(Topic<?> topic, String event, String value) {
        var record =
                new ProducerRecord<>(
                        topic.name(),
                        0,
                        "nobody".getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8));
        record.headers()
                .add("ce_type", (topic.name() + "/" + event).getBytes(StandardCharsets.UTF_8));
        pending.add(writer.write(record));
        flush();
    }

    /// Writes, and does not wait for it: see [#flush].
    <E> void later(Topic<E> topic, E event) {
        pending.add(writer.write(new Events<>(topic, topic.writer()).record(0, event, "test")));
    }

    /// Waits until everything is written.
    void flush() {
        pending.forEach(it -> it.orTimeout(30, TimeUnit.SECONDS).join());
        pending.clear();
    }

    <E> List<ConsumerRecord<byte[], byte[]>> records(Topic<E> topic) {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(consumer, List.of(new TopicPartition(topic.name(), 0)), records::add);
        }
        return records;
    }

    /// What is not deleted.
    <E> List<E> events(Topic<E> topic) throws UnknownEventType, CorruptEvent {
        return events(topic, records(topic));
    }

    /// The specifications that are not deleted.
    List<JobSpec> specs() throws UnknownEventType, CorruptEvent {
        return events(Topics.SPECS, specRecords());
    }

    /// Their records, opened.
    List<ConsumerRecord<byte[], byte[]>> specRecords() throws UnknownEventType, CorruptEvent {
        var keys = new HashMap<Long, String>();
        for (Submission event : events(Topics.SUBMISSIONS)) {
            if (event instanceof Submitted it) {
                keys.put(it.spec().offset(), it.spec().key());
            }
        }
        var open = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        for (var record : records(Topics.SPECS)) {
            String key = keys.get(record.offset());
            if (record.value() != null && key != null) {
                try {
                    open.add(Sealed.open(record, key));
                } catch (GeneralSecurityException e) {
                    throw new AssertionError("a submission has the key of its specification", e);
                }
            }
        }
        return open;
    }

    /// The key that stands in a job's specification.
    String key(long id) throws UnknownEventType, CorruptEvent {
        return specs().stream()
                .filter(spec -> spec.job().value() == id)
                .map(spec -> String.valueOf(spec.key()))
                .findFirst()
                .orElseThrow();
    }

    private static <E> List<E> events(Topic<E> topic, List<ConsumerRecord<byte[], byte[]>> records)
            throws UnknownEventType, CorruptEvent {
        var read = new ArrayList<E>();
        var events = new Events<>(topic, "test");
        for (var record : records) {
            if (record.value() != null) {
                read.add(events.event(record));
            }
        }
        return read;
    }

    /// The events of all partitions.
    <E> List<E> everywhere(Topic<E> topic) throws UnknownEventType, CorruptEvent {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var consumer = kafka.consumer()) {
            List<TopicPartition> all =
                    consumer.partitionsFor(topic.name()).stream()
                            .map(it -> new TopicPartition(it.topic(), it.partition()))
                            .toList();
            LogReader.readAll(consumer, all, records::add);
        }
        return events(topic, records);
    }

    Submitted submitted(long job) throws UnknownEventType, CorruptEvent {
        for (Submission event : events(Topics.SUBMISSIONS)) {
            if (event instanceof Submitted submitted && submitted.job().value() == job) {
                return submitted;
            }
        }
        throw new AssertionError("no Submitted of job " + job + " in the log");
    }

    @Override
    public void close() {
        writer.close();
    }
}
