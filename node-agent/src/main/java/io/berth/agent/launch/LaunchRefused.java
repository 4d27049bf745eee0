package io.berth.agent.launch;

/// Why a run's part cannot be started: one line for the user.
public final class LaunchRefused extends Exception {

    public LaunchRefused(String message) {
        super(message);
    }

    public LaunchRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
