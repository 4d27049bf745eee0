package io.berth.submit;

/// The log cannot be reached, or not in time: what was asked is not known, or what became of it.
public final class Unavailable extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Unavailable(String message) {
        super(message);
    }

    public Unavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
