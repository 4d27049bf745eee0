package io.berth.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The groups that this machine has its users in, as `id` tells them.
final class UnixGroups {

    /// A directory on another host may not answer.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private UnixGroups() {}

    /// The names of a user's groups; none of a user who is not known.
    ///
    /// @throws CommandFailure if they cannot be found out
    static List<String> of(String user) throws CommandFailure {
        return told(List.of("id", "-Gn", "--", user), PATIENCE);
    }

    /// The words that a program prints.
    static List<String> told(List<String> command, Duration patience) throws CommandFailure {
        try {
            Process id = new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
            try {
                // It is read when it has ended: what it prints fits into a pipe.
                if (!id.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw CommandFailure.error(
                            "token",
                            "cannot tell your groups: '%s' has not ended after %d s"
                                    .formatted(String.join(" ", command), patience.toSeconds()));
                }
                String names =
                        new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return names.isBlank() ? List.of() : List.of(names.strip().split("\\s+"));
            } finally {
                id.destroyForcibly();
            }
        } catch (IOException e) {
            throw CommandFailure.error("token", "cannot ask for groups by 'id': " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.error("token", "cannot ask for groups by 'id': interrupted");
        }
    }
}
