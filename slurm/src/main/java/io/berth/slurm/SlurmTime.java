package io.berth.slurm;

import java.util.Locale;
import java.util.OptionalLong;

/// Slurm's texts for spans of time.
public final class SlurmTime {

    /// The text for no limit.
    public static final String UNLIMITED = "UNLIMITED";

    private static final int MAX_DIGITS = 9;

    private SlurmTime() {}

    /// Seconds of a time limit, rounded up to whole minutes; 0 is unlimited; empty if the text is
    /// none of `M`, `M:S`, `H:M:S`, `D-H`, `D-H:M`, `D-H:M:S`, `UNLIMITED`, `INFINITE`, `-1`. A
    /// field may be larger than its unit: `1:99:00` is 159 minutes.
    public static OptionalLong parseLimit(String text) {
        OptionalLong exact = parse(text);
        return exact.isEmpty() ? exact : OptionalLong.of(Math.ceilDiv(exact.getAsLong(), 60) * 60);
    }

    /// The same, not rounded.
    public static OptionalLong parse(String text) {
        switch (text.toUpperCase(Locale.ROOT)) {
            case UNLIMITED, "INFINITE", "-1" -> {
                return OptionalLong.of(0);
            }
            default -> {
                long seconds = seconds(text);
                return seconds < 0 ? OptionalLong.empty() : OptionalLong.of(seconds);
            }
        }
    }

    private static long seconds(String text) {
        int dash = text.indexOf('-');
        String[] fields = text.substring(dash + 1).split(":", -1);
        if (fields.length > 3 || (dash >= 0 && !isNumber(text.substring(0, dash)))) {
            return -1;
        }
        var numbers = new long[3];
        for (int i = 0; i < fields.length; i++) {
            if (!isNumber(fields[i])) {
                return -1;
            }
            numbers[i] = Long.parseLong(fields[i]);
        }
        if (dash >= 0) {
            long days = Long.parseLong(text.substring(0, dash));
            return ((days * 24 + numbers[0]) * 60 + numbers[1]) * 60 + numbers[2];
        }
        return switch (fields.length) {
            case 1 -> numbers[0] * 60;
            case 2 -> numbers[0] * 60 + numbers[1];
            default -> (numbers[0] * 60 + numbers[1]) * 60 + numbers[2];
        };
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_DIGITS
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /// As `squeue` and `sinfo` write it: `0:10`, `5:00`, `1:02:03`, `7-00:00:00`.
    public static String brief(long seconds) {
        if (seconds >= 3600) {
            long hours = seconds / 3600 % 24;
            String first = seconds >= 86_400 ? days(seconds) + twoDigits(hours) : "" + hours;
            return first + ":" + twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60);
        }
        return seconds / 60 + ":" + twoDigits(seconds % 60);
    }

    /// As `scontrol` and `sacct` write it: `00:00:10`, `7-00:00:00`.
    public static String full(long seconds) {
        return (seconds >= 86_400 ? days(seconds) : "")
                + twoDigits(seconds / 3600 % 24)
                + ":"
                + twoDigits(seconds / 60 % 60)
                + ":"
                + twoDigits(seconds % 60);
    }

    private static String days(long seconds) {
        return seconds / 86_400 + "-";
    }

    private static String twoDigits(long number) {
        return number < 10 ? "0" + number : Long.toString(number);
    }
}
