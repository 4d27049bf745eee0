package io.berth.cli;

import io.berth.slurm.GetOpt;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.HostList;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.OptionName;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// An option of a command other than `sbatch`.
record CliOption(String longName, char letter, Argument argument, String meaning)
        implements OptionName {

    static CliOption flag(String longName, char letter, String meaning) {
        return new CliOption(longName, letter, Argument.NONE, meaning);
    }

    static CliOption valued(String longName, char letter, String meaning) {
        return new CliOption(longName, letter, Argument.REQUIRED, meaning);
    }

    /// A command line with its options by name.
    static final class Words {

        private final GetOpt<CliOption> words;

        private Words(GetOpt<CliOption> words) {
            this.words = words;
        }

        /// @throws CommandFailure if an option is unknown or lacks its argument
        static Words of(String command, List<CliOption> table, List<String> words)
                throws CommandFailure {
            try {
                return new Words(GetOpt.anywhere(table, words));
            } catch (InvalidOption e) {
                throw CommandFailure.of(command, e);
            }
        }

        List<String> operands() {
            return words.operands();
        }

        boolean has(String longName) {
            return value(longName) != null;
        }

        /// The last value given, "" for a flag, null if the option is not given.
        @Nullable String value(String longName) {
            String value = null;
            for (Given<CliOption> given : words.options()) {
                if (given.option().longName().equals(longName)) {
                    value = given.value() == null ? "" : given.value();
                }
            }
            return value;
        }

        String value(String longName, String otherwise) {
            String value = value(longName);
            return value == null ? otherwise : value;
        }

        /// The nodes of a host list; none if it was not given.
        ///
        /// @throws CommandFailure if it is no host list
        List<String> hosts(String command, String longName) throws CommandFailure {
            try {
                return HostList.expand(value(longName, ""));
            } catch (IllegalArgumentException e) {
                throw CommandFailure.error(command, String.valueOf(e.getMessage()));
            }
        }

        /// All values given, with commas between.
        String all(String longName) {
            return words.options().stream()
                    .filter(it -> it.option().longName().equals(longName) && it.value() != null)
                    .map(Given::value)
                    .collect(Collectors.joining(","));
        }

        /// All values given, taken apart at commas.
        List<String> list(String longName) {
            var items = new ArrayList<String>();
            for (Given<CliOption> given : words.options()) {
                if (given.option().longName().equals(longName) && given.value() != null) {
                    items.addAll(split(given.value()));
                }
            }
            return items;
        }
    }

    /// The items between commas, without empty ones.
    static List<String> split(String list) {
        var items = new ArrayList<String>();
        for (int start = 0; start <= list.length(); ) {
            int comma = list.indexOf(',', start);
            int end = comma < 0 ? list.length() : comma;
            if (end > start) {
                items.add(list.substring(start, end));
            }
            start = end + 1;
        }
        return items;
    }
}
