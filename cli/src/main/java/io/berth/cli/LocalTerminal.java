package io.berth.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The terminal that a command runs in: raw while a program elsewhere has it for its own.
///
/// `stty` does the work, on the process's controlling terminal.
final class LocalTerminal implements AutoCloseable {

    private static final File CONTROLLING = new File("/dev/tty");

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
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
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
        String size = stty("size");
        return size.matches("\\d+ \\d+") && !size.startsWith("0") ? size : "24 80";
    }

    /// Hands every key to the other program.
    void enter() {
        if (raw) {
            before = stty("-g");
            if (!before.isEmpty()) {
                var unused = stty("raw", "-echo");
            }
        }
    }

    /// Makes the terminal what it was.
    @Override
    public void close() {
        if (!before.isEmpty()) {
            var unused = stty(before);
            before = "";
        }
    }

    /// What `stty` says; empty if there is no terminal.
    private static String stty(String... words) {
        var command = new ArrayList<String>();
        command.add("stty");
        command.addAll(List.of(words));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectInput(CONTROLLING)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return process.waitFor() == 0 ? said.strip() : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
