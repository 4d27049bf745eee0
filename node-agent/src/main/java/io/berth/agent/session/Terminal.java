package io.berth.agent.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// A terminal for a command, which `script` (util-linux) makes: its own input and output are the
/// other side of it.
///
/// @param name where the command leaves the terminal's name
record Terminal(int rows, int columns, Path name) {
    private static final int MOST = 10_000;

    /// @param size rows and columns
    static Terminal of(String size) throws IOException {
        List<Integer> numbers = numbers(List.of(size.strip().split("\\s+")));
        return new Terminal(
                numbers.isEmpty() ? 24 : numbers.getFirst(),
                numbers.isEmpty() ? 80 : numbers.getLast(),
                temporary());
    }

    private static Path temporary() throws IOException {
        Path file = Files.createTempFile("berth", ".tty");
        file.toFile().deleteOnExit();
        return file;
    }

    /// The command that runs another one in the terminal.
    ///
    /// @param shell the SHELL that the command finds; `script` itself is to use `sh`
    List<String> around(List<String> command, String shell) {
        String words = command.stream().map(Terminal::quoted).collect(Collectors.joining(" "));
        String inside =
                "tty >%s; stty rows %d cols %d; SHELL=%s exec %s"
                        .formatted(quoted(name.toString()), rows, columns, quoted(shell), words);
        return List.of("script", "-q", "-e", "-f", "-c", inside, "/dev/null");
    }

    /// The word as the shell takes it for itself.
    static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /// The terminal has another size now; its foreground processes are told by the kernel.
    void resize(List<String> size) {
        List<Integer> numbers = numbers(size);
        if (numbers.isEmpty()) {
            return;
        }
        try {
            String device = Files.readString(name).strip();
            if (device.startsWith("/dev/")) {
                runQuietly(
                        List.of(
                                "stty",
                                "-F",
                                device,
                                "rows",
                                numbers.getFirst().toString(),
                                "cols",
                                numbers.getLast().toString()));
            }
        } catch (IOException e) {
            // It keeps the size that it had.
        }
    }

    /// Two numbers that a size can be, or none.
    private static List<Integer> numbers(List<String> words) {
        var numbers = new ArrayList<Integer>();
        for (String word : words) {
            if (word.matches("\\d{1,5}") && Integer.parseInt(word) <= MOST) {
                numbers.add(Integer.valueOf(word));
            }
        }
        return numbers.size() == 2 ? numbers : List.of();
    }

    static void runQuietly(List<String> command) {
        try {
            boolean unused = succeeds(command);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Runs a command without its output. Whether it is there and exits with 0.
    static boolean succeeds(List<String> command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
