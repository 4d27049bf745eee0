package io.berth.accounting.cluster;

/// A change of the configuration that its author may not make; the message says what and why.
public final class NotAllowed extends Exception {

    NotAllowed(String message) {
        super(message);
    }
}
