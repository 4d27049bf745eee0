package io.berth.core.engine;

import java.util.Arrays;

/// How high the priority of a job of each class is at most that is no longer than so long, of those
/// that wait in the queue or with an expected start by themselves.
///
/// An upper bound, told from a few numbers that lie side by side in memory, so that a pass can put
/// thousands of classes in order without a look at their jobs.
///
/// *Method*: a priority that still rises is told as what it would have been at one time for all, if
/// all rose as fast as the fastest. Lengths are told apart by eights. Of jobs with an expected
/// start the highest is known since the class had none.
final class Peaks {

    /// Lower than any.
    static final long NONE = Long.MIN_VALUE / 2;

    /// The numbers of a class up to a length: of jobs whose waiting counts no more, and of those
    /// whose does.
    private static final int CELL = 4;

    private static final int QUEUED = 0;
    private static final int PLANNED = 2;

    private static final int CELLS = cell(Buckets.count() - 1) + 1;
    private static final int ROW = CELLS * CELL;

    private long[] rows = new long[64 * ROW];
    private int[] tiers = new int[64];

    /// The latest that a job was submitted.
    private long latest = Long.MIN_VALUE;

    private long steepest;
    private long origin;

    private static int cell(int bucket) {
        return bucket >> 3;
    }

    /// There is one more class.
    void admit(FitClass fit) {
        int row = ROW * fit.id;
        if (row == rows.length) {
            rows = Arrays.copyOf(rows, 2 * rows.length);
            tiers = Arrays.copyOf(tiers, 2 * tiers.length);
        }
        tiers[fit.id] = fit.tier;
        Arrays.fill(rows, row, row + ROW, NONE);
    }

    /// A job waits.
    ///
    /// @param from when the part of its priority is counted that its waiting adds
    void came(Waiting job, long from) {
        latest = Math.max(latest, job.submittedAt);
        steepest = Math.max(steepest, job.slope);
        origin = from;
    }

    /// Those of a class in the queue have changed.
    void queued(FitClass fit) {
        clear(fit, QUEUED);
        for (Queue.Pace pace : fit.paces) {
            pace.keys((bucket, key) -> raise(fit, QUEUED, pace.rises(), bucket, key));
        }
    }

    /// A job by itself has an expected start.
    void planned(Waiting job) {
        long key = job.key + 1000 * job.association.share;
        raise(job.fit, PLANNED, !job.capped, job.bucket, key);
    }

    /// No job of a class has an expected start.
    void unplanned(FitClass fit) {
        clear(fit, PLANNED);
    }

    private void clear(FitClass fit, int which) {
        for (int at = ROW * fit.id + which; at < ROW * (fit.id + 1); at += CELL) {
            rows[at] = NONE;
            rows[at + 1] = NONE;
        }
    }

    private void raise(FitClass fit, int which, boolean rises, int bucket, long key) {
        int first = ROW * fit.id + CELL * cell(bucket) + which + (rises ? 1 : 0);
        for (int at = first; at < ROW * (fit.id + 1) && rows[at] < key; at += CELL) {
            rows[at] = key;
        }
    }

    /// Of a class's partition.
    int tier(int fit) {
        return tiers[fit];
    }

    /// As [Waiting#priority]: no job of the class has a higher one that is of that bucket or of one
    /// before.
    long of(int fit, int bucket, long now) {
        int at = ROW * fit + CELL * cell(bucket);
        long rise = steepest * (Math.max(now, latest) - origin);
        long still = Math.max(rows[at + QUEUED], rows[at + PLANNED]);
        long rising = Math.max(rows[at + QUEUED + 1], rows[at + PLANNED + 1]);
        return Math.max(still, rising + rise);
    }
}
