package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// A job's own part of its priority, in millionths of a point. It grows by itself only through age,
/// and fair share is not in it.
///
/// @param version grows with each ranking of the same job; an older one is ignored
/// @param agePerSecond what a second of waiting adds
/// @param ageCap the most that waiting adds
/// @param association the part of the association's own priority; null is 0
/// @param tres the part of the resources asked for; null is 0
/// @param site what an operator adds; null is 0
public record Rank(
        long version,
        long jobSize,
        long partition,
        long qos,
        long nice,
        long agePerSecond,
        long ageCap,
        @Nullable Long association,
        @Nullable Long tres,
        @Nullable Long site) {

    /// The rank of a job that nobody has ranked: it may start, last.
    public static final Rank NONE = new Rank(0, 0, 0, 0, 0, 0, 0);

    /// A rank without parts of association, resources and site.
    public Rank(
            long version,
            long jobSize,
            long partition,
            long qos,
            long nice,
            long agePerSecond,
            long ageCap) {
        this(version, jobSize, partition, qos, nice, agePerSecond, ageCap, null, null, null);
    }

    /// Millionths of a point after waiting so long; never negative waiting.
    public long after(long waitedMillis) {
        long age =
                Math.min(
                        ageCap, Math.multiplyExact(agePerSecond, Math.max(0, waitedMillis) / 1000));
        return jobSize + partition + qos + nice + age + associationPart() + tresPart() + sitePart();
    }

    /// The same in another version.
    public Rank at(long other) {
        return new Rank(
                other,
                jobSize,
                partition,
                qos,
                nice,
                agePerSecond,
                ageCap,
                association,
                tres,
                site);
    }

    public long associationPart() {
        return association == null ? 0 : association;
    }

    public long tresPart() {
        return tres == null ? 0 : tres;
    }

    public long sitePart() {
        return site == null ? 0 : site;
    }
}
