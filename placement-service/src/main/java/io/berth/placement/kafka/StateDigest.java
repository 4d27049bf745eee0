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
        String name = topic + "/" + key;
        long now = value == null ? 0 : part(name, value);
        Long before = value == null ? parts.remove(name) : parts.put(name, now);
        sum += now - (before == null ? 0 : before);
    }

    private static long part(String name, byte[] value) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(name.getBytes(StandardCharsets.UTF_8));
            sha.update((byte) 0);
            return ByteBuffer.wrap(sha.digest(value)).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return String.format("%016x", sum);
    }
}
