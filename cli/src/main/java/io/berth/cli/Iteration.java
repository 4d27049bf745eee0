package io.berth.cli;

import io.berth.cli.CliOption.Words;
import java.time.Duration;

/// A listing that is printed once, or with `--iterate=SECONDS` again and again until its process is
/// ended.
final class Iteration {

    static final CliOption OPTION =
            CliOption.valued("iterate", 'i', "again and again, so many seconds apart");

    private Iteration() {}

    /// Prints a listing.
    @FunctionalInterface
    interface Listing {
        void print() throws CommandFailure;
    }

    /// @throws CommandFailure if the seconds are none, or the only listing fails; one of many that
    ///   fails is told, and the next one tried
    static int run(Terminal terminal, String command, Words words, Listing listing)
            throws CommandFailure {
        String text = words.value("iterate");
        if (text == null) {
            listing.print();
            return 0;
        }
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) == 0) {
            throw CommandFailure.error(command, "--iterate=" + text + " is no number of seconds");
        }
        while (true) {
            try {
                listing.print();
            } catch (CommandFailure e) {
                terminal.err().print(e.text());
                terminal.err().flush();
            }
            terminal.out().print("\n");
            terminal.out().flush();
            terminal.pause().await(Duration.ofSeconds(Integer.parseInt(text)));
        }
    }

    /// Whether a listing begins with the time.
    static boolean dated(Words words) {
        return words.has("long") || words.has("iterate");
    }
}
