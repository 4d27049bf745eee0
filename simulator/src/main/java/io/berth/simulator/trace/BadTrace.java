package io.berth.simulator.trace;

/// A file that cannot be read as what it was given for: in one line, what is wrong, and where.
public final class BadTrace extends Exception {

    private static final long serialVersionUID = 1;

    public BadTrace(String message) {
        super(message);
    }
}
