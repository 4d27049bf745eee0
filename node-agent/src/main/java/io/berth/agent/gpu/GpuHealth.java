package io.berth.agent.gpu;

import io.berth.contracts.Hardware.Health;
import java.time.Duration;

/// The state of one GPU on the way out of service and back.
///
/// ```
/// HEALTHY ── transient ──▶ SUSPECT ── quiet for a while ──▶ HEALTHY
///    │                        │
///    └──── fatal ──┬── third transient
///                  ▼
///               DRAINED ── empty, and time has passed ──▶ TESTING ── passed ──▶ HEALTHY
///                  ▲                                        │
///                  └──────────── failed: twice the time ────┘
/// ```
///
/// LOST is DRAINED for a GPU that does not answer.
///
/// @param reason why it is not healthy; empty if it is
/// @param due when it moves on by itself, in milliseconds of the agent's clock
/// @param strikes transient errors that it has had since it was last healthy
/// @param patience how long it stays aside before the next test
public record GpuHealth(Health state, String reason, long due, int strikes, Duration patience) {

    /// How long a suspect must be quiet.
    static final Duration QUIET = Duration.ofMinutes(10);

    static final int MAX_STRIKES = 3;
    static final Duration MAX_PATIENCE = Duration.ofHours(1);

    /// @param patience before a GPU that was put aside is tested for the first time
    public static GpuHealth healthy(Duration patience) {
        return new GpuHealth(Health.HEALTHY, "", 0, 0, patience);
    }

    /// Whether jobs may have it.
    public boolean usable() {
        return state == Health.HEALTHY || state == Health.SUSPECT;
    }

    /// After an error.
    public GpuHealth after(GpuError error, long now) {
        return switch (error.severity()) {
            case APPLICATION -> this;
            case FATAL ->
                    state == Health.LOST ? this : aside(Health.DRAINED, error.toString(), now);
            case TRANSIENT -> suspect(error, now);
        };
    }

    /// After it did not answer.
    public GpuHealth lost(String why, long now) {
        return state == Health.LOST ? this : aside(Health.LOST, why, now);
    }

    /// After it was found to need a reset.
    public GpuHealth drained(String why, long now) {
        return aside(Health.DRAINED, why, now);
    }

    /// As time passes.
    ///
    /// @param empty whether no run holds it and no process is on it
    public GpuHealth at(long now, boolean empty) {
        if (now < due) {
            return this;
        }
        return switch (state) {
            case HEALTHY, TESTING -> this;
            case SUSPECT -> healthy(patience);
            case DRAINED, LOST ->
                    empty ? new GpuHealth(Health.TESTING, reason, due, 0, patience) : this;
        };
    }

    /// After a test that it passed.
    ///
    /// @param patience before the first test of the next time
    public GpuHealth passed(Duration patience) {
        return healthy(patience);
    }

    /// After a test that it failed.
    public GpuHealth failed(String why, long now) {
        Duration longer = patience.multipliedBy(2);
        Duration next = longer.compareTo(MAX_PATIENCE) > 0 ? MAX_PATIENCE : longer;
        return new GpuHealth(Health.DRAINED, why, now + next.toMillis(), 0, next);
    }

    private GpuHealth suspect(GpuError error, long now) {
        if (!usable()) {
            return this;
        }
        if (strikes + 1 >= MAX_STRIKES) {
            return aside(Health.DRAINED, error + ", " + MAX_STRIKES + " times", now);
        }
        return new GpuHealth(
                Health.SUSPECT, error.toString(), now + QUIET.toMillis(), strikes + 1, patience);
    }

    private GpuHealth aside(Health aside, String why, long now) {
        return new GpuHealth(aside, why, now + patience.toMillis(), 0, patience);
    }
}
