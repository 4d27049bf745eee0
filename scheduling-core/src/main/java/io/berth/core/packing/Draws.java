package io.berth.core.packing;

/// Numbers that look random and are the same for the same seed.
///
/// Source: SplitMix64, Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators"
/// (OOPSLA 2014).
final class Draws {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long state;

    Draws(long seed) {
        this.state = seed;
    }

    /// The next number in 0..bound-1.
    int below(int bound) {
        state += GOLDEN;
        return (int) Long.remainderUnsigned(mix(state), bound);
    }

    static long mix(long bits) {
        long z = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
