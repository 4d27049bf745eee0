package io.berth.submit;

/// The gateway, or a node that it asks, has as much to do as it takes on at once. Nothing was done
/// of what was asked.
public final class TooBusy extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TooBusy(String message) {
        super(message, null, false, false);
    }
}
