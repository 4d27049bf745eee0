package io.berth.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The columns of a listing, in the `%` language of `squeue -o` and `sinfo -o`: `%.18i` is the
/// field `i`, 18 wide, to the right; text between fields is printed as it is. A value that is too
/// long is cut.
///
/// @param before text before the first column
record Layout<F>(String before, List<Column<F>> columns) {

    /// One column.
    ///
    /// @param width in characters; 0 for as many as the value has
    /// @param after text that follows it
    record Column<F>(F field, int width, boolean right, String after) {

        String print(String value) {
            return fit(value, width, right) + after;
        }
    }

    /// Reads a format.
    ///
    /// @param fieldOf the field of a letter, null if there is none
    /// @throws CommandFailure naming the letter that is unknown
    static <F> Layout<F> parse(
            String command, String format, Function<Character, @Nullable F> fieldOf)
            throws CommandFailure {
        int at = format.indexOf('%');
        var columns = new ArrayList<Column<F>>();
        String before = at < 0 ? format : format.substring(0, at);
        while (at >= 0 && at < format.length()) {
            int start = at + 1;
            boolean right = start < format.length() && format.charAt(start) == '.';
            int digits = right ? start + 1 : start;
            int end = digits;
            while (end < format.length() && Character.isDigit(format.charAt(end))) {
                end++;
            }
            F field = end < format.length() ? fieldOf.apply(format.charAt(end)) : null;
            if (field == null || end - digits > 4) {
                throw CommandFailure.error(
                        command, "Invalid job format specification: " + format.substring(at));
            }
            int width = end == digits ? 0 : Integer.parseInt(format.substring(digits, end));
            int next = format.indexOf('%', end + 1);
            String after = format.substring(end + 1, next < 0 ? format.length() : next);
            columns.add(new Column<>(field, width, right, after));
            at = next;
        }
        return new Layout<>(before, columns);
    }

    /// One line, without its end.
    String line(Function<F, String> value) {
        var line = new StringBuilder(before);
        for (Column<F> column : columns) {
            line.append(column.print(value.apply(column.field())));
        }
        return line.toString();
    }

    /// A value cut or filled up with blanks to a width; as it is if the width is 0.
    static String fit(String value, int width, boolean right) {
        if (width == 0 || value.length() == width) {
            return value;
        }
        if (value.length() > width) {
            return value.substring(0, width);
        }
        String blanks = " ".repeat(width - value.length());
        return right ? blanks + value : value + blanks;
    }
}
