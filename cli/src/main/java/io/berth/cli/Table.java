package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/// A listing with titles over a line of dashes, as `sshare`, `sreport` and `sacctmgr show` print
/// it; with `-p` and `-P`, the values alone with `|` between them. A value that is too long ends in
/// `+`.
record Table(List<Title> titles) {

    /// A column's title.
    ///
    /// @param left whether the values stand to the left
    record Title(String name, int width, boolean left) {

        static Title right(String name, int width) {
            return new Title(name, width, false);
        }

        static Title left(String name, int width) {
            return new Title(name, width, true);
        }
    }

    /// The options of all such listings.
    static List<CliOption> options(CliOption... own) {
        var options = new ArrayList<>(List.of(own));
        options.add(flag("noheader", 'n', "without the lines of titles"));
        options.add(flag("parsable", 'p', "with | after each column"));
        options.add(flag("parsable2", 'P', "with | between columns"));
        options.add(flag("help", 'h', "this text"));
        options.add(flag("version", 'V', "Berth's version"));
        return List.copyOf(options);
    }

    /// The columns of these names, or their first letters, in any case; `%` gives another width.
    ///
    /// @throws CommandFailure naming the one that is none
    Table only(String command, String format) throws CommandFailure {
        var chosen = new ArrayList<Title>();
        for (String item : CliOption.split(format)) {
            int percent = item.indexOf('%');
            String name = percent < 0 ? item : item.substring(0, percent);
            Title title =
                    titles.stream()
                            .filter(it -> it.name().regionMatches(true, 0, name, 0, name.length()))
                            .findFirst()
                            .orElseThrow(() ->
                                    new CommandFailure(
                                            1,
                                            command + ": error: Unknown field '" + name + "'\n"));
            boolean left = percent >= 0 && item.startsWith("-", percent + 1);
            Long width =
                    percent < 0
                            ? Long.valueOf(title.width())
                            : JobIds.parse(item.substring(percent + (left ? 2 : 1)));
            if (width == null || width > 10_000) {
                throw CommandFailure.error(command, "Invalid width in '" + item + "'");
            }
            chosen.add(new Title(title.name(), width.intValue(), left || title.left()));
        }
        return new Table(chosen);
    }

    /// The same with the column of that name to the left, of that width.
    Table leftOf(String name, int width) {
        return new Table(
                titles.stream()
                        .map(it -> it.name().equals(name) ? Title.left(name, width) : it)
                        .toList());
    }

    /// @param rows each with a value for every title of `all`, of which this table shows some
    void print(PrintStream out, Words words, Table all, List<List<String>> rows) {
        boolean bare = words.has("parsable") || words.has("parsable2");
        int[] places =
                titles.stream()
                        .mapToInt(it ->
                                all.titles.stream().map(Title::name).toList().indexOf(it.name()))
                        .toArray();
        if (!words.has("noheader")) {
            out.print(line(words, titles.stream().map(Title::name).toList()));
            if (!bare) {
                out.print(line(words, titles.stream().map(it -> "-".repeat(it.width())).toList()));
            }
        }
        for (List<String> row : rows) {
            var values = new ArrayList<String>();
            for (int place : places) {
                values.add(row.get(place));
            }
            out.print(line(words, values));
        }
    }

    private String line(Words words, List<String> values) {
        var line = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            String value = Printable.of(values.get(i));
            if (words.has("parsable2")) {
                line.append(i == 0 ? "" : "|").append(value);
            } else if (words.has("parsable")) {
                line.append(value).append('|');
            } else {
                line.append(cell(titles.get(i), value)).append(' ');
            }
        }
        return line.append('\n').toString();
    }

    private static String cell(Title title, String value) {
        return value.length() > title.width()
                ? value.substring(0, title.width() - 1) + "+"
                : Layout.fit(value, title.width(), !title.left());
    }
}
