package io.berth.submit;

import io.berth.log.Clocks;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;

/// A moment on a monotonic clock by which an answer is due.
public record Deadline(long nanoTime, Clocks clocks) {
    public static Deadline in(Duration limit) {
        return in(limit, Clocks.SYSTEM);
    }

    public static Deadline in(Duration limit, Clocks clocks) {
        return new Deadline(clocks.nanos() + limit.toNanos(), clocks);
    }

    /// What is left; never negative.
    public Duration left() {
        return Duration.ofNanos(Math.max(0, nanoTime - clocks.nanos()));
    }

    public boolean passed() {
        return nanoTime - clocks.nanos() <= 0;
    }

    /// What that comes to.
    ///
    /// @throws Unavailable with these words if it fails, or comes to nothing in time
    public <T> T get(Future<T> it, String otherwise) {
        try {
            if (clocks.await(it, left().toNanos())) {
                return it.get();
            }
            throw new Unavailable(otherwise);
        } catch (ExecutionException e) {
            throw new Unavailable(otherwise, e);
        } catch (InterruptedException e) {
            throw stopping(e);
        }
    }

    /// Takes the lock.
    ///
    /// @throws Unavailable with these words if it is not free in time
    public void lock(Lock lock, String otherwise) {
        try {
            if (!clocks.lock(lock, left().toNanos())) {
                throw new Unavailable(otherwise);
            }
        } catch (InterruptedException e) {
            throw stopping(e);
        }
    }

    private static Unavailable stopping(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new Unavailable("the gateway is stopping", e);
    }
}
