package io.berth.cli;

import io.berth.slurm.session.Stty;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;

/// The terminal that a command runs in: raw while a program elsewhere has it for its own.
///
/// `stty` does the work, on the process's controlling terminal.
final class LocalTerminal implements AutoCloseable {

    private static final Stty CONTROLLING = new Stty(Redirect.from(new File("/dev/tty")));

    private final boolean raw;
    private String before = "";

    private LocalTerminal(boolean raw) {
        this.raw = raw;
    }

    /// @param command who says that there is none here
    /// @param wanted whether the other program wants a terminal
    static LocalTerminal of(Terminal terminal, String command, boolean wanted)
            throws CommandFailure {
        if (wanted && System.console() == null) {
            terminal.err()
                    .print(
                            command
                                    + ": standard input is no terminal: the program has one that is not this one\n");
        }
        return new LocalTerminal(wanted);
    }

    /// Whether what this process writes goes to a terminal.
    ///
    /// @param descriptor 1 of its output, 2 of its errors
    static boolean shows(int descriptor) {
        try {
            return new ProcessBuilder("test", "-t", Integer.toString(descriptor))
                            .redirectOutput(Redirect.INHERIT)
                            .redirectError(Redirect.INHERIT)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /// Whether the other program has a terminal.
    boolean raw() {
        return raw;
    }

    /// Rows and columns.
    String size() {
        String size = CONTROLLING.size();
        return size.matches("\\d+ \\d+") && !size.startsWith("0") ? size : "24 80";
    }

    /// Hands every key to the other program.
    void enter() {
        if (raw) {
            before = CONTROLLING.settings();
            if (!before.isEmpty()) {
                CONTROLLING.raw();
            }
        }
    }

    /// Makes the terminal what it was.
    @Override
    public void close() {
        if (!before.isEmpty()) {
            CONTROLLING.set(before);
            before = "";
        }
    }
}
