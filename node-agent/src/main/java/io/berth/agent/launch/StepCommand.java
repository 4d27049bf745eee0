package io.berth.agent.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.berth.agent.container.OciConfig.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// An `srun` of a script, as the kernel tells of its process.
///
/// @param process its number
/// @param directory in which it is
/// @param variables that it was started with
/// @param arguments that it was given
/// @param console the size of its terminal; null if it has none
public record StepCommand(
        long process,
        Path directory,
        Map<String, String> variables,
        List<String> arguments,
        @Nullable Console console) {

    /// How many words come before the arguments of a script: its shell, and its own name.
    private static final int SHELL_AND_SCRIPT = 2;

    /// How much a process may say of its arguments, and of its variables: what the kernel tells of
    /// them is as long as the process likes.
    static final int MOST_BYTES = 512 << 10;

    /// @param folder of the process in /proc
    /// @param console the size of the terminal that it says to have; null for none
    /// @throws LaunchRefused if the process is another program, or says too much
    /// @throws IOException if it is none any more
    static StepCommand read(Path folder, @Nullable Console console)
            throws LaunchRefused, IOException {
        long process = Long.parseLong(folder.getFileName().toString());
        List<String> words = words(folder.resolve("cmdline"));
        if (words.size() < SHELL_AND_SCRIPT || !isSrun(words.get(1))) {
            throw new LaunchRefused("process %d is no srun".formatted(process));
        }
        var variables = new TreeMap<String, String>();
        for (String variable : words(folder.resolve("environ"))) {
            String[] parts = variable.split("=", 2);
            if (parts.length == 2 && !parts[0].isEmpty()) {
                variables.putIfAbsent(parts[0], parts[1]);
            }
        }
        return new StepCommand(
                process,
                Files.readSymbolicLink(folder.resolve("cwd")),
                variables,
                words.subList(SHELL_AND_SCRIPT, words.size()),
                console);
    }

    private static boolean isSrun(String path) {
        return path.substring(path.lastIndexOf('/') + 1).equals("srun");
    }

    /// Words that are ended by a NUL each.
    private static List<String> words(Path file) throws LaunchRefused, IOException {
        byte[] bytes;
        try (var stream = Files.newInputStream(file)) {
            bytes = stream.readNBytes(MOST_BYTES + 1);
        }
        if (bytes.length > MOST_BYTES) {
            throw new LaunchRefused(
                    "%s is longer than %d bytes, the most with --container"
                            .formatted(file, MOST_BYTES));
        }
        String text = new String(bytes, UTF_8);
        return text.isEmpty()
                ? List.of()
                : List.of(text.substring(0, text.length() - 1).split("\0", -1));
    }
}
