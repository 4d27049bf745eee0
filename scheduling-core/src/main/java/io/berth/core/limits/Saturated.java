package io.berth.core.limits;

/// Sums and products of numbers from 0 that stop at the largest: a request of absurd size is over
/// every limit, and never an error.
final class Saturated {

    private Saturated() {}

    static long plus(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    static long times(long a, long b) {
        return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
    }
}
