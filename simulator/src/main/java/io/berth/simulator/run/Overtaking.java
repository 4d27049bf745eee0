package io.berth.simulator.run;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// How many jobs passed each job: came after it and started before it. It is what starvation looks
/// like from the queue.
final class Overtaking {

    private Overtaking() {}

    /// @param ran jobs of one cluster that started
    /// @return in the order of `ran`; n log n steps
    static int[] counts(List<Outcome> ran) {
        long[] starts = ran.stream().mapToLong(Outcome::start).sorted().toArray();
        Integer[] latestFirst = new Integer[ran.size()];
        Arrays.setAll(latestFirst, i -> i);
        Arrays.sort(
                latestFirst, Comparator.comparingLong((Integer i) -> submitted(ran, i)).reversed());
        int[] counts = new int[ran.size()];
        int[] tree = new int[ran.size() + 1];
        int counted = 0;
        for (int i = 0; i < latestFirst.length; i++) {
            while (submitted(ran, latestFirst[counted]) > submitted(ran, latestFirst[i])) {
                count(tree, place(starts, ran.get(latestFirst[counted++]).start()));
            }
            counts[latestFirst[i]] = before(tree, place(starts, ran.get(latestFirst[i]).start()));
        }
        return counts;
    }

    private static long submitted(List<Outcome> ran, int i) {
        return ran.get(i).job().submitMillis();
    }

    /// How many starts are earlier.
    private static int place(long[] starts, long start) {
        int low = 0;
        int high = starts.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (starts[middle] < start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static void count(int[] tree, int place) {
        for (int i = place + 1; i < tree.length; i += i & -i) {
            tree[i]++;
        }
    }

    /// How many were counted at places below that one.
    private static int before(int[] tree, int place) {
        int sum = 0;
        for (int i = place; i > 0; i -= i & -i) {
            sum += tree[i];
        }
        return sum;
    }
}
