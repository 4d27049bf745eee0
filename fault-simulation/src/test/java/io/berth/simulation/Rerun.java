package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.Recorded;
import io.berth.contracts.event.RoundEvent.Decided;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.replay.DecisionDigest;
import io.berth.core.replay.Recordings;
import io.berth.core.replay.Replay;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A cell's rounds done again from what is kept of them, from a snapshot at some round on: each
/// must decide the same.
final class Rerun {

    private final int first;
    private final Recordings recordings = new Recordings();
    private @Nullable Replay replay;
    private int before;
    private int rounds;

    /// @param first the round before which the snapshot is taken, from 0
    Rerun(int first) {
        this.first = first;
    }

    void before(CellState state) {
        if (before++ == first) {
            replay = new Replay(kept(state));
        }
    }

    void after(List<Input> inputs, long now, Pass pass, List<Fact> facts) {
        if (replay == null) {
            return;
        }
        String digest = DecisionDigest.of(facts);
        var decided =
                new Decided(
                        0,
                        rounds++,
                        now,
                        inputs.size(),
                        pass.name(),
                        Settings.DEFAULT.backfill().name(),
                        Settings.DEFAULT.depth(),
                        "test",
                        digest);
        List<Fact> again = replay.round(kept(inputs), decided);
        assertThat(DecisionDigest.of(again)).isEqualTo(decided.digest());
        assertThat(again).isEqualTo(facts);
    }

    private List<Input> kept(List<Input> inputs) {
        var kept = new ArrayList<Input>();
        for (Input input : inputs) {
            for (Recorded recorded : Recordings.of(input)) {
                read(() -> recordings.input(recorded).ifPresent(kept::add));
            }
        }
        assertThat(kept).isEqualTo(inputs);
        return kept;
    }

    private static CellState kept(CellState state) {
        var kept = new CellState();
        var parts = new Recordings();
        for (Fact fact : state.facts()) {
            for (Recorded recorded : Recordings.of(fact)) {
                read(() -> parts.fact(recorded).ifPresent(kept::replay));
            }
        }
        kept.seenUpTo(state.highestJob());
        return kept;
    }

    private interface Reading {
        void run() throws UnknownEventType, CorruptEvent;
    }

    private static void read(Reading reading) {
        try {
            reading.run();
        } catch (UnknownEventType | CorruptEvent e) {
            throw new AssertionError(e);
        }
    }
}
