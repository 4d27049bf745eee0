package io.berth.agent.host;

/// Why an agent does not start: one line for the person who started it.
public final class StartRefused extends RuntimeException {

    public StartRefused(String message) {
        super(message);
    }
}
