package io.berth.accounting;

import java.time.Duration;

/// The end of a loop's thread.
final class Threads {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private Threads() {}

    /// Waits for a thread that was told to end; interrupts it if it does not for a while.
    static void end(Thread thread) {
        try {
            if (!thread.join(PATIENCE)) {
                thread.interrupt();
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
