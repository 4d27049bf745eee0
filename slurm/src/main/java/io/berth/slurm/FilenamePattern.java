package io.berth.slurm;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.JobId;
import org.jspecify.annotations.Nullable;

/// The name of an output file, in which `%j` and its like stand for what the run is.
///
/// Source: sbatch(1), "filename pattern". `%%` is a percent sign; a backslash anywhere turns all
/// expansion off and is dropped; a number after the percent sign pads a number with zeros, to ten
/// digits at most; letters that mean nothing stay as they are.
///
/// @param nodeIndex the node's place in the run, from 0
/// @param array the job's place in its array, if it has one
public record FilenamePattern(
        JobId job,
        String jobName,
        String user,
        String node,
        int nodeIndex,
        @Nullable ArrayTask array) {

    private static final int MAX_WIDTH = 10;

    /// What Slurm writes for the array index of a job that is no array.
    private static final long NO_INDEX = 0xffff_fffeL;

    public String expand(String pattern) {
        if (pattern.indexOf('\\') >= 0) {
            return pattern.replace("\\", "");
        }
        var name = new StringBuilder();
        int at = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            if (c != '%') {
                name.append(c);
                at++;
                continue;
            }
            int letter = at + 1;
            while (letter < pattern.length() && isDigit(pattern.charAt(letter))) {
                letter++;
            }
            String value =
                    letter < pattern.length()
                            ? value(pattern.charAt(letter), width(pattern, at + 1, letter))
                            : null;
            if (value == null) {
                name.append(c);
                at++;
            } else {
                name.append(value);
                at = letter + 1;
            }
        }
        return name.toString();
    }

    private @Nullable String value(char letter, int width) {
        return switch (letter) {
            case '%' -> "%";
            case 'j', 'J' -> padded(job.value(), width);
            case 'A' -> padded((array == null ? job : array.array()).value(), width);
            case 'a' -> padded(array == null ? NO_INDEX : array.task(), width);
            case 'n' -> padded(nodeIndex, width);
            case 't' -> padded(0, width);
            case 's' -> "batch";
            case 'N' -> node.split("\\.", 2)[0];
            case 'u' -> user;
            case 'x' -> jobName;
            default -> null;
        };
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int width(String pattern, int from, int to) {
        String digits = pattern.substring(from, to).replaceFirst("^0+", "");
        return digits.isEmpty()
                ? 0
                : digits.length() > 2 ? MAX_WIDTH : Math.min(MAX_WIDTH, Integer.parseInt(digits));
    }

    private static String padded(long number, int width) {
        String digits = Long.toString(number);
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }
}
