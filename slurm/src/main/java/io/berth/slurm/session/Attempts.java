package io.berth.slurm.session;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// The attempts of one end to come to the gateway again, with pauses that grow.
final class Attempts {
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long MOST_PAUSE_MILLIS = 2_000;

    /// How long they go on.
    ///
    /// @param gateway while that is away
    /// @param other for the other end, from when the gateway is back; that may be the one that has
    ///   to open the session again, of which the gateway knows nothing before
    record Patience(Duration gateway, Duration other) {}

    private final Patience patience;
    private long pause = FIRST_PAUSE_MILLIS;

    /// Since when the gateway is there, or is not ([System#nanoTime]).
    private long since = System.nanoTime();

    private boolean there;

    Attempts(Patience patience) {
        this.patience = patience;
    }

    /// The gateway answers.
    void reached() {
        found(true);
    }

    /// An attempt failed.
    void failed(IOException why) {
        found(why instanceof FrameSocket.Unknown);
    }

    private void found(boolean now) {
        if (there != now) {
            there = now;
            since = System.nanoTime();
        }
    }

    /// Pauses before the next one.
    ///
    /// @return whether there is to be one
    boolean goOn() {
        Duration most = there ? patience.other() : patience.gateway();
        if (System.nanoTime() - since > most.toNanos()) {
            return false;
        }
        try {
            TimeUnit.MILLISECONDS.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        pause = Math.min(2 * pause, MOST_PAUSE_MILLIS);
        return true;
    }
}
