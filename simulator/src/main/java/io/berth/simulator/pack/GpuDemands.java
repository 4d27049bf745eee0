package io.berth.simulator.pack;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// What jobs want of GPUs, without their nodes, CPUs and memory, and how much of a number of GPUs
/// must stay unallocated whichever of them are placed, and however.
///
/// *Method*: the linear relaxation of cutting stock has as its dual: give each size a price of at
/// most its own length; what is placed is at most the GPUs times the dearest content of one GPU (a
/// knapsack), plus for each demand what its price is short of its length. Any prices give a valid
/// bound; a subgradient descent looks for good ones.
///
/// Source: Gilmore and Gomory, "A Linear Programming Approach to the Cutting-Stock Problem" (1961).
final class GpuDemands {

    private static final int WHOLE = 1000;

    /// All sizes are rounded down to multiples of this, which keeps the bound valid.
    private static final int UNIT = 10;

    private static final int STEPS = 4000;
    private static final double FIRST_STEP = 60;
    private static final double SHRINK = 0.998;

    private final Map<Integer, Long> counts = new TreeMap<>();

    /// Adds a demand of that many GPUs of that many thousandths each.
    void add(int milli, int gpus) {
        if (gpus > 0) {
            counts.merge(milli, (long) gpus, Long::sum);
        }
    }

    /// @return a lower bound in hundredths of the GPUs
    double leastUnallocatedPercent(long gpus) {
        int kinds = counts.size();
        var size = new int[kinds];
        var count = new double[kinds];
        int kind = 0;
        for (Map.Entry<Integer, Long> entry : counts.entrySet()) {
            size[kind] = entry.getKey();
            count[kind++] = entry.getValue();
        }
        double placed = Math.min(mostPlaced(size, count, gpus), (double) gpus * WHOLE);
        return 100 * (1 - placed / ((double) gpus * WHOLE));
    }

    private static double mostPlaced(int[] size, double[] count, long gpus) {
        var price = new double[size.length];
        for (int i = 0; i < size.length; i++) {
            price[i] = size[i];
        }
        double best = Double.MAX_VALUE;
        double step = FIRST_STEP;
        var content = new int[size.length];
        for (int iteration = 0; iteration < STEPS; iteration++) {
            double bound = gpus * dearest(size, price, content);
            double length = 0;
            for (int i = 0; i < size.length; i++) {
                bound += count[i] * (size[i] - price[i]);
                length += Math.pow(gpus * content[i] - count[i], 2);
            }
            best = Math.min(best, bound);
            if (length == 0) {
                break;
            }
            for (int i = 0; i < size.length; i++) {
                double slope = (gpus * content[i] - count[i]) / Math.sqrt(length);
                price[i] = Math.clamp(price[i] - step * slope, 0, size[i]);
            }
            step *= SHRINK;
        }
        return best;
    }

    /// The price of the dearest content of one GPU; writes how many of each size it has.
    private static double dearest(int[] size, double[] price, int[] content) {
        int units = WHOLE / UNIT;
        var worth = new double[units + 1];
        var last = new int[units + 1];
        for (int room = 1; room <= units; room++) {
            worth[room] = worth[room - 1];
            last[room] = -1;
            for (int i = 0; i < size.length; i++) {
                int taken = Math.max(1, size[i] / UNIT);
                if (taken <= room && worth[room - taken] + price[i] > worth[room]) {
                    worth[room] = worth[room - taken] + price[i];
                    last[room] = i;
                }
            }
        }
        Arrays.fill(content, 0);
        int room = units;
        while (room > 0) {
            int i = last[room];
            if (i < 0) {
                room--;
            } else {
                content[i]++;
                room -= Math.max(1, size[i] / UNIT);
            }
        }
        return worth[units];
    }
}
