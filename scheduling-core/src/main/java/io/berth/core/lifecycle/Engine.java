package io.berth.core.lifecycle;

import io.berth.contracts.event.Submission;
import io.berth.core.engine.DecisionFailed;
import io.berth.core.placement.Placement;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The engine of a cell: what comes in is decided one by one, then what falls due, then who starts.
/// Each decision only reads the state; its facts are replayed before the next.
///
/// Times are cell time in epoch milliseconds, given by the caller, and never go back.
public final class Engine {

    /// From placing a run of several nodes, or runs that start together, until all must be ready.
    public static final long READY_MILLIS = Deadlines.READY_MILLIS;

    private static final String ALL_DUE = "what is due";

    private Engine() {}

    /// The facts that follow from one input.
    public static List<Fact> decide(CellState state, Input input, long now) {
        return Reviews.followed(state, decided(state, input, now), now);
    }

    private static List<Fact> decided(CellState state, Input input, long now) {
        return switch (input) {
            case Input.Asked(var submission, long offset) -> asked(state, submission, offset, now);
            case Input.NodeAsked(var request) -> NodeControls.asked(state, request, now);
            case Input.RankingRead(var ranked) -> Intake.ranked(state, ranked);
            case Input.Reported(var report) -> Reports.reported(state, report, now);
            case Input.Registered(var seen) -> Registrations.registered(state, seen, now);
            case Input.PlacingFailed failed -> Controls.failed(state, failed, now);
            case Input.PresenceChanged(var node, var presence) ->
                    Registrations.presence(state, node, presence, now);
            case Input.Configured(var configuration) ->
                    List.of(new Fact.ConfigurationTaken(configuration));
            case Input.SharesRead(var shares) ->
                    shares.version() > state.fairShareVersion()
                            ? List.of(new Fact.FairSharesTaken(shares))
                            : List.of();
        };
    }

    private static List<Fact> asked(CellState state, Submission submission, long offset, long now) {
        return switch (submission) {
            case Submission.Submitted it -> Intake.submitted(state, it, offset, now);
            case Submission.CancelRequested it -> Intake.cancelled(state, it, now);
            case Submission.Held it -> Controls.held(state, it, now);
            case Submission.Released it -> Controls.released(state, it, now);
            case Submission.Amended it -> Controls.amended(state, it, now);
            case Submission.RequeueRequested it -> Controls.requeued(state, it, now);
            case Submission.SignalRequested it -> Controls.signalled(state, it);
            case Submission.SuspendRequested it -> Standstill.asked(state, it);
            case Submission.ResumeRequested it -> Standstill.asked(state, it, now);
        };
    }

    /// The facts that follow from time alone.
    public static List<Fact> due(CellState state, long now) {
        return due(
                state,
                now,
                failure -> {
                    throw failure;
                });
    }

    /// The same, without what cannot be decided, which is told.
    public static List<Fact> due(CellState state, long now, Consumer<DecisionFailed> failed) {
        var without = new TreeSet<String>();
        while (true) {
            try {
                return Reviews.followed(state, Deadlines.due(state, now, without), now);
            } catch (RuntimeException e) {
                DecisionFailed failure = DecisionFailed.on(ALL_DUE, e);
                failed.accept(failure);
                if (failure.subject().equals(ALL_DUE)) {
                    return List.of();
                }
                without.add(failure.subject());
            }
        }
    }

    /// When [#due] will next have something to say; `Long.MAX_VALUE` for never.
    public static long nextDue(CellState state, long now) {
        return Deadlines.next(state, now);
    }

    /// Who starts now, and when the others are expected to.
    ///
    /// @param placement of that state
    /// @throws DecisionFailed if it cannot be decided because of one job
    public static List<Fact> place(
            CellState state, Placement placement, long now, Placement.Pass pass) {
        if (!state.heldTwice().isEmpty()) {
            throw new IllegalStateException(
                    "place on " + state.heldTwice() + ": something there is held twice");
        }
        List<Fact> decided = placement.decide(now, pass, Preemptions::giveWay);
        try {
            return Reviews.followed(state, decided, now);
        } catch (RuntimeException e) {
            placement.drop();
            throw e;
        }
    }
}
