package io.berth.placement.kafka;

/// The service must not go on by itself: its log is not the one that it knows, or another instance
/// leads. A person has to look.
public final class Fatal extends RuntimeException {

    public Fatal(String message) {
        super(message);
    }

    public Fatal(String message, Throwable cause) {
        super(message, cause);
    }
}
