package io.berth.submit.http;

/// The gateway has as much to do as it takes on at once. Nothing was done of what was asked.
final class TooBusy extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooBusy(String message) {
        super(message, null, false, false);
    }
}
