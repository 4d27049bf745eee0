package io.berth.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// YAML as people write it into Slurm's files: maps and lists by indentation, with values on one
/// line that are plain, in quotes or lists in brackets. Everything else of YAML is refused.
final class PlainYaml {

    private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*");
    private static final Pattern ENTRY =
            Pattern.compile("(['\"]?)([A-Za-z_][\\w.-]*)\\1\\s*:(?:\\s+(.*))?");
    private static final Pattern NO_TEXT = Pattern.compile("[{&*!|>%@`].*|[^'\"]*:(\\s.*)?");

    private record Row(int number, int indent, String text) {

        boolean isItem() {
            return text.equals("-") || text.startsWith("- ");
        }
    }

    private final List<Row> rows = new ArrayList<>();
    private int next;

    private PlainYaml(String text) {
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String kept = COMMENT.matcher(line).replaceFirst("").stripTrailing();
            if (!kept.isBlank() && !kept.equals("---") && !kept.equals("...")) {
                String plain = kept.stripLeading();
                rows.add(new Row(number, kept.length() - plain.length(), plain));
            }
        }
    }

    /// @return a map, a list or a text
    /// @throws IllegalArgumentException if it is nothing of the kind, naming the line
    static Object parse(String text) {
        var yaml = new PlainYaml(text);
        if (yaml.rows.isEmpty()) {
            return List.of();
        }
        Object all = yaml.block();
        if (yaml.next < yaml.rows.size()) {
            throw unlike(yaml.rows.get(yaml.next));
        }
        return all;
    }

    /// What begins on the next row, as far as it is indented like that.
    private Object block() {
        Row first = rows.get(next);
        return first.isItem() ? list(first.indent()) : map(first.indent());
    }

    private boolean goesOn(int indent) {
        return next < rows.size() && rows.get(next).indent() == indent;
    }

    private List<Object> list(int indent) {
        var items = new ArrayList<Object>();
        while (goesOn(indent) && rows.get(next).isItem()) {
            Row row = rows.get(next);
            String rest = row.text().substring(1).stripLeading();
            if (rest.isEmpty()) {
                next++;
                items.add(below(indent + 1));
            } else if (rest.startsWith("- ") || ENTRY.matcher(rest).matches()) {
                // It begins a block that is indented as what follows the hyphen.
                rows.set(
                        next,
                        new Row(row.number(), indent + row.text().length() - rest.length(), rest));
                items.add(block());
            } else {
                items.add(value(row, rest));
                next++;
            }
        }
        return items;
    }

    private Map<String, Object> map(int indent) {
        var entries = new LinkedHashMap<String, Object>();
        while (goesOn(indent) && !rows.get(next).isItem()) {
            Row row = rows.get(next);
            Matcher entry = ENTRY.matcher(row.text());
            if (!entry.matches()) {
                throw unlike(row);
            }
            next++;
            String value = entry.group(3);
            boolean listBeside = goesOn(indent) && rows.get(next).isItem();
            entries.put(
                    entry.group(2),
                    value != null && !value.isEmpty()
                            ? value(row, value)
                            : below(listBeside ? indent : indent + 1));
        }
        return entries;
    }

    /// The block that is indented at least so far; "" if there is none.
    private Object below(int least) {
        return next < rows.size() && rows.get(next).indent() >= least ? block() : "";
    }

    private static Object value(Row row, String text) {
        if (text.startsWith("[") && text.endsWith("]")) {
            var items = new ArrayList<Object>();
            for (String item : text.substring(1, text.length() - 1).split(",")) {
                if (!item.isBlank()) {
                    items.add(value(row, item.strip()));
                }
            }
            return items;
        }
        if (text.length() > 1 && text.matches("\"[^\"\\\\]*\"|'[^']*'")) {
            return text.substring(1, text.length() - 1);
        }
        if (NO_TEXT.matcher(text).matches()) {
            throw unlike(row);
        }
        return text;
    }

    private static IllegalArgumentException unlike(Row row) {
        return new IllegalArgumentException(
                "line "
                        + row.number()
                        + ": it is no block of names and values, such as 'switch: s1'");
    }
}
