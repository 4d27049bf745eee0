package io.berth.cli;

import io.berth.cli.CliOption.Words;
import java.util.List;

/// One command with options in the style of getopt_long(3).
interface Command {

    /// `NAME [OPTIONS]: what it does`
    String synopsis();

    List<CliOption> options();

    /// Whether words beside its options mean anything to it.
    default boolean takesOperands() {
        return true;
    }

    /// Does it.
    ///
    /// @return the exit code
    int run(Terminal terminal, Words words) throws CommandFailure;
}
