package io.berth.submit;

import io.berth.contracts.Rank;
import io.berth.core.priority.Multifactor;
import java.util.Comparator;

/// A job's priority taken apart, in millionths of a point.
///
/// @param set by an operator, and then all there is; 0 if none did
public record Priority(
        long age,
        long association,
        long fairShare,
        long jobSize,
        long partition,
        long qos,
        long tres,
        long site,
        long nice,
        long set) {
    private static final long MILLION = 1_000_000;

    /// The order in which jobs are tried in a partition: the highest priority first, then the first
    /// submitted, then the lowest id.
    static Comparator<Job> order(String partition, Picture picture, long now) {
        return Comparator.comparingLong((Job job) -> -of(job, partition, picture, now).total())
                .thenComparingLong(Job::submission)
                .thenComparing(Job::id);
    }

    public static Priority of(Job job, Shares shares, long now) {
        Long set = job.description().conditions().priority();
        if (set != null) {
            return new Priority(0, 0, 0, 0, 0, 0, 0, 0, 0, set * MILLION);
        }
        Rank rank = job.rank();
        return new Priority(
                rank.after(job.waitedMillis(now)) - rank.after(0),
                rank.associationPart(),
                shares.micros(job.description().account(), job.user()),
                rank.jobSize(),
                rank.partition(),
                rank.qos(),
                rank.tresPart(),
                rank.sitePart(),
                rank.nice(),
                0);
    }

    /// A job's in one of its partitions.
    public static Priority of(Job job, String partition, Picture picture, long now) {
        Priority its = of(job, picture.shares(), now);
        return job.partitions().size() == 1
                ? its
                : its.in(
                        picture.configuration()
                                .map(it -> Multifactor.partition(partition, it))
                                .orElse(0L));
    }

    /// The same in a partition that gives it so much.
    private Priority in(long partition) {
        return set != 0
                ? this
                : new Priority(
                        age, association, fairShare, jobSize, partition, qos, tres, site, nice, 0);
    }

    public long total() {
        return age + association + fairShare + jobSize + partition + qos + tres + site + nice + set;
    }

    /// The priority in whole points, rounded down as Slurm does it, never below 0.
    public long points() {
        return Math.max(0, Math.floorDiv(total(), MILLION));
    }
}
