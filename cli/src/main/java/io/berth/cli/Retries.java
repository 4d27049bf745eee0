package io.berth.cli;

import java.time.Duration;

/// The attempts of one request while the gateway is away, or too busy: for half a minute, in which
/// it can be started anew. The user is told of the first that failed.
final class Retries {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Terminal terminal;
    private final String command;
    private final long deadline;
    private Duration pause = FIRST_PAUSE;
    private boolean told;

    Retries(Terminal terminal, String command) {
        this.terminal = terminal;
        this.command = command;
        deadline = terminal.now() + PATIENCE.toMillis();
    }

    /// Pauses before the next one.
    ///
    /// @param why the last one failed
    /// @return whether there is to be one
    boolean again(String why) {
        if (terminal.now() + pause.toMillis() > deadline) {
            return false;
        }
        if (!told) {
            terminal.err()
                    .print(
                            "%s: %s: trying again for %d s\n"
                                    .formatted(command, why, PATIENCE.toSeconds()));
            terminal.err().flush();
            told = true;
        }
        terminal.pause().await(pause);
        pause = pause.multipliedBy(2);
        pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        return true;
    }
}
