package io.berth.placement.kafka;

import io.berth.contracts.topic.Topics;
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

    private final JobParts jobs = new JobParts();
    private final Map<String, Long> others = new HashMap<>();
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
        long job = topic.equals(Topics.JOB_STATES.name()) ? job(key) : 0;
        sum += now - (job == 0 ? other(name(topic, key), now) : jobs.put(job, now));
    }

    private long other(String name, long now) {
        Long before = now == 0 ? others.remove(name) : others.put(name, now);
        return before == null ? 0 : before;
    }

    /// The id; 0 if the key is none as they are written.
    private static long job(String key) {
        try {
            long id = Long.parseLong(key);
            return id > 0 && Long.toString(id).equals(key) ? id : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
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
