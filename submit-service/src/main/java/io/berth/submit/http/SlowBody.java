package io.berth.submit.http;

import java.time.Duration;

/// The body of a request did not arrive in time.
final class SlowBody extends RuntimeException {
    private static final long serialVersionUID = 1;

    SlowBody(Duration limit) {
        super("the body did not arrive within " + limit.toSeconds() + " s");
    }
}
