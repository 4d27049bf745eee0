package io.berth.accounting.db;

/// The books cannot go on without a person: the message says why and what to do.
public final class BooksStopped extends RuntimeException {

    public BooksStopped(String message) {
        super(message);
    }

    public BooksStopped(String message, Throwable cause) {
        super(message, cause);
    }
}
