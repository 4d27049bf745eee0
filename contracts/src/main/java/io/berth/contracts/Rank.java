package io.berth.contracts;

/// A job's own part of its priority, in millionths of a point. It grows by itself only through age,
/// and fair share is not in it.
///
/// @param version grows with each ranking of the same job; an older one is ignored
/// @param agePerSecond what a second of waiting adds
/// @param ageCap the most that waiting adds
public record Rank(
        long version,
        long jobSize,
        long partition,
        long qos,
        long nice,
        long agePerSecond,
        long ageCap) {

    /// The rank of a job that nobody has ranked: it may start, last.
    public static final Rank NONE = new Rank(0, 0, 0, 0, 0, 0, 0);

    /// Millionths of a point after waiting so long; never negative waiting.
    public long after(long waitedMillis) {
        long age =
                Math.min(
                        ageCap, Math.multiplyExact(agePerSecond, Math.max(0, waitedMillis) / 1000));
        return jobSize + partition + qos + nice + age;
    }
}
