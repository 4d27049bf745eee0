package io.berth.agent.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A program of the operator that tries something of the machine, and ends with 0 if it is well. It
/// runs as the agent.
///
/// @param limit how long it may take; then it is killed, and has failed
public record HostCheck(Path program, Duration limit, Commands commands) {

    private static final int MOST_CHARACTERS = 200;

    /// The same in that time.
    public HostCheck within(Duration other) {
        return new HostCheck(program, other, commands);
    }

    /// Runs it, in a session of its own of which nothing is left. What is wrong, in one line: the
    /// first that it wrote, if it wrote any; nothing if all is well.
    public Optional<String> failure(List<String> arguments, Map<String, String> variables)
            throws InterruptedException {
        var command = new ArrayList<String>(arguments);
        command.addFirst(program.toString());
        try {
            var ran = commands.runAlone(command, variables, limit);
            return ran.status() == 0
                    ? Optional.empty()
                    : Optional.of(
                            firstLine(ran.output())
                                    .orElse("%s ended with %d".formatted(program, ran.status())));
        } catch (IOException e) {
            return Optional.of("%s was not run to its end: %s".formatted(program, e.getMessage()));
        }
    }

    /// As much of it as people read, without what moves their cursors.
    private static Optional<String> firstLine(String output) {
        return output.lines()
                .map(line -> line.replaceAll("\\p{Cntrl}", " ").strip())
                .filter(line -> !line.isEmpty())
                .map(line -> line.substring(0, Math.min(line.length(), MOST_CHARACTERS)))
                .findFirst();
    }
}
