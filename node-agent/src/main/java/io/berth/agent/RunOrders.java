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
    /// @param notice null if TERM comes at once
    record Stopping(Cause cause, long killAt, @Nullable Notice notice) {
        static final String NAME = "stopping";

        /// Both wishes: the first gives the cause, the shorter grace counts, and notice is only
        /// given if both would.
        Stopping and(Stopping other) {
            Notice earlier =
                    notice == null || other.notice == null
                            ? null
                            : notice.termAt() <= other.notice.termAt() ? notice : other.notice;
            return new Stopping(cause, Math.min(killAt, other.killAt), earlier);
        }
    }

    /// The part is told before TERM comes.
    ///
    /// @param reason why it ends: PREEMPTED
    /// @param termAt when TERM comes to all of it, in milliseconds since boot
    /// @param deadline when KILL comes, in epoch seconds
    record Notice(String reason, long termAt, long deadline) {}

    /// The part shall stand still.
    ///
    /// @param number of the wish; each order makes another one
    /// @param nth which suspension of the run it is
    /// @param freezeAt when those that handle TSTP have had their time, in milliseconds since boot
    record Suspending(int number, int nth, long freezeAt) {}

    /// How long before KILL the TERM comes that follows a notice.
    private static final Duration LAST_WORD = Duration.ofSeconds(2);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean released;
    private boolean touched;
    private @Nullable Stopping stopping;
    private @Nullable Suspending suspending;
    private int suspensions;

    void go() {
        locked(() -> released = true);
    }

    /// Of several calls the first gives the cause; the shortest grace counts.
    void stop(Cause cause, Duration grace) {
        stop(new Stopping(cause, LiveProcess.uptimeMillis() + grace.toMillis(), null));
    }

    /// As [#stop(Cause, Duration)], with notice until shortly before the end of the grace.
    void stopWithNotice(Cause cause, Duration grace, String reason) {
        long killAt = LiveProcess.uptimeMillis() + grace.toMillis();
        long last = Math.min(LAST_WORD.toMillis(), grace.toMillis() / 2);
        long deadline = System.currentTimeMillis() / 1000 + grace.toSeconds();
        stop(new Stopping(cause, killAt, new Notice(reason, killAt - last, deadline)));
    }

    void stop(Stopping wish) {
        locked(() -> stopping = stopping == null ? wish : stopping.and(wish));
    }

    void suspend(int nth, Duration grace) {
        long freezeAt = LiveProcess.uptimeMillis() + grace.toMillis();
        locked(() -> suspending = new Suspending(++suspensions, nth, freezeAt));
    }

    /// As an earlier agent left it, if nothing was asked since.
    void suspendUnlessAsked(Suspending wish) {
        locked(() -> suspending = suspending == null ? wish : suspending);
    }

    void resume() {
        locked(() -> suspending = null);
    }

    /// That wish cannot be fulfilled; a later one may be.
    void giveUp(Suspending wish) {
        locked(() -> suspending = wish.equals(suspending) ? null : suspending);
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

    Optional<Suspending> suspending() {
        lock.lock();
        try {
            return Optional.ofNullable(suspending);
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
