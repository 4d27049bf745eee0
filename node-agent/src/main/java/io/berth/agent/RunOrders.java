package io.berth.agent;

import io.berth.agent.host.LiveProcess;
import io.berth.contracts.event.RunReport.Cause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What is asked of a run's part, by whom ever, and the place where the part waits for it.
final class RunOrders {

    /// The part shall end.
    ///
    /// @param killAt when TERM gives way to KILL, in milliseconds since boot
    record Stopping(Cause cause, long killAt) {
        static final String NAME = "stopping";
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean released;
    private boolean touched;
    private @Nullable Stopping stopping;

    void go() {
        locked(() -> released = true);
    }

    /// Of several calls the first gives the cause; the shortest grace counts.
    void stop(Cause cause, Duration grace) {
        stop(new Stopping(cause, LiveProcess.uptimeMillis() + grace.toMillis()));
    }

    void stop(Stopping wish) {
        locked(() -> {
            Stopping before = stopping;
            stopping =
                    before == null
                            ? wish
                            : new Stopping(
                                    before.cause(), Math.min(before.killAt(), wish.killAt()));
        });
    }

    /// Something in the run's folder has changed: look again.
    void touch() {
        locked(() -> {});
    }

    boolean released() {
        lock.lock();
        try {
            return released;
        } finally {
            lock.unlock();
        }
    }

    Optional<Stopping> stopping() {
        lock.lock();
        try {
            return Optional.ofNullable(stopping);
        } finally {
            lock.unlock();
        }
    }

    /// Waits until something changes, or has changed since the last wait; so long at most.
    void await(long millis) throws InterruptedException {
        lock.lock();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
            while (!touched && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            touched = false;
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            touched = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
