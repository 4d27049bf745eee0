package io.berth.slurm;

import java.util.OptionalLong;

/// Slurm's texts for sizes of memory.
public final class SlurmMemory {

    private static final int MAX_DIGITS = 12;

    private SlurmMemory() {}

    /// MiB of a size such as `100`, `2G`, `100MB` or `1t`; kibibytes round up. Empty if the text is
    /// no such size: there are no fractions, no signs and nothing above T.
    public static OptionalLong parseMib(String text) {
        int end = 0;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        if (end == 0 || end > MAX_DIGITS) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(text.substring(0, end));
        return switch (text.substring(end)) {
            case "K", "k", "KB", "kB", "Kb", "kb" -> OptionalLong.of(Math.ceilDiv(number, 1024));
            case "", "M", "m", "MB", "mB", "Mb", "mb" -> OptionalLong.of(number);
            case "G", "g", "GB", "gB", "Gb", "gb" -> OptionalLong.of(number << 10);
            case "T", "t", "TB", "tB", "Tb", "tb" -> OptionalLong.of(number << 20);
            default -> OptionalLong.empty();
        };
    }

    /// A size in the largest unit that holds it without a rest: `100M`, `6400M`, `100G`.
    public static String exact(long mib) {
        long number = mib;
        int unit = 0;
        while (unit < 2 && number >= 1024 && number % 1024 == 0) {
            number /= 1024;
            unit++;
        }
        return number + "MGT".substring(unit, unit + 1);
    }

    /// A size in the largest unit in which it is at least 1, to two decimals: `12.50G`, `500G`.
    public static String rounded(long mib) {
        if (mib < 1024 || mib % 1024 == 0) {
            return mib < 1024 ? mib + "M" : mib / 1024 + "G";
        }
        long hundredths = (mib * 100 + 512) / 1024;
        return hundredths / 100 + "." + (hundredths % 100 < 10 ? "0" : "") + hundredths % 100 + "G";
    }
}
