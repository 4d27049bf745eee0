package io.berth.submit;

import io.berth.contracts.JobId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.forecast.Forecast;
import io.berth.core.placement.Placement;
import io.berth.core.placement.QueueStatus;
import io.berth.core.placement.Verdict;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The engine beside the picture, on the same records, to be asked why a job waits. It decides
/// nothing. Ended jobs are left out.
///
/// One thread replays into it, others ask: each waits for the other, for a few milliseconds.
final class Mirror {

    private static final Logger LOG = LoggerFactory.getLogger(Mirror.class);

    /// What a placement that only takes notice keeps of each fact; then it is made anew.
    private static final int NOTED_AT_MOST = 100_000;

    private final CellState state = new CellState();
    private Placement placement = new Placement(state, Settings.DEFAULT);
    private int noted;

    /// Whether a record did not fit what was read before. Answers from a wrong state help nobody.
    private boolean broken;

    void job(JobStatus status) {
        replay(
                status.state().terminal() && status.run() == null
                        ? new Fact.JobForgotten(status.job())
                        : new Fact.JobChanged(status));
    }

    void jobForgotten(JobId job) {
        replay(new Fact.JobForgotten(job));
    }

    void node(NodeStatus status) {
        replay(new Fact.NodeChanged(status));
    }

    void configuration(Configuration configuration) {
        replay(new Fact.ConfigurationTaken(configuration));
    }

    void fairShares(FairShares shares) {
        replay(new Fact.FairSharesTaken(shares));
    }

    private synchronized void replay(Fact fact) {
        if (broken) {
            return;
        }
        try {
            state.replay(fact);
            if (noted < NOTED_AT_MOST) {
                placement.note(fact);
                noted++;
            } else {
                placement = new Placement(state, Settings.DEFAULT);
                noted = 0;
            }
        } catch (RuntimeException e) {
            broken = true;
            LOG.atWarn().setCause(e).log("Jobs are explained without the engine from now on");
        }
    }

    /// How accounts stand as queues; empty if the state is not known.
    synchronized Optional<QueueStatus.All> queues() {
        return broken ? Optional.empty() : Optional.of(QueueStatus.of(state));
    }

    /// What would be from now on; empty if the state is not known.
    synchronized Optional<Forecast> forecast(long now) {
        return broken ? Optional.empty() : Optional.of(new Forecast(state, Settings.DEFAULT, now));
    }

    /// Why a job that waits for resources does not start now; empty for another.
    synchronized Optional<Verdict> explain(JobId job, long now) {
        return broken ? Optional.empty() : placement.explain(job, now);
    }
}
