package io.berth.contracts;

/// A part of one GPU that a run holds. Other runs may hold the rest.
///
/// @param parts of the equal parts that the GPU is given out in
/// @param of how many these are in all, at most 16 unless they are thousandths
/// @param memoryMib the same part of its memory, in MiB, rounded down
public record GpuShare(GpuSharing sharing, int parts, int of, long memoryMib) {

    /// Units of a whole GPU: a multiple of every `of`, so that parts of any size add up exactly.
    public static final int WHOLE = 18_018_000;

    /// The most parts that a GPU has, unless they are thousandths.
    public static final int MOST_SHARDS = 16;

    public GpuShare {
        if (of < 1 || WHOLE % of != 0 || parts < 1 || parts > of) {
            throw new IllegalArgumentException(
                    "%d of %d parts of a GPU: 1 to all of 1 to %d parts, or of %d"
                            .formatted(parts, of, MOST_SHARDS, GpuSharing.THOUSANDTHS));
        }
    }

    /// What limits a run to its part.
    public enum Enforcement {
        /// NVIDIA's Multi-Process Service.
        MPS,
        /// Nothing.
        NONE
    }

    /// The part in units of which a whole GPU has [#WHOLE].
    public int units() {
        return WHOLE / of * parts;
    }

    /// That part of an amount, rounded down.
    public long partOf(long amount) {
        return Math.multiplyExact(amount, units()) / WHOLE;
    }

    /// In percent, at least 1, rounded down.
    public int percent() {
        return Math.max(1, 100 * parts / of);
    }

    /// As a trackable resource: hundredths of a GPU, or shards.
    public long amount() {
        return sharing.amount(parts);
    }
}
