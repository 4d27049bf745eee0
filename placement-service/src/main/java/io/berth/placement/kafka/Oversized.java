package io.berth.placement.kafka;

/// A fact of a round is too large for its topic. Nothing of the round was written.
public final class Oversized extends RuntimeException {

    private final int fact;

    Oversized(int fact, String message) {
        super(message);
        this.fact = fact;
    }

    /// Its place among the facts of the round.
    public int fact() {
        return fact;
    }
}
