package io.berth.core.placement;

import io.berth.contracts.JobId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.core.engine.PassTally;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Decides which waiting jobs start now, where, and when the others are expected to start.
///
/// *Goals*, ranked: never hold a resource twice; keep the order of priority; keep everything busy.
///
/// *Constraints*: a job's nodes are in its partition, registered and heard from; each gives the job
/// its CPUs, memory and whole GPUs of one type; all of a job's nodes start together or none does;
/// no job moves the expected start of another one to a later time by starting before its turn.
///
/// *Method*: the engine's ([io.berth.core.engine.Scheduling]). This class tells it what the cell
/// is, and makes facts of what it decides.
///
/// It keeps the cell in the engine's terms from one decision to the next, so that a decision costs
/// what has changed and not what there is. That is a cache: everything that counts is in the state,
/// and one who has just been made decides the same. For it to hold, every fact must be both
/// replayed into the state and shown to [#note], those that `decide` gives too. If that is not
/// done, it must be dropped. After an error nothing is kept.
public final class Placement {

    /// How far a decision goes.
    public enum Pass {
        /// Starts what fits beside the plan.
        START,
        /// Puts the plan into the order of priority first.
        PLAN
    }

    /// Makes runs give way: ends them, or lets them stand still.
    @FunctionalInterface
    public interface GivingWay {
        void giveWay(Draft draft, JobEvent.Preempted victim);
    }

    /// A point of priority, in the unit of ranks.
    static final long POINT = 1_000_000;

    private final CellState state;
    private final Settings settings;
    private @Nullable ClusterModel model;
    private PassTally tally = PassTally.NONE;

    /// Jobs whose reason or expected start may not be what their status says.
    private final TreeSet<JobId> unsettled = new TreeSet<>();

    public Placement(CellState state, Settings settings) {
        this.state = state;
        this.settings = settings;
    }

    /// A waiting job's priority at that time, in millionths of a point: what an operator set, or
    /// its rank and its fair share.
    public static long priority(CellState state, JobStatus job, long now) {
        Long points = job.description().conditions().priority();
        if (points != null) {
            return points * POINT;
        }
        return job.rank().after(now - job.waitsSince())
                + state.fairShare(job.description().account(), job.description().user());
    }

    /// Takes notice of a fact that has been replayed into the state.
    public void note(Fact fact) {
        if (model == null) {
            return;
        }
        try {
            note(fact, model);
        } catch (RuntimeException e) {
            model = null;
            throw e;
        }
    }

    private void note(Fact fact, ClusterModel current) {
        switch (fact) {
            case Fact.JobChanged(var job) -> {
                if (current.covers(job)) {
                    current.note(job);
                    unsettled.add(job.job());
                } else {
                    model = null;
                }
            }
            case Fact.JobForgotten(var job) -> current.gone(job);
            case Fact.NodeChanged(var node) -> {
                if (!current.covers(node)) {
                    model = null;
                } else if (current.open(node)) {
                    unsettled.addAll(state.eligible());
                }
            }
            case Fact.ConfigurationTaken _ -> model = null;
            case Fact.FairSharesTaken(var shares) -> {
                if (!current.reshare(shares)) {
                    model = null;
                }
            }
            case Fact.RankKept _, Fact.Ordered _, Fact.Announced _ -> {}
        }
    }

    /// What was decided last does not count: nothing is kept of it.
    public void drop() {
        model = null;
    }

    /// The facts of one pass. Nothing starts before a configuration is in force.
    ///
    /// @throws io.berth.core.engine.DecisionFailed if it cannot be decided about a job
    public List<Fact> decide(long now, Pass pass, GivingWay givingWay) {
        Configuration configuration = state.configuration().orElse(null);
        if (configuration == null) {
            return List.of();
        }
        try {
            return decide(configuration, now, pass, givingWay);
        } catch (RuntimeException e) {
            model = null;
            throw e;
        }
    }

    private List<Fact> decide(
            Configuration configuration, long now, Pass pass, GivingWay givingWay) {
        ClusterModel current = model(configuration, now);
        var round = new Round(state, configuration, current, givingWay, now);
        if (pass == Pass.PLAN) {
            current.engine.planPass(now, round);
        } else {
            current.engine.startPass(now, round);
        }
        tally = current.engine.tally();
        List<Fact> facts = round.facts(unsettled);
        unsettled.clear();
        return facts;
    }

    /// What the last pass did.
    public PassTally tally() {
        return tally;
    }

    private ClusterModel model(Configuration configuration, long now) {
        ClusterModel current = model;
        if (current == null || current.overgrown() || current.outdated(now)) {
            current = new ClusterModel(state, configuration, settings, now);
            model = current;
            unsettled.clear();
            unsettled.addAll(state.eligible());
        }
        current.learn();
        unsettled.addAll(current.at(now));
        return current;
    }

    /// Why a job that waits for resources does not start now; empty for another.
    public Optional<Verdict> explain(JobId id, long now) {
        JobStatus job = state.job(id).orElse(null);
        Configuration configuration = state.configuration().orElse(null);
        if (job == null || configuration == null || !job.eligible()) {
            return Optional.empty();
        }
        ClusterModel current = model(configuration, now);
        return Optional.of(
                new Explaining(state, configuration, current, current.toExplain(job), now)
                        .verdict());
    }

    /// The next time at which a job is expected to start, or takes nodes that it did not want
    /// before; `Long.MAX_VALUE` if there is none.
    public long next(long now) {
        return model == null ? Long.MAX_VALUE : model.next(now);
    }

    /// Whether the order of priority asks for a [Pass#PLAN].
    public boolean stale() {
        return model != null && model.engine.stale();
    }
}
