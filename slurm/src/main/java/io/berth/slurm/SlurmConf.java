package io.berth.slurm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file of Slurm's configuration as lines of `Key=value` pairs.
///
/// A line that ends in `\` goes on in the next one; `#` begins a comment unless a `\` stands before
/// it.
///
/// @param name for messages
public record SlurmConf(String name, List<Line> lines) {

    /// A line.
    ///
    /// @param number of its first line in the file, from 1
    /// @param values by key in small letters, in the line's order
    public record Line(int number, String text, Map<String, String> values) {

        /// The key that the line begins with, in small letters: what it is about.
        public String key() {
            return values.isEmpty() ? "" : values.keySet().iterator().next();
        }

        public String value(String key, String otherwise) {
            return values.getOrDefault(key, otherwise);
        }
    }

    /// A value in double quotes may have blanks.
    private static final Pattern WORD = Pattern.compile("[^\\s=\"]+=\"[^\"]*\"|\\S+");

    public static SlurmConf parse(String name, String text) {
        var lines = new ArrayList<Line>();
        var pending = new StringBuilder();
        int number = 0;
        int first = 0;
        for (String raw : text.lines().toList()) {
            number++;
            first = pending.isEmpty() ? number : first;
            String line = raw.replaceFirst("(?<!\\\\)#.*", "").strip();
            if (line.endsWith("\\")) {
                pending.append(line, 0, line.length() - 1).append(' ');
                continue;
            }
            String whole = (pending + line).strip();
            pending.setLength(0);
            if (!whole.isEmpty()) {
                lines.add(new Line(first, whole, values(whole)));
            }
        }
        return new SlurmConf(name, lines);
    }

    private static Map<String, String> values(String line) {
        var values = new LinkedHashMap<String, String>();
        Matcher words = WORD.matcher(line);
        while (words.find()) {
            String word = words.group();
            int equals = word.indexOf('=');
            if (equals > 0) {
                values.put(
                        word.substring(0, equals).toLowerCase(Locale.ROOT),
                        unquoted(word.substring(equals + 1)));
            } else {
                values.put(word.toLowerCase(Locale.ROOT), "");
            }
        }
        return values;
    }

    private static String unquoted(String value) {
        return value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
    }
}
