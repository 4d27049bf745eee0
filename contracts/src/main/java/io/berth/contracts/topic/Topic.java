package io.berth.contracts.topic;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/// A topic: one writer service, one key, one sealed interface or record of events.
///
/// @param name `berth.<plural>.v<major>`
/// @param writer the one service that writes it and creates it
/// @param events the interface or record that its values belong to
/// @param key of an event
/// @param spread how its partitions are chosen
public record Topic<E>(
        String name,
        String writer,
        Class<E> events,
        Function<E, String> key,
        Spread spread,
        Cleanup cleanup,
        Duration retention,
        int maxBytes) {

    /// How the partition of a record is chosen; it is always given, never hashed from the key by
    /// the client.
    public enum Spread {
        /// The partition is the cell.
        CELL,
        /// A partition for a group of nodes: see [NodePartitions].
        NODE,
        /// One partition for all.
        SINGLE
    }

    public enum Cleanup {
        DELETE,
        COMPACT
    }

    /// Records above this size need a topic that says so.
    public static final int DEFAULT_MAX_BYTES = 1 << 20;

    /// The topic's settings, as the broker names them.
    public Map<String, String> settings() {
        var settings = new LinkedHashMap<String, String>();
        settings.put("message.timestamp.type", "LogAppendTime");
        settings.put("max.message.bytes", Integer.toString(maxBytes));
        switch (cleanup) {
            case Cleanup.DELETE -> {
                settings.put("cleanup.policy", "delete");
                settings.put("retention.ms", Long.toString(retention.toMillis()));
            }
            case Cleanup.COMPACT -> {
                settings.put("cleanup.policy", "compact");
                settings.put(
                        "max.compaction.lag.ms", Long.toString(Duration.ofMinutes(10).toMillis()));
                settings.put("min.cleanable.dirty.ratio", "0.1");
                settings.put("delete.retention.ms", Long.toString(Duration.ofHours(24).toMillis()));
            }
        }
        return settings;
    }
}
