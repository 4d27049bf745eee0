package io.berth.placement.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A digest of all state records of a cell that is kept up to date record by record: the sum,
/// modulo 2⁶⁴, of the first eight bytes of each record's SHA-256. The order of the records does not
/// matter.
final class StateDigest {

    private final Map<String, Long> parts = new HashMap<>();
    private long sum;

    /// The record of that topic and key has this value from now on; null removes it.
    void put(String topic, String key, byte @Nullable [] value) {
        put(topic, key, part(topic, key, value));
    }

    /// The record of that topic and key has this part in the digest from now on.
    void put(String topic, String key, long now) {
        String name = name(topic, key);
        Long before = now == 0 ? parts.remove(name) : parts.put(name, now);
        sum += now - (before == null ? 0 : before);
    }

    /// What a record adds to the digest; 0 if it has no value.
    static long part(String topic, String key, byte @Nullable [] value) {
        if (value == null) {
            return 0;
        }
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(name(topic, key).getBytes(StandardCharsets.UTF_8));
            sha.update((byte) 0);
            return ByteBuffer.wrap(sha.digest(value)).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static String name(String topic, String key) {
        return topic + "/" + key;
    }

    @Override
    public String toString() {
        return String.format("%016x", sum);
    }
}
