package io.berth.core.fairshare;

import java.math.BigInteger;

/// Parts of a whole in millionths.
final class Parts {

    private static final BigInteger MILLION = BigInteger.valueOf(1_000_000);

    private Parts() {}

    /// Rounded half up; 0 of nothing.
    static long millionths(long part, long whole) {
        if (whole == 0) {
            return 0;
        }
        if (part <= Long.MAX_VALUE / 2_000_001 && whole <= Long.MAX_VALUE / 4) {
            return (part * 2_000_000 + whole) / (2 * whole);
        }
        var divisor = BigInteger.valueOf(whole);
        return BigInteger.valueOf(part)
                .multiply(MILLION)
                .shiftLeft(1)
                .add(divisor)
                .divide(divisor.shiftLeft(1))
                .longValueExact();
    }
}
