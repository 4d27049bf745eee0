package io.berth.agent;

import io.berth.agent.RunOrders.Suspending;
import io.berth.agent.group.Group;
import io.berth.agent.group.Signals;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether a part's task stands still, as it is asked to. Confined to the part's thread.
///
/// Programs that handle TSTP get it first, and have the order's grace for what they do then; nobody
/// waits for the others. All are told CONT when they may go on.
final class Standing {

    /// How it stands, kept for an agent that takes over.
    ///
    /// @param nth the last suspension
    /// @param frozen whether it stands still
    /// @param since when that began, or was begun, in milliseconds since boot; 0 if it was not
    /// @param millis how long the suspensions that are over lasted
    record Stood(int nth, boolean frozen, long since, long millis) {
        static final String NAME = "stood";

        static final Stood NEVER = new Stood(0, false, 0, 0);

        static Stood in(RunFiles files) throws IOException {
            return files.kept(NAME, Stood.class).orElse(NEVER);
        }
    }

    /// Who is told of it.
    interface Reports {
        void suspended(int nth);

        void notSuspended(int nth, String why);
    }

    private final RunFiles files;
    private final Group group;
    private final RunOrders orders;
    private final Reports reports;
    private Stood stood;
    private @Nullable Suspending noted;
    private @Nullable Suspending answered;

    /// Goes on from where an earlier agent left it.
    Standing(RunFiles files, Group group, RunOrders orders, Reports reports) throws IOException {
        this.files = files;
        this.group = group;
        this.orders = orders;
        this.reports = reports;
        this.stood = Stood.in(files);
        if (stood.frozen()) {
            answered = new Suspending(0, stood.nth(), stood.since());
            orders.suspendUnlessAsked(answered);
        } else if (stood.since() != 0) {
            Signals.resume(group);
            keep(new Stood(stood.nth(), false, 0, stood.millis()));
        }
    }

    /// Does what is asked. Whether the task stands still then.
    boolean follow() throws IOException {
        Suspending asked = orders.suspending().orElse(null);
        if (asked == null) {
            if (stood.frozen()) {
                goOn();
            }
            return false;
        }
        if (!stood.frozen() && !ready(asked)) {
            return false;
        }
        if (!stood.frozen() && !freeze(asked)) {
            return false;
        }
        if (!asked.equals(answered)) {
            answered = asked;
            reports.suspended(asked.nth());
        }
        return true;
    }

    /// How long it stood still in suspensions that are over, in milliseconds.
    long millis() {
        return stood.millis();
    }

    /// Until the grace of a suspension is over, in milliseconds since boot; `Long.MAX_VALUE`
    /// without one.
    long due() {
        Optional<Suspending> asked = orders.suspending();
        return stood.frozen() || asked.isEmpty() ? Long.MAX_VALUE : asked.get().freezeAt();
    }

    /// Whether nobody needs more time: who handles TSTP has had it.
    private boolean ready(Suspending asked) throws IOException {
        if (asked.equals(noted)) {
            return LiveProcess.uptimeMillis() >= asked.freezeAt();
        }
        noted = asked;
        return asked.freezeAt() <= LiveProcess.uptimeMillis() || !Signals.sendToHandlers(group);
    }

    private boolean freeze(Suspending asked) throws IOException {
        long now = LiveProcess.uptimeMillis();
        try {
            // First: of a task that stands still and is thought to run nobody would know.
            note(new Stood(asked.nth(), false, now, stood.millis()));
            group.suspend();
        } catch (IOException e) {
            Signals.resume(group);
            keep(new Stood(asked.nth(), false, 0, stood.millis()));
            orders.giveUp(asked);
            reports.notSuspended(asked.nth(), String.valueOf(e.getMessage()));
            return false;
        }
        keep(new Stood(asked.nth(), true, now, stood.millis()));
        return true;
    }

    /// What is kept comes second: a task that goes on and is thought to stand still is told again.
    private void goOn() throws IOException {
        Signals.resume(group);
        long millis = stood.millis() + LiveProcess.uptimeMillis() - stood.since();
        keep(new Stood(stood.nth(), false, 0, millis));
    }

    private void note(Stood now) throws IOException {
        stood = now;
        files.note(Stood.NAME, now);
    }

    private void keep(Stood now) {
        stood = now;
        files.tryNote(Stood.NAME, now);
    }
}
