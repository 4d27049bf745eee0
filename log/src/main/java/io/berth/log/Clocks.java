package io.berth.log;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

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

    /// Waits until that is done, well or not, so long at most. Whether it is.
    default boolean await(Future<?> it, long nanos) throws InterruptedException {
        try {
            it.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | CancellationException e) {
            // How it went, who waits asks.
        }
        return true;
    }

    /// Takes the lock once it is free, after so long at most. Whether it has it.
    default boolean lock(Lock lock, long nanos) throws InterruptedException {
        return lock.tryLock(nanos, TimeUnit.NANOSECONDS);
    }
}
