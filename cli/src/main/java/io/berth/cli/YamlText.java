package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// YAML of maps, lists and plain values, in block style; lists of plain values stand on one line.
/// What could be read as something else than the text that it is stands in quotes. Fields that are
/// null are left out, those that are [JsonText#NULL] are not.
final class YamlText {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_./-]*");
    private static final Set<String> WORDS =
            Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private final StringBuilder text = new StringBuilder();

    private YamlText() {}

    static String of(Map<String, ? extends @Nullable Object> map) {
        var yaml = new YamlText();
        yaml.map(map, "");
        return yaml.text.toString();
    }

    private void map(Map<?, ?> map, String indent) {
        String before = "";
        for (var entry : map.entrySet()) {
            if (entry.getValue() != null) {
                text.append(before).append(scalar(String.valueOf(entry.getKey()))).append(':');
                value(entry.getValue(), indent);
                before = indent;
            }
        }
        if (before.isEmpty() && !indent.isEmpty()) {
            text.append("{}\n");
        }
    }

    /// What follows a name and its colon.
    private void value(Object value, String indent) {
        switch (value) {
            case JsonObject object -> value(object.fields(), indent);
            case Map<?, ?> inner when inner.isEmpty() -> text.append(" {}\n");
            case Map<?, ?> inner -> {
                text.append('\n').append(indent).append("  ");
                map(inner, indent + "  ");
            }
            case List<?> items when items.stream().anyMatch(YamlText::nested) -> {
                text.append('\n');
                for (Object item : items) {
                    text.append(indent).append("  - ");
                    item(item, indent + "    ");
                }
            }
            case List<?> items -> {
                var parts = items.stream().map(YamlText::plain).toList();
                text.append(" [").append(String.join(", ", parts)).append("]\n");
            }
            default -> text.append(' ').append(plain(value)).append('\n');
        }
    }

    private static boolean nested(Object value) {
        return value instanceof Map || value instanceof List || value instanceof JsonObject;
    }

    private void item(Object item, String indent) {
        switch (item) {
            case JsonObject object -> map(object.fields(), indent);
            case Map<?, ?> map -> map(map, indent);
            case List<?> items -> {
                var parts = items.stream().map(YamlText::plain).toList();
                text.append('[').append(String.join(", ", parts)).append("]\n");
            }
            default -> text.append(plain(item)).append('\n');
        }
    }

    private static String plain(Object value) {
        return value.equals(JsonText.NULL)
                ? "null"
                : value instanceof Number || value instanceof Boolean
                        ? value.toString()
                        : scalar(value.toString());
    }

    private static String scalar(String text) {
        return PLAIN.matcher(text).matches() && !WORDS.contains(text.toLowerCase(Locale.ROOT))
                ? text
                : quoted(text);
    }

    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                default -> {
                    if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                        quoted.append("\\u%04x".formatted((int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }
}
