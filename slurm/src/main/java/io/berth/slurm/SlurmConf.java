package io.berth.slurm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
        for (String word : line.split("\\s+")) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                values.put(
                        word.substring(0, equals).toLowerCase(Locale.ROOT),
                        word.substring(equals + 1));
            } else {
                values.put(word.toLowerCase(Locale.ROOT), "");
            }
        }
        return values;
    }
}
