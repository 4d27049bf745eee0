package io.berth.core.engine;

import java.util.concurrent.TimeUnit;

/// The lengths of time that searches tell apart. A run's length is rounded up to the next one for
/// searching; what is reserved is exact. The usual limits are lengths of their own, so that
/// rounding costs nothing for them.
final class Buckets {

    /// What a run may take beyond its limit to be launched and cleared away.
    static final long SLACK_MILLIS = 2_000;

    private static final long[] LENGTHS = lengths();

    private Buckets() {}

    private static long[] lengths() {
        int[] seconds = {10, 30};
        int[] minutes = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 100};
        int[] hours = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 30, 36, 42, 48, 60};
        int[] days = {3, 4, 5, 6, 7, 8, 10, 12, 14, 21, 28, 30, 45, 60, 90, 180, 366};
        long[] all = new long[seconds.length + minutes.length + hours.length + days.length + 1];
        int at = 0;
        for (int second : seconds) {
            all[at++] = TimeUnit.SECONDS.toMillis(second) + SLACK_MILLIS;
        }
        for (int minute : minutes) {
            all[at++] = TimeUnit.MINUTES.toMillis(minute) + SLACK_MILLIS;
        }
        for (int hour : hours) {
            all[at++] = TimeUnit.HOURS.toMillis(hour) + SLACK_MILLIS;
        }
        for (int day : days) {
            all[at++] = TimeUnit.DAYS.toMillis(day) + SLACK_MILLIS;
        }
        all[at] = Node.NEVER;
        return all;
    }

    static int count() {
        return LENGTHS.length;
    }

    /// The bucket of a length in milliseconds.
    static int of(long length) {
        int low = 0;
        int high = LENGTHS.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (LENGTHS[middle] >= length) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /// The last bucket whose lengths are all up to that; the first if there is none.
    static int upTo(long length) {
        int bucket = of(length);
        return LENGTHS[bucket] == length ? bucket : Math.max(0, bucket - 1);
    }

    /// The longest length in a bucket, in milliseconds.
    static long longest(int bucket) {
        return LENGTHS[bucket];
    }

    /// The last bucket whose lengths all end by `until`, from now on; -1 if none does.
    static int lastBefore(long until, long now) {
        if (until == Node.NEVER) {
            return LENGTHS.length - 1;
        }
        int bucket = of(until - now);
        return LENGTHS[bucket] == until - now ? bucket : bucket - 1;
    }
}
