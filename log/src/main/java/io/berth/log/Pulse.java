package io.berth.log;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The pulse of a loop: it beats with each turn. A loop that has not turned for [#WEDGED], or that
/// has died, is wedged, and only a new process helps: no call of a client of the log takes so long.
/// A loop that waits for the log or the database turns, or says that it waits. The loop is the
/// thread that says so: one that ends without a word that it [#ended] has died.
public final class Pulse {

    /// Above what a client of the log takes to give up on anything.
    public static final Duration WEDGED = Duration.ofMinutes(5);

    private final LongSupplier nanoClock;
    private volatile boolean waits = true;
    private volatile long beat;

    /// The loop's; null of one that has not begun, or has ended as it should.
    private volatile @Nullable Thread thread;

    public Pulse() {
        this(System::nanoTime);
    }

    Pulse(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /// The loop turns.
    public void beat() {
        thread = Thread.currentThread();
        beat = nanoClock.getAsLong();
        waits = false;
    }

    /// The loop waits for others until it beats again, however long.
    public void waits() {
        thread = Thread.currentThread();
        waits = true;
    }

    /// The loop has ended as it should.
    public void ended() {
        thread = null;
        waits = true;
    }

    /// Whether the loop is not wedged.
    public boolean alive() {
        Thread loop = thread;
        return (loop == null || loop.isAlive())
                && (waits || nanoClock.getAsLong() - beat < WEDGED.toNanos());
    }
}
