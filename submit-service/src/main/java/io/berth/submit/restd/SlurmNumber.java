package io.berth.submit.restd;

import java.util.Map;

/// A number of slurmrestd, which may be unset or infinite.
final class SlurmNumber {
    static final Map<String, Object> UNSET = of(false, false, 0);
    static final Map<String, Object> INFINITE = of(true, true, 0);

    private SlurmNumber() {}

    static Map<String, Object> of(long number) {
        return of(true, false, number);
    }

    /// Epoch seconds of epoch milliseconds; 0 is unset.
    static Map<String, Object> time(long millis) {
        return millis == 0 ? UNSET : of(millis / 1000);
    }

    private static Map<String, Object> of(boolean set, boolean infinite, long number) {
        return Map.of("set", set, "infinite", infinite, "number", number);
    }
}
