package io.berth.simulator;

import io.berth.simulator.trace.BadLines;
import io.berth.slurm.GetOpt;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.OptionName;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The options of one call.
final class Options {

    /// An option by its long name; it has no letter.
    record Option(String longName, Argument argument, String meaning) implements OptionName {

        @Override
        public char letter() {
            return 0;
        }

        String line() {
            String name = "--" + longName + (argument == Argument.REQUIRED ? "=VALUE" : "");
            return String.format(Locale.ROOT, "  %-24s %s%n", name, meaning);
        }
    }

    private final List<Given<Option>> given;

    private Options(List<Given<Option>> given) {
        this.given = given;
    }

    static Option flag(String name, String meaning) {
        return new Option(name, OptionName.Argument.NONE, meaning);
    }

    static Option valued(String name, String meaning) {
        return new Option(name, OptionName.Argument.REQUIRED, meaning);
    }

    /// @throws SimFailure if an option is unknown or lacks its value, or a word is no option
    static Options of(List<Option> table, List<String> words) throws SimFailure {
        try {
            GetOpt<Option> read = GetOpt.anywhere(table, words);
            if (!read.operands().isEmpty()) {
                throw new SimFailure("'" + read.operands().getFirst() + "' is no option");
            }
            return new Options(read.options());
        } catch (InvalidOption e) {
            throw new SimFailure(e.getMessage());
        }
    }

    boolean has(String name) {
        return value(name) != null;
    }

    /// @throws SimFailure if the option is given without the other one
    void needs(String name, String other) throws SimFailure {
        if (has(name) && !has(other)) {
            throw new SimFailure("--" + name + ": only with --" + other);
        }
    }

    /// @throws SimFailure if both are given
    void excludes(String name, String other) throws SimFailure {
        if (has(name) && has(other)) {
            throw new SimFailure("--" + name + ": not with --" + other);
        }
    }

    /// The last value given, "" for a flag, null if the option is not given.
    @Nullable String value(String name) {
        String value = null;
        for (Given<Option> option : given) {
            if (option.option().longName().equals(name)) {
                value = option.value() == null ? "" : option.value();
            }
        }
        return value;
    }

    String value(String name, String otherwise) {
        String value = value(name);
        return value == null ? otherwise : value;
    }

    Path file(String name) throws SimFailure {
        String value = value(name);
        if (value == null || value.isEmpty()) {
            throw new SimFailure("--" + name + " is missing: which file?");
        }
        return Path.of(value);
    }

    /// One of the words allowed.
    String choice(String name, List<String> allowed) throws SimFailure {
        return allowed(name, value(name, allowed.getFirst()), allowed);
    }

    static String allowed(String name, String value, List<String> allowed) throws SimFailure {
        if (!allowed.contains(value)) {
            throw new SimFailure(
                    "--" + name + ": '" + value + "' is none of " + String.join(", ", allowed));
        }
        return value;
    }

    int number(String name, int otherwise, int least, int most) throws SimFailure {
        double number = decimal(name, otherwise, least, most);
        if (number != Math.rint(number)) {
            throw new SimFailure("--" + name + ": " + value(name) + " is not a whole number");
        }
        return (int) number;
    }

    double decimal(String name, double otherwise, double least, double most) throws SimFailure {
        String value = value(name);
        if (value == null) {
            return otherwise;
        }
        try {
            double number = Double.parseDouble(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new SimFailure("--" + name + ": '" + value + "' is not a number");
        }
        throw new SimFailure(
                "--" + name + ": " + value + " is not between " + least + " and " + most);
    }

    BadLines badLines() throws SimFailure {
        return choice("bad-lines", List.of("refuse", "skip")).equals("skip")
                ? BadLines.skipped()
                : BadLines.refused();
    }
}
