package io.berth.core.lifecycle;

import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.placement.Placement;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.List;

/// The engine of a cell: what comes in is decided one by one, then what falls due, then who starts.
/// Each decision only reads the state; its facts are replayed before the next.
///
/// Times are cell time in epoch milliseconds, given by the caller, and never go back.
public final class Engine {

    private Engine() {}

    /// The facts that follow from one input.
    public static List<Fact> decide(CellState state, Input input, long now) {
        return switch (input) {
            case Input.Asked(Submitted submitted, long offset) ->
                    Intake.submitted(state, submitted, offset, now);
            case Input.Asked(CancelRequested request, _) -> Intake.cancelled(state, request, now);
            case Input.RankingRead(var ranked) -> Intake.ranked(state, ranked);
            case Input.Reported(var report) -> Reports.reported(state, report, now);
            case Input.Registered(var seen) -> Registrations.registered(state, seen, now);
            case Input.PresenceChanged(var node, var presence) ->
                    Registrations.presence(state, node, presence);
            case Input.Configured(var configuration) ->
                    List.of(new Fact.ConfigurationTaken(configuration));
            case Input.SharesRead(var shares) ->
                    shares.version() > state.fairShareVersion()
                            ? List.of(new Fact.FairSharesTaken(shares))
                            : List.of();
        };
    }

    /// The facts that follow from time alone.
    public static List<Fact> due(CellState state, long now) {
        return Deadlines.due(state, now);
    }

    /// When [#due] will next have something to say; `Long.MAX_VALUE` for never.
    public static long nextDue(CellState state) {
        return Deadlines.next(state);
    }

    /// Who starts now, by the state alone.
    public static List<Fact> place(CellState state, long now) {
        return Placement.decide(state, now);
    }

    /// Who starts now, and when the others are expected to.
    public static List<Fact> place(Placement placement, long now, Placement.Pass pass) {
        return placement.decide(now, pass);
    }
}
