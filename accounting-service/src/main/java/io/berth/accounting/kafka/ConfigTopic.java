package io.berth.accounting.kafka;

import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.cluster.Revision;
import io.berth.accounting.cluster.Revisions;
import io.berth.accounting.db.BooksStopped;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The `config` topic, as its only writer sees it.
public final class ConfigTopic {

    private static final Logger LOG = LoggerFactory.getLogger(ConfigTopic.class);
    private static final String SERVICE = "accounting-service";
    private static final TopicPartition PARTITION = new TopicPartition(Topics.CONFIG.name(), 0);

    private final KafkaConnection kafka;
    private final Events<ConfigEntry> events = new Events<>(Topics.CONFIG, SERVICE);

    public ConfigTopic(KafkaConnection kafka) {
        this.kafka = kafka;
    }

    /// What is published: the last record of each key, and the revision that they make.
    ///
    /// @param highest the highest revision of any record; 0 before the first
    public record Published(
            Map<String, ConfigEntry> entries, long highest, Optional<Configuration> whole) {

        /// Whether that is what the file says.
        public boolean says(ClusterFile file) {
            return highest > 0 && byKey(file.entries(highest)).equals(entries);
        }
    }

    /// Reads the topic to its end. A record that cannot be read counts as none: its entry is then
    /// published anew.
    public Published read() {
        Map<String, ConfigEntry> entries = new LinkedHashMap<>();
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(
                    consumer,
                    List.of(PARTITION),
                    record -> {
                        String key = new String(record.key(), StandardCharsets.UTF_8);
                        entries.remove(key);
                        event(record).ifPresent(it -> entries.put(key, it));
                    });
        }
        return published(entries);
    }

    /// Revisions are published whole, so that the last record of each key is of the last one.
    private static Published published(Map<String, ConfigEntry> entries) {
        long highest =
                entries.values().stream().mapToLong(it -> it.part().revision()).max().orElse(0);
        var assembler = new ConfigurationAssembler();
        Optional<Configuration> whole = Optional.empty();
        for (ConfigEntry entry : entries.values()) {
            whole = whole.or(() -> assembler.add(entry));
        }
        return new Published(entries, highest, whole);
    }

    /// A revision, and what is published by it.
    public record Told(Revision revision, Published published) {}

    /// Publishes the latest revision unless it says what is published already. Its number is the
    /// next one if others were published above it.
    ///
    /// It is looked for when no instance that began before can publish any more: one that stands
    /// still after it has looked publishes nothing when it goes on.
    ///
    /// @throws ApiException if another instance has begun to publish meanwhile
    public Told publish(Revisions revisions) {
        try (var producer = kafka.transactionalProducer("accounting-config")) {
            // Ends what a predecessor left open; only then is all of it to be seen.
            producer.initTransactions();
            Revision latest = revisions.latest().orElseThrow();
            Published before = read();
            if (before.says(latest.file())) {
                return new Told(latest, before);
            }
            long number = Math.max(latest.number(), before.highest() + 1);
            Published next = published(byKey(latest.file().entries(number)));
            // In one transaction: compaction would leave half a revision nothing to stand on.
            producer.beginTransaction();
            for (ConfigEntry entry : next.entries().values()) {
                String id = "config/" + next.highest() + "/" + entry.key();
                var unused = producer.send(events.record(0, entry, id));
            }
            for (String key : before.entries().keySet()) {
                if (!next.entries().containsKey(key)) {
                    var unused = producer.send(tombstone(key));
                }
            }
            producer.commitTransaction();
            return new Told(latest, next);
        }
    }

    private static ProducerRecord<byte[], byte[]> tombstone(String key) {
        return new ProducerRecord<>(
                Topics.CONFIG.name(), 0, key.getBytes(StandardCharsets.UTF_8), null);
    }

    private static Map<String, ConfigEntry> byKey(List<ConfigEntry> entries) {
        Map<String, ConfigEntry> byKey = new LinkedHashMap<>();
        entries.forEach(it -> byKey.put(it.key(), it));
        return byKey;
    }

    private Optional<ConfigEntry> event(ConsumerRecord<byte[], byte[]> record) {
        try {
            return record.value() == null ? Optional.empty() : Optional.of(events.event(record));
        } catch (UnknownEventType e) {
            throw new BooksStopped(
                    "the config topic was written by a newer version: " + e.getMessage(), e);
        } catch (CorruptEvent e) {
            LOG.atWarn()
                    .addKeyValue("record", Events.position(record))
                    .log("A record of the configuration cannot be read");
            return Optional.empty();
        }
    }
}
