package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// Where a job's specification stands in the `specs` topic, and the SHA-256 (lower-case hex) that
/// its bytes must have.
///
/// @param key that opens the sealed record, in Base64; in an order to a node that can open it, this
///   key sealed for the node's agent. Null of a record that is not sealed
public record SpecReference(int partition, long offset, String sha256, @Nullable String key) {

    /// Of a record that is not sealed.
    public SpecReference(int partition, long offset, String sha256) {
        this(partition, offset, sha256, null);
    }

    /// Without the key, which is for nobody's log.
    @Override
    public String toString() {
        return "SpecReference[" + partition + "/" + offset + ", " + sha256 + "]";
    }

    /// The same, opened by another key.
    public SpecReference by(String other) {
        return new SpecReference(partition, offset, sha256, other);
    }
}
