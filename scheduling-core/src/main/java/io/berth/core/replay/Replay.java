package io.berth.core.replay;

import io.berth.contracts.JobId;
import io.berth.contracts.event.RoundEvent.Decided;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.packing.Policies;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.placement.Verdict;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A cell that does its rounds again, from a snapshot on.
public final class Replay {

    /// What the same inputs lead to: whoever changes that raises it, so that one who does old
    /// rounds again can tell another engine from a changed log.
    public static final int EDITION = 58;

    private final CellState state;
    private @Nullable Settings settings;
    private @Nullable Placement placement;

    /// @param state as the snapshot has it; it changes with each round
    public Replay(CellState state) {
        this.state = state;
    }

    /// The cell after the last round.
    public CellState state() {
        return state;
    }

    /// How a round names who decided it: `1.0.0+7`, the release and the edition.
    public static String version(String release) {
        return release + "+" + EDITION;
    }

    /// The settings of that round.
    public static Settings settings(Decided decided) {
        return new Settings(
                Backfill.valueOf(decided.backfill()), decided.depth(), Policies.TIGHTEST);
    }

    /// Does the next round again: the same inputs at the same time.
    ///
    /// @return what is decided now; the same as then, if [DecisionDigest] is
    public List<Fact> round(List<Input> inputs, Decided decided) {
        long now = decided.at();
        Settings asThen = settings(decided);
        if (placement == null || !asThen.equals(settings)) {
            settings = asThen;
            placement = new Placement(state, asThen);
        }
        Placement current = placement;
        var facts = new ArrayList<Fact>();
        for (Input input : inputs) {
            replay(Engine.decide(state, input, now), current, facts);
        }
        replay(Engine.due(state, now, _ -> {}), current, facts);
        if (decided.pass() != null) {
            Pass pass = Pass.valueOf(decided.pass());
            replay(Engine.place(state, current, now, pass), current, facts);
        }
        return facts;
    }

    /// Why a job that waits for resources does not start, after the last round; empty for another.
    public Optional<Verdict> explain(JobId job, long at) {
        return placement == null ? Optional.empty() : placement.explain(job, at);
    }

    private void replay(List<Fact> decided, Placement current, List<Fact> facts) {
        for (Fact fact : decided) {
            state.replay(fact);
            try {
                current.note(fact);
            } catch (RuntimeException e) {
                // It keeps nothing then, and decides the same.
                continue;
            }
        }
        facts.addAll(decided);
    }
}
