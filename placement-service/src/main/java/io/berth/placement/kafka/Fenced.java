package io.berth.placement.kafka;

/// Another instance leads the cell now. What this one has in memory is worth nothing any more.
public final class Fenced extends RuntimeException {

    public Fenced(String message, Throwable cause) {
        super(message, cause);
    }
}
