package io.berth.placement.kafka;

import io.berth.core.replay.Checksum;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A digest of all state records of a cell that is kept up to date record by record: the sum,
/// modulo 2⁶⁴, of each record's [Checksum], mixed. The order of the records does not matter.
final class StateDigest {

    /// What its text begins with. One of an earlier version was made of SHA-256, and begins
    /// otherwise.
    private static final String KIND = "crc:";

    private final Map<String, Long> parts = new HashMap<>();
    private long sum;

    /// Whether a digest that was written can be compared with one of this kind.
    static boolean comparable(String written) {
        return written.startsWith(KIND);
    }

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
        return value == null ? 0 : mixed(new Checksum().add(name(topic, key)).add(value).value());
    }

    /// Checksums are linear: of two changes that are added the one could hide the other. This is
    /// the end of SplitMix64, in which each bit depends on each.
    private static long mixed(long bits) {
        long half = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
        long most = (half ^ (half >>> 27)) * 0x94d049bb133111ebL;
        return most ^ (most >>> 31);
    }

    private static String name(String topic, String key) {
        return topic + "/" + key;
    }

    @Override
    public String toString() {
        return KIND + HexFormat.of().toHexDigits(sum);
    }
}
