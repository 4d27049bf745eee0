package io.berth.core.fairshare;

/// The time in which usage comes to count half for fair share; 0 is for ever.
///
/// Decay is continuous: usage of one moment counts `2^(-age / half-life)`. It is computed in strict
/// floating point, the same on every machine, and rounded to a millionth of a billing second at
/// each step.
public record HalfLife(long millis) {

    private static final double LN_2 = StrictMath.log(2);

    public HalfLife {
        if (millis < 0) {
            throw new IllegalArgumentException("a half-life of " + millis + " ms is negative");
        }
    }

    public static HalfLife ofSeconds(long seconds) {
        return new HalfLife(Math.multiplyExact(seconds, 1000L));
    }

    /// What is left of usage after that time; all of it after none.
    public long decay(long usage, long elapsedMillis) {
        if (millis == 0 || elapsedMillis <= 0) {
            return usage;
        }
        return Math.round(usage * StrictMath.exp(-LN_2 * elapsedMillis / millis));
    }

    /// What is left, at the end of that duration, of usage spread evenly over it.
    public long accrue(long usage, long durationMillis) {
        if (millis == 0 || durationMillis <= 0) {
            return usage;
        }
        double x = LN_2 * durationMillis / millis;
        return Math.round(usage * (-StrictMath.expm1(-x) / x));
    }
}
