package io.berth.slurm;

import java.util.OptionalLong;

/// Numbers in options.
final class Counts {

    private static final int MAX_DIGITS = 12;

    private Counts() {}

    /// A number with an optional unit `k` (1024) or `m` (1024 × 1024); empty if it is none.
    static OptionalLong withUnit(String text) {
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        return switch (text.charAt(text.length() - 1)) {
            case 'k', 'K' -> scaled(text, 10);
            case 'm', 'M' -> scaled(text, 20);
            default -> plain(text);
        };
    }

    private static OptionalLong scaled(String text, int shift) {
        OptionalLong number = plain(text.substring(0, text.length() - 1));
        return number.isEmpty() ? number : OptionalLong.of(number.getAsLong() << shift);
    }

    static OptionalLong plain(String text) {
        if (text.isEmpty()
                || text.length() > MAX_DIGITS
                || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(text));
    }
}
