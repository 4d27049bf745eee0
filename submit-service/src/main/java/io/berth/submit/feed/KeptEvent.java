package io.berth.submit.feed;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// A record that is kept for clients, and its event from when the first of them asks for it: most
/// are never asked for.
final class KeptEvent {
    private final OldEvents events;
    private final int cell;
    private final long offset;
    private @Nullable ConsumerRecord<byte[], byte[]> unread;
    private @Nullable FeedEvent event;

    KeptEvent(OldEvents events, ConsumerRecord<byte[], byte[]> record) {
        this.events = events;
        this.cell = record.partition();
        this.offset = record.offset();
        this.unread = record;
    }

    int cell() {
        return cell;
    }

    long offset() {
        return offset;
    }

    /// Null for one that this version cannot read.
    synchronized @Nullable FeedEvent event() {
        var record = unread;
        if (record != null) {
            event = events.event(record);
            unread = null;
        }
        return event;
    }
}
