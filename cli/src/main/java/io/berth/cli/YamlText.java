package io.berth.cli;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// YAML of maps, lists and plain values, in block style. What could be read as something else than
/// the text that it is stands in quotes.
final class YamlText {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_./-]*");
    private static final Set<String> WORDS =
            Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private YamlText() {}

    static String of(Map<String, ?> map) {
        var text = new StringBuilder();
        map(text, map, "");
        return text.toString();
    }

    private static void map(StringBuilder text, Map<?, ?> map, String indent) {
        for (var entry : map.entrySet()) {
            text.append(indent).append(scalar(String.valueOf(entry.getKey()))).append(':');
            switch (entry.getValue()) {
                case Map<?, ?> inner when !inner.isEmpty() -> {
                    text.append('\n');
                    map(text, inner, indent + "  ");
                }
                case Map<?, ?> _ -> text.append(" {}\n");
                case List<?> items -> {
                    var parts = items.stream().map(it -> scalar(String.valueOf(it))).toList();
                    text.append(" [").append(String.join(", ", parts)).append("]\n");
                }
                case Long number -> text.append(' ').append(number).append('\n');
                case Boolean flag -> text.append(' ').append(flag).append('\n');
                case Number number -> text.append(' ').append(number).append('\n');
                case null -> text.append(" null\n");
                default ->
                        text.append(' ')
                                .append(scalar(String.valueOf(entry.getValue())))
                                .append('\n');
            }
        }
    }

    private static String scalar(String text) {
        boolean plain =
                PLAIN.matcher(text).matches()
                        && !WORDS.contains(text.toLowerCase(java.util.Locale.ROOT));
        return plain ? text : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
