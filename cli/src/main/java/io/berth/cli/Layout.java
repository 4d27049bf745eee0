package io.berth.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The columns of a listing, in the `%` language of `squeue -o` and `sinfo -o`: `%.18i` is the
/// field `i`, 18 wide, to the right; text between fields is printed as it is. A value that is too
/// long is cut. `%all` is every field that has a letter, with `|` between them: `a` to `z`, then
/// `A` to `Z`.
///
/// @param before text before the first column
record Layout<F>(String before, List<Column<F>> columns) {

    /// All fields.
    private static final String ALL = "all";

    /// One column.
    ///
    /// @param width in characters; 0 for as many as the value has
    /// @param after text that follows it
    record Column<F>(F field, int width, boolean right, String after) {

        String print(String value) {
            return fit(Printable.of(value), width, right) + after;
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
            if (format.startsWith(ALL, start)) {
                int next = format.indexOf('%', start);
                int end = start + ALL.length();
                columns.addAll(
                        all(format.substring(end, next < 0 ? format.length() : next), fieldOf));
                at = next;
                continue;
            }
            boolean right = start < format.length() && format.charAt(start) == '.';
            int digits = right ? start + 1 : start;
            int end = digits;
            while (end < format.length() && Character.isDigit(format.charAt(end))) {
                end++;
            }
            F field = end < format.length() ? fieldOf.apply(format.charAt(end)) : null;
            if (field == null || end - digits > 4) {
                throw invalid(command, format.substring(at));
            }
            int width = end == digits ? 0 : Integer.parseInt(format.substring(digits, end));
            int next = format.indexOf('%', end + 1);
            String after = format.substring(end + 1, next < 0 ? format.length() : next);
            columns.add(new Column<>(field, width, right, after));
            at = next;
        }
        return new Layout<>(before, columns);
    }

    /// The fields of all letters, as long as they are, with a bar between them.
    private static <F> List<Column<F>> all(String after, Function<Character, @Nullable F> fieldOf) {
        var fields = new ArrayList<F>();
        for (char small = 'a'; small <= 'z'; small++) {
            add(fields, fieldOf.apply(small));
        }
        for (char capital = 'A'; capital <= 'Z'; capital++) {
            add(fields, fieldOf.apply(capital));
        }
        var columns = new ArrayList<Column<F>>();
        for (int i = 0; i < fields.size(); i++) {
            String text = i + 1 == fields.size() ? after : "|";
            columns.add(new Column<>(fields.get(i), 0, false, text));
        }
        return columns;
    }

    private static <F> void add(List<F> fields, @Nullable F field) {
        if (field != null) {
            fields.add(field);
        }
    }

    /// Reads a format in the language of `squeue -O`: names with commas, each with a width of its
    /// own after a colon, 20 if it has none; `.` before it puts the value to the right.
    ///
    /// @param fieldOf the field of a name, null if there is none
    static <F> Layout<F> parseNames(
            String command, String format, Function<String, @Nullable F> fieldOf)
            throws CommandFailure {
        var columns = new ArrayList<Column<F>>();
        for (String item : CliOption.split(format)) {
            int colon = item.indexOf(':');
            String width = colon < 0 ? "20" : item.substring(colon + 1);
            boolean right = width.startsWith(".");
            String digits = right ? width.substring(1) : width;
            F field = fieldOf.apply(colon < 0 ? item : item.substring(0, colon));
            if (field == null || !digits.matches("\\d{1,4}")) {
                throw invalid(command, item);
            }
            columns.add(new Column<>(field, Integer.parseInt(digits), right, ""));
        }
        return new Layout<>("", columns);
    }

    private static CommandFailure invalid(String command, String text) {
        String what = command.equals("sinfo") ? "node" : "job";
        return CommandFailure.error(command, "Invalid " + what + " format specification: " + text);
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
