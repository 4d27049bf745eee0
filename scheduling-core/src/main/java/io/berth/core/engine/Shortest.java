package io.berth.core.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// How short the shortest waiting job of each class is, as a bucket.
///
/// What comes free for less time than the shortest job of a class needs is not told to the class
/// ([Freed]). So what is known of its [Reach] holds for jobs that are no shorter: when a shorter
/// one comes, nothing is.
final class Shortest {

    /// By class, how many jobs of each bucket wait.
    private final List<int[]> waiting = new ArrayList<>();

    /// By class; the number of buckets where nobody waits.
    private int[] first = new int[64];

    /// There is one more class.
    void admit(FitClass fit) {
        waiting.add(new int[Buckets.count()]);
        if (fit.id == first.length) {
            first = Arrays.copyOf(first, 2 * first.length);
        }
        first[fit.id] = Buckets.count();
    }

    void came(Waiting job) {
        FitClass fit = job.fit;
        waiting.get(fit.id)[job.bucket]++;
        if (job.bucket < first[fit.id]) {
            first[fit.id] = job.bucket;
            fit.reach.open();
        }
    }

    void left(Waiting job) {
        int fit = job.fit.id;
        int[] jobs = waiting.get(fit);
        jobs[job.bucket]--;
        while (first[fit] < jobs.length && jobs[first[fit]] == 0) {
            first[fit]++;
        }
    }

    /// Whether a job of a class waits that is of that bucket or of one before.
    boolean upTo(int fit, int bucket) {
        return first[fit] <= bucket;
    }
}
