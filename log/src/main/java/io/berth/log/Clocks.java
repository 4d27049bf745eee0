package io.berth.log;

import java.util.concurrent.TimeUnit;

/// The clocks of a machine, and the waiting by them.
public interface Clocks {

    /// Those of the machine that this runs on.
    Clocks SYSTEM =
            new Clocks() {
                @Override
                public long millis() {
                    return System.currentTimeMillis();
                }

                @Override
                public long nanos() {
                    return System.nanoTime();
                }

                @Override
                public void sleep(long nanos) {
                    try {
                        TimeUnit.NANOSECONDS.sleep(nanos);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            };

    /// The time of day, in epoch milliseconds: it may be wrong, and jump.
    long millis();

    /// The monotonic clock, as [System#nanoTime].
    long nanos();

    /// Waits so long; less if the thread is interrupted, which it then still is.
    void sleep(long nanos);
}
