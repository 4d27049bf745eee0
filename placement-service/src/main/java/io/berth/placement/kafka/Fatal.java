package io.berth.placement.kafka;

/// The service must not go on by itself: its log is not the one that it knows, or its brokers or
/// its clock cannot be worked with. A person has to look.
public final class Fatal extends RuntimeException {

    public Fatal(String message) {
        super(message);
    }

    public Fatal(String message, Throwable cause) {
        super(message, cause);
    }
}
