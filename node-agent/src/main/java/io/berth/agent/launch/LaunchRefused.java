package io.berth.agent.launch;

import org.jspecify.annotations.Nullable;

/// Why a run's part cannot be started: one line for the user.
public final class LaunchRefused extends Exception {

    private final @Nullable String drain;

    public LaunchRefused(String message) {
        this(message, (String) null);
    }

    /// @param drain why the node must have no more work; null if it may
    public LaunchRefused(String message, @Nullable String drain) {
        super(message);
        this.drain = drain;
    }

    public LaunchRefused(String message, Throwable cause) {
        super(message, cause);
        this.drain = null;
    }

    public @Nullable String drain() {
        return drain;
    }
}
