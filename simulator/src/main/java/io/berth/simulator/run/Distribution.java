package io.berth.simulator.run;

import java.util.Arrays;

/// The mean, the percentiles and the largest of some numbers; all 0 of none.
///
/// A percentile is the smallest number that so many hundredths of all do not exceed.
public record Distribution(double mean, double p50, double p95, double p99, double max) {

    public static Distribution of(double... numbers) {
        if (numbers.length == 0) {
            return new Distribution(0, 0, 0, 0, 0);
        }
        double[] sorted = numbers.clone();
        Arrays.sort(sorted);
        return new Distribution(
                Arrays.stream(sorted).sum() / sorted.length,
                percentile(sorted, 50),
                percentile(sorted, 95),
                percentile(sorted, 99),
                sorted[sorted.length - 1]);
    }

    private static double percentile(double[] sorted, int percent) {
        return sorted[(int) Math.ceilDiv((long) percent * sorted.length, 100) - 1];
    }
}
