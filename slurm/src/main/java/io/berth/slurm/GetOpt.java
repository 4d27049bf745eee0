package io.berth.slurm;

import io.berth.slurm.OptionName.Argument;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A command line taken apart as getopt_long(3) does: `-N2`, `-N 2`, `--nodes=2`, `--nodes 2`,
/// letters in bundles, long names shortened as far as they stay unique, `--` as the end.
///
/// @param options in the order given
/// @param operands the words that are no options
public record GetOpt<O extends OptionName>(List<Given<O>> options, List<String> operands) {

    /// One option as given.
    ///
    /// @param value null if it has none
    public record Given<O extends OptionName>(O option, @Nullable String value) {

        /// The value of an option that requires one.
        public String required() {
            if (value == null) {
                throw new IllegalStateException(
                        "option --" + option.longName() + " must have a value, found none");
            }
            return value;
        }
    }

    /// Reads words up to the first operand; what follows it are operands too, as for `sbatch`.
    ///
    /// @throws InvalidOption in the C library's words
    public static <O extends OptionName> GetOpt<O> untilOperand(List<O> table, List<String> words)
            throws InvalidOption {
        return new Reader<>(table, words, true).read();
    }

    /// Reads all words; options may follow operands, as for `squeue`.
    ///
    /// @throws InvalidOption in the C library's words
    public static <O extends OptionName> GetOpt<O> anywhere(List<O> table, List<String> words)
            throws InvalidOption {
        return new Reader<>(table, words, false).read();
    }

    private static final class Reader<O extends OptionName> {

        private final List<O> table;
        private final List<String> words;
        private final boolean stopAtOperand;
        private final List<Given<O>> options = new ArrayList<>();
        private final List<String> operands = new ArrayList<>();
        private int next;

        Reader(List<O> table, List<String> words, boolean stopAtOperand) {
            this.table = table;
            this.words = words;
            this.stopAtOperand = stopAtOperand;
        }

        GetOpt<O> read() throws InvalidOption {
            while (next < words.size()) {
                String word = words.get(next++);
                if (word.equals("--")) {
                    break;
                } else if (word.startsWith("--")) {
                    readLong(word);
                } else if (word.length() > 1 && word.charAt(0) == '-') {
                    readLetters(word);
                } else {
                    operands.add(word);
                    if (stopAtOperand) {
                        break;
                    }
                }
            }
            operands.addAll(words.subList(next, words.size()));
            return new GetOpt<>(List.copyOf(options), List.copyOf(operands));
        }

        private void readLong(String word) throws InvalidOption {
            int equals = word.indexOf('=');
            O option = named(word, equals < 0 ? word.substring(2) : word.substring(2, equals));
            if (equals >= 0 && option.argument() == Argument.NONE) {
                throw InvalidOption.usage(
                        "option '--" + option.longName() + "' doesn't allow an argument");
            }
            String value = equals < 0 ? null : word.substring(equals + 1);
            if (value == null && option.argument() == Argument.REQUIRED) {
                if (next == words.size()) {
                    throw InvalidOption.usage(
                            "option '--" + option.longName() + "' requires an argument");
                }
                value = words.get(next++);
            }
            options.add(new Given<>(option, value));
        }

        private O named(String word, String name) throws InvalidOption {
            var candidates = new ArrayList<O>();
            for (O option : table) {
                if (option.longName().equals(name)) {
                    return option;
                }
                if (option.longName().startsWith(name)) {
                    candidates.add(option);
                }
            }
            if (candidates.isEmpty()) {
                throw InvalidOption.usage("unrecognized option '" + word + "'");
            }
            if (candidates.size() > 1) {
                var possibilities = new StringBuilder();
                candidates.forEach(o -> possibilities.append(" '--" + o.longName() + "'"));
                throw InvalidOption.usage(
                        "option '" + word + "' is ambiguous; possibilities:" + possibilities);
            }
            return candidates.getFirst();
        }

        private void readLetters(String word) throws InvalidOption {
            for (int i = 1; i < word.length(); i++) {
                O option = lettered(word.charAt(i));
                if (option.argument() == Argument.NONE) {
                    options.add(new Given<>(option, null));
                    continue;
                }
                String value = i + 1 < word.length() ? word.substring(i + 1) : null;
                if (value == null && option.argument() == Argument.REQUIRED) {
                    if (next == words.size()) {
                        throw InvalidOption.usage(
                                "option requires an argument -- '" + word.charAt(i) + "'");
                    }
                    value = words.get(next++);
                }
                options.add(new Given<>(option, value));
                return;
            }
        }

        private O lettered(char letter) throws InvalidOption {
            for (O option : table) {
                if (option.letter() == letter) {
                    return option;
                }
            }
            throw InvalidOption.usage("invalid option -- '" + letter + "'");
        }
    }
}
