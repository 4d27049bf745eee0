package io.berth.cli;

import io.berth.slurm.InvalidOption;

/// The end of a command that did not do what it was asked: what it prints, and its exit code.
final class CommandFailure extends Exception {

    private static final long serialVersionUID = 1;

    private final int exitCode;
    private final String text;

    /// @param text goes to standard error as it is, with its line ends
    CommandFailure(int exitCode, String text) {
        super(text.strip());
        this.exitCode = exitCode;
        this.text = text;
    }

    /// A failure in one line, `squeue: error: …`, with exit code 1.
    static CommandFailure error(String command, String message) {
        return new CommandFailure(1, command + ": error: " + message + "\n");
    }

    /// A wrong command line. Other commands than `sbatch` answer it with exit code 1.
    static CommandFailure of(String command, InvalidOption wrong) {
        return new CommandFailure(1, wrong.print(command));
    }

    int exitCode() {
        return exitCode;
    }

    String text() {
        return text;
    }
}
