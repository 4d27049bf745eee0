package io.berth.submit.kafka;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the gateway leaves records that it cannot read.
final class DeadLetters {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);

    private final Events<DeadLetter> events =
            new Events<>(Topics.deadLetters(PictureTopics.SERVICE), PictureTopics.SERVICE);
    private final EventWriter writer;

    DeadLetters(EventWriter writer) {
        this.writer = writer;
    }

    void bury(ConsumerRecord<byte[], byte[]> record, Exception cause) {
        var letter =
                DeadLetter.of(
                        record.topic(),
                        record.partition(),
                        record.offset(),
                        String.valueOf(cause.getMessage()),
                        record.value());
        LOG.atWarn()
                .addKeyValue("record", letter.position())
                .addKeyValue("cause", letter.cause())
                .log("Record cannot be read; it is left in the dead letters");
        var unused =
                writer.write(events.record(0, letter, letter.position()))
                        .exceptionally(e -> {
                            LOG.atWarn().setCause(e).log("Dead letter is not written");
                            return null;
                        });
    }
}
