package io.berth.simulator.run;

import io.berth.simulator.trace.TraceJob;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How long jobs run, learnt from those that have ended: the median of the last [#KEPT] of the same
/// user and group with as many GPUs, else of the same group with as many GPUs, else with as many
/// GPUs, else of all. It never looks at a job that has not ended.
///
/// A median, because run times span six orders of magnitude and a mean follows the few longest.
final class RunTimes {

    /// How many run times are kept of each kind.
    static final int KEPT = 64;

    /// So few say too little of their kind: a wider one is asked.
    static final int FEWEST = 5;

    /// Of a job before any has ended.
    static final long UNKNOWN_MILLIS = 3_600_000;

    private final Map<List<Object>, Recent> kinds = new HashMap<>();

    /// The last run times of a kind.
    private static final class Recent {

        private final long[] millis = new long[KEPT];
        private int count;

        void add(long one) {
            millis[count % KEPT] = one;
            count++;
        }

        long median() {
            long[] sorted = Arrays.copyOf(millis, Math.min(count, KEPT));
            Arrays.sort(sorted);
            return sorted[(sorted.length - 1) / 2];
        }
    }

    private static List<List<Object>> kinds(TraceJob job) {
        return List.of(
                List.of(job.user(), job.group(), job.gpus()),
                List.of(job.group(), job.gpus()),
                List.of(job.gpus()),
                List.of());
    }

    void ended(TraceJob job) {
        for (List<Object> kind : kinds(job)) {
            kinds.computeIfAbsent(kind, _ -> new Recent()).add(job.durationMillis());
        }
    }

    long expectedMillis(TraceJob job) {
        for (List<Object> kind : kinds(job)) {
            Recent recent = kinds.get(kind);
            if (recent != null && (recent.count >= FEWEST || kind.isEmpty())) {
                return recent.median();
            }
        }
        return UNKNOWN_MILLIS;
    }
}
