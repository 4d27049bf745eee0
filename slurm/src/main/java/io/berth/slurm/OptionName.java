package io.berth.slurm;

/// How an option is written on a command line.
public interface OptionName {

    /// What may follow an option.
    enum Argument {
        NONE,
        /// Only as `--name=value`, never as the next word.
        OPTIONAL,
        REQUIRED
    }

    /// The long name, without dashes.
    String longName();

    /// The one-letter name, 0 if there is none.
    char letter();

    Argument argument();
}
