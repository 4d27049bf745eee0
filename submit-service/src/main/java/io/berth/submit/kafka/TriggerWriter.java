package io.berth.submit.kafka;

import io.berth.contracts.event.Trigger;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.submit.Deadline;
import io.berth.submit.Position;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/// Writes triggers. When a method returns, the gateway's picture shows what it wrote.
///
/// Each throws [Unavailable] if it is not known in time whether the record stands in the log, or
/// the picture does not show it.
@Singleton
public class TriggerWriter {
    private static final int PARTITION = 0;

    private final EventWriter writer;
    private final GatewayLog log;
    private final Events<Trigger> events = new Events<>(Topics.TRIGGERS, PictureTopics.SERVICE);

    TriggerWriter(EventWriter writer, GatewayLog log) {
        this.writer = writer;
        this.log = log;
    }

    public void write(Trigger trigger, Deadline due) {
        append(events.record(PARTITION, trigger, trigger.key() + "/" + UUID.randomUUID()), due);
    }

    /// @param key of the record that is to be gone
    public void delete(String key, Deadline due) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        append(new ProducerRecord<>(Topics.TRIGGERS.name(), PARTITION, bytes, null), due);
    }

    private void append(ProducerRecord<byte[], byte[]> record, Deadline due) {
        RecordMetadata at = Acknowledgement.of(writer.write(record), due);
        log.await(Topics.TRIGGERS, new Position(PARTITION, at.offset() + 1), due);
    }
}
