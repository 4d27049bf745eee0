package io.berth.accounting;

import java.time.Duration;

/// The pauses between tries: the first is a tenth of a second, each is twice the one before, up to
/// the longest.
///
/// Not safe for use by several threads.
final class Pauses {

    private static final Duration FIRST = Duration.ofMillis(100);

    private final Duration longest;
    private Duration next = FIRST;

    Pauses(Duration longest) {
        this.longest = longest;
    }

    void pause() throws InterruptedException {
        Thread.sleep(next);
        Duration twice = next.multipliedBy(2);
        next = twice.compareTo(longest) > 0 ? longest : twice;
    }

    void reset() {
        next = FIRST;
    }
}
