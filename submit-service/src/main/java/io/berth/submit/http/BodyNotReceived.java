package io.berth.submit.http;

import java.io.IOException;
import java.time.Duration;

/// The body of a request did not arrive in time, or not to its end.
final class BodyNotReceived extends RuntimeException {
    private static final long serialVersionUID = 1;

    BodyNotReceived(Duration limit) {
        super("the body did not arrive within " + limit.toSeconds() + " s");
    }

    BodyNotReceived(IOException cause) {
        super("the body did not arrive to its end", cause);
    }
}
