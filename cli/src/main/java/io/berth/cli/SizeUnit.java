package io.berth.cli;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The unit that `sacct --units` tells sizes in.
///
/// @param power of 1024 above K
record SizeUnit(int power) {

    private static final String UNITS = "KMGTP";
    private static final Pattern SIZE =
            Pattern.compile("(?<![\\w.])(\\d+(?:\\.\\d+)?)([KMGTP])\\b");

    /// @throws CommandFailure if it is no unit
    static SizeUnit of(String text) throws CommandFailure {
        int power = text.length() == 1 ? UNITS.indexOf(text.toUpperCase(Locale.ROOT)) : -1;
        if (power < 0) {
            throw CommandFailure.error(
                    "sacct", "Invalid unit type: " + text + "; it is one of K, M, G, T, P");
        }
        return new SizeUnit(power);
    }

    /// The text with each size in it in this unit, to two decimals: `mem=1536M` is `mem=1.50G`.
    String in(String text) {
        return SIZE.matcher(text).replaceAll(this::convert);
    }

    private String convert(MatchResult size) {
        double number = Double.parseDouble(size.group(1));
        double there = number * Math.pow(1024, UNITS.indexOf(size.group(2)) - power);
        String told =
                there == Math.rint(there)
                        ? Long.toString((long) there)
                        : String.format(Locale.ROOT, "%.2f", there);
        return Matcher.quoteReplacement(told + UNITS.charAt(power));
    }
}
