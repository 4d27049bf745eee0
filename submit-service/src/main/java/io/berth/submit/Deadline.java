package io.berth.submit;

import java.time.Duration;

/// A moment on this process's monotonic clock by which an answer is due.
public record Deadline(long nanoTime) {
    public static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    /// What is left; never negative.
    public Duration left() {
        return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
    }

    public boolean passed() {
        return nanoTime - System.nanoTime() <= 0;
    }
}
