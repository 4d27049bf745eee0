package io.berth.benchmarks;

import io.berth.benchmarks.CasesBenchmark.EmptyNodes;
import io.berth.benchmarks.CasesBenchmark.FullNodes;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/// What the large cases of [CasesBenchmark] cost in processor time of their thread, for machines on
/// which other programs run.
public final class CasesCost {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 5;
    private static final int COUNTED = 25;

    private CasesCost() {}

    public static void main(String[] args) {
        var cases = new CasesBenchmark();
        var full = new FullNodes();
        measure(
                "50,000 jobs of 1,000 associations come at once",
                full::fill,
                () -> cases.fiftyThousandJobsOfThousandAssociations(full));
        var empty = new EmptyNodes();
        measure(
                "4,000 jobs of one GPU start on 500 empty nodes",
                empty::fill,
                () -> cases.fourThousandJobsOnEmptyNodes(empty));
    }

    private static void measure(String what, Runnable before, Runnable act) {
        var nanos = new long[COUNTED];
        for (int i = -WARM_UP; i < COUNTED; i++) {
            before.run();
            long since = THREADS.getCurrentThreadCpuTime();
            act.run();
            if (i >= 0) {
                nanos[i] = THREADS.getCurrentThreadCpuTime() - since;
            }
        }
        Arrays.sort(nanos);
        System.out.printf(
                "%s, ms: least %d, p50 %d, most %d%n",
                what,
                nanos[0] / 1_000_000,
                nanos[COUNTED / 2] / 1_000_000,
                nanos[COUNTED - 1] / 1_000_000);
    }
}
