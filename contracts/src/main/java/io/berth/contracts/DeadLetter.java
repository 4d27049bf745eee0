package io.berth.contracts;

import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// A record that a service could not apply, kept with its cause.
///
/// @param value the record's bytes, base64; of a record that would not fit into another one, its
///   beginning
public record DeadLetter(String topic, int partition, long offset, String cause, String value) {

    private static final int MOST_BYTES = 512 << 10;
    private static final int MOST_OF_CAUSE = 4 << 10;

    /// The letter of a record, at most as large as fits into one.
    ///
    /// @param value null for none
    public static DeadLetter of(
            String topic, int partition, long offset, String cause, byte @Nullable [] value) {
        byte[] bytes = value == null ? new byte[0] : value;
        return new DeadLetter(
                topic,
                partition,
                offset,
                cause.substring(0, Math.min(cause.length(), MOST_OF_CAUSE)),
                Base64.getEncoder()
                        .encodeToString(Arrays.copyOf(bytes, Math.min(bytes.length, MOST_BYTES))));
    }

    /// The key under which it is kept.
    public String position() {
        return topic + "/" + partition + "/" + offset;
    }
}
