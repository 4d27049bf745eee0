package io.berth.standalone.mesh;

import io.berth.standalone.mesh.MeshStatus.State;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A part of the mesh that is a process, and is started again when it dies or is beyond repair.
///
/// All calls but [#kill] come from one thread, which lives as long as the processes. Times are
/// readings of one clock that never goes back.
final class Child {

    private static final Duration EAGER = Duration.ofMillis(200);
    private static final Duration CALM = Duration.ofSeconds(5);

    /// A service may say that it is broken for so long before it is killed.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// How a part ends that does not start with its settings. The second time it would not the next
    /// one either; the first time one before it may still have been about to end.
    private static final String REFUSED = "exit 2";

    /// What stays the same over all of a part's processes.
    ///
    /// @param grace how long one may take to end when it is asked to
    record Role(String name, int port, Path log, Duration grace) {}

    private final Role role;
    private final Running.Start start;
    private final Health.Probe probe;

    private State state = State.STOPPED;
    private volatile @Nullable Running process;
    private Duration startedAt = Duration.ZERO;
    private Duration startAt = Duration.ZERO;
    private Duration probeAt = Duration.ZERO;
    private Runnable ended = () -> {};
    private @Nullable Duration brokenSince;
    private Backoff backoff = Backoff.NONE;
    private int restarts;
    private @Nullable String note;

    Child(Role role, Running.Start start, Health.Probe probe) {
        this.role = role;
        this.start = start;
        this.probe = probe;
    }

    Role role() {
        return role;
    }

    State state() {
        return state;
    }

    /// Has that done, by any thread, when a process of this part has ended.
    void whenEnded(Runnable then) {
        ended = then;
    }

    void start(Duration now) {
        spawn(now);
    }

    /// When [#tick] has something to do, if the process does not end before.
    Duration due() {
        return process == null ? startAt : probeAt;
    }

    /// Looks at the process and does what is due.
    void tick(Duration now) {
        if (state == State.STOPPED) {
            return;
        }
        Running current = process;
        if (current == null) {
            if (now.compareTo(startAt) >= 0) {
                restarts++;
                spawn(now);
            }
        } else if (!current.isAlive()) {
            died(current.end(), now);
        } else if (now.compareTo(probeAt) >= 0) {
            heard(probe.ask(), current, now);
        }
    }

    MeshStatus.Part status() {
        Running current = process;
        return new MeshStatus.Part(
                role.name(),
                state,
                current == null ? null : current.pid(),
                role.port(),
                restarts,
                note,
                null);
    }

    /// Asks the process to end; [#awaitStopped] waits for that.
    void stop() {
        state = State.STOPPED;
        if (process != null) {
            process.stop();
        }
    }

    /// Waits until the stopped process has ended, and kills it if it does not in time. Whether it
    /// ended by itself.
    boolean awaitStopped() throws InterruptedException {
        Running current = process;
        if (current == null) {
            return true;
        }
        boolean orderly = current.awaitEnd(role.grace());
        if (!orderly) {
            current.kill();
            current.awaitEnd(role.grace());
        }
        process = null;
        return orderly;
    }

    /// Ends the process that there is, if any, without asking it.
    void kill() {
        Running current = process;
        if (current != null) {
            current.kill();
        }
    }

    private void spawn(Duration now) {
        state = backoff.isCrashLoop() ? State.CRASH_LOOP : State.STARTING;
        startedAt = now;
        probeAt = now;
        brokenSince = null;
        try {
            Running started = start.start();
            process = started;
            started.whenEnded(ended);
        } catch (IOException e) {
            died(String.valueOf(e.getMessage()), now);
        }
    }

    private void died(String how, Duration now) {
        process = null;
        boolean refused = how.equals(REFUSED) && backoff.deaths() > 0;
        backoff = refused ? Backoff.LOOPING : backoff.afterDeath(now.minus(startedAt));
        startAt = now.plus(backoff.delay());
        state = backoff.isCrashLoop() ? State.CRASH_LOOP : State.RESTARTING;
        note =
                refused
                        ? "it refuses its settings, see " + role.log()
                        : "%s, death %d in a row, see %s"
                                .formatted(how, backoff.deaths(), role.log());
    }

    private void heard(Health health, Running current, Duration now) {
        switch (health) {
            case READY -> {
                state = State.READY;
                brokenSince = null;
                note = null;
            }
            case NOT_READY -> {
                state = state == State.READY ? State.NOT_READY : state;
                brokenSince = null;
            }
            case BROKEN -> {
                state = state == State.READY ? State.NOT_READY : state;
                Duration since = brokenSince == null ? now : brokenSince;
                brokenSince = since;
                if (now.minus(since).compareTo(PATIENCE) >= 0) {
                    current.kill();
                }
            }
        }
        probeAt = state == State.READY ? nextCalm(now) : now.plus(EAGER);
    }

    /// The same moments for all parts: whoever asks them wakes up once for all.
    private static Duration nextCalm(Duration now) {
        return CALM.multipliedBy(now.dividedBy(CALM) + 1);
    }
}
