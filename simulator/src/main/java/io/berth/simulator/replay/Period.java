package io.berth.simulator.replay;

import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.core.replay.DecisionDigest;
import io.berth.core.replay.Replay;
import io.berth.core.replay.RoundAssembler;
import io.berth.core.replay.RoundAssembler.Round;
import io.berth.core.replay.SnapshotAssembler;
import io.berth.core.replay.SnapshotAssembler.Snapshot;
import io.berth.core.state.Fact;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The rounds of a time in a cell's life, done again from the last snapshot before it.
///
/// @param from epoch milliseconds; rounds before it are done again to get there, and not shown
/// @param to epoch milliseconds, not in it
public record Period(RecordedCell cell, long from, long to) {

    /// A round that was done again.
    ///
    /// @param now what is decided now
    /// @param same whether it is the same as then, to the digest
    /// @param replay the cell after it
    public record Again(Round round, List<Fact> now, boolean same, Replay replay) {

        /// One line on a round that is not the same.
        public String difference() {
            return "round %d decides otherwise now (written by placement %s, this is edition %d)"
                    .formatted(round.decided().round(), round.decided().version(), Replay.EDITION);
        }
    }

    /// Sees each round of the time.
    @FunctionalInterface
    public interface Viewer {
        /// @return false has seen enough
        boolean see(Again again);
    }

    /// The last snapshot before the time, else the first one in it.
    ///
    /// @throws Unreadable if a newer version wrote it, or a round
    public Optional<Snapshot> snapshot() {
        var whole = new SnapshotAssembler();
        var best = new @Nullable Snapshot[1];
        cell.snapshots(event -> {
            Snapshot next = next(whole, event);
            if (next != null && (best[0] == null || next.at() <= from)) {
                best[0] = next;
            }
        });
        return Optional.ofNullable(best[0]);
    }

    /// Does the rounds after the snapshot again, until a round is missing or the viewer has enough.
    ///
    /// @return why not all could be done
    public Optional<String> replay(Snapshot snapshot, Viewer viewer) {
        var rerun = new Rerun(snapshot, viewer);
        cell.rounds(rerun);
        return Optional.ofNullable(rerun.gap);
    }

    /// As [#replay], and goes on with the rounds that come.
    ///
    /// @param pause see [RecordedCell#follow]
    public Optional<String> follow(Snapshot snapshot, Viewer viewer, BooleanSupplier pause) {
        var rerun = new Rerun(snapshot, viewer);
        cell.follow(rerun, pause);
        return Optional.ofNullable(rerun.gap);
    }

    /// Does one round after the other; false when a round is missing or the viewer has enough.
    private final class Rerun implements Predicate<RoundEvent> {

        private final Viewer viewer;
        private final RoundAssembler rounds = new RoundAssembler();
        private final Replay replay;
        private long last;
        private @Nullable String gap;

        Rerun(Snapshot snapshot, Viewer viewer) {
            this.viewer = viewer;
            this.replay = new Replay(snapshot.state());
            this.last = snapshot.round();
        }

        @Override
        public boolean test(RoundEvent event) {
            Round round = next(rounds, event);
            if (round == null || round.decided().round() <= last) {
                return true;
            }
            if (round.decided().at() >= to) {
                return false;
            }
            if (round.decided().round() != last + 1) {
                gap =
                        "round %d is missing: the log goes on with round %d"
                                .formatted(last + 1, round.decided().round());
                return false;
            }
            last = round.decided().round();
            List<Fact> now = replay.round(round.inputs(), round.decided());
            boolean same = DecisionDigest.of(now).equals(round.decided().digest());
            return (same && round.decided().at() < from)
                    || viewer.see(new Again(round, now, same, replay));
        }
    }

    private static @Nullable Round next(RoundAssembler rounds, RoundEvent event) {
        try {
            return rounds.add(event).orElse(null);
        } catch (UnknownEventType | CorruptEvent | IllegalArgumentException e) {
            throw new Unreadable("round " + event.round(), e);
        }
    }

    private static @Nullable Snapshot next(SnapshotAssembler whole, SnapshotEvent event) {
        try {
            return whole.add(event).orElse(null);
        } catch (UnknownEventType | CorruptEvent | IllegalArgumentException e) {
            throw new Unreadable("the snapshot of round " + event.round(), e);
        }
    }

    /// A record that this version does not understand.
    public static final class Unreadable extends RuntimeException {
        Unreadable(String what, Exception cause) {
            super(what + " is not understood: " + cause.getMessage(), cause);
        }
    }
}
