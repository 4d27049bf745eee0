package io.berth.cli;

import io.berth.slurm.GetOpt;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.HostList;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.OptionName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// An option of a command other than `sbatch`.
///
/// @param variable of the environment that gives it where the command line does not; "" is none
record CliOption(String longName, char letter, Argument argument, String meaning, String variable)
        implements OptionName {

    CliOption(String longName, char letter, Argument argument, String meaning) {
        this(longName, letter, argument, meaning, "");
    }

    /// The same option, which a variable of the environment gives too. An empty one gives nothing,
    /// nor does `false` a flag.
    CliOption from(String name) {
        return new CliOption(longName, letter, argument, meaning, name);
    }

    static CliOption flag(String longName, char letter, String meaning) {
        return new CliOption(longName, letter, Argument.NONE, meaning);
    }

    static CliOption valued(String longName, char letter, String meaning) {
        return new CliOption(longName, letter, Argument.REQUIRED, meaning);
    }

    static final CliOption CLUSTERS = valued("clusters", 'M', "this cluster's name, or all");

    static final CliOption CLUSTER = valued("cluster", 'M', "this cluster's name, or all");

    /// What is so anyway, as there is one cluster.
    static final CliOption FEDERATION = flag("federation", '\0', "nothing: there is one cluster");

    static final CliOption LOCAL = flag("local", '\0', "nothing: there is one cluster");
    static final CliOption SIBLING = flag("sibling", '\0', "nothing: there is one cluster");

    static final CliOption USAGE = flag("usage", '\0', "how it is called");

    static final CliOption VERBOSE = flag("verbose", 'v', "nothing: there is nothing more to say");

    /// A command line with its options by name.
    static final class Words {

        private final GetOpt<CliOption> words;
        private final List<Given<CliOption>> typed;

        private Words(GetOpt<CliOption> words, List<Given<CliOption>> typed) {
            this.words = words;
            this.typed = typed;
        }

        /// @throws CommandFailure if an option is unknown or lacks its argument
        static Words of(
                String command,
                List<CliOption> table,
                List<String> words,
                Map<String, String> environment)
                throws CommandFailure {
            try {
                GetOpt<CliOption> line = GetOpt.anywhere(table, words);
                var options = new ArrayList<>(line.options());
                for (CliOption option : table) {
                    String value = environment.getOrDefault(option.variable(), "");
                    boolean flag = option.argument() == Argument.NONE;
                    if (!value.isEmpty()
                            && !(flag && value.equalsIgnoreCase("false"))
                            && line.options().stream()
                                    .noneMatch(it -> it.option().equals(option))) {
                        options.add(new Given<>(option, flag ? null : value));
                    }
                }
                return new Words(new GetOpt<>(options, line.operands()), line.options());
            } catch (InvalidOption e) {
                throw CommandFailure.of(command, e);
            }
        }

        List<String> operands() {
            return words.operands();
        }

        /// Whether the command line itself gives it.
        boolean typed(String longName) {
            return typed.stream().anyMatch(it -> it.option().longName().equals(longName));
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
