package io.berth.agent;

import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What is reported of a run's part on a node.
record RunReports(RunId run, NodeName node, Outbox outbox)
        implements Standing.Reports, GpuUse.Told {

    private static final Logger LOG = LoggerFactory.getLogger(RunReports.class);

    void ready() {
        outbox.add((epoch, n) -> new RunReport.Ready(run, node, epoch, n), () -> {});
    }

    /// @param enforced what limits it to its part of a GPU; null if it holds no part
    void started(Collection<Isolation> isolation, @Nullable Enforcement enforced) {
        List<Isolation> verified = isolation.stream().sorted().toList();
        outbox.add(
                (epoch, n) -> new RunReport.Started(run, node, epoch, n, verified, enforced),
                () -> {});
    }

    /// @param at when the script had saved its work, in epoch milliseconds
    void saved(long at) {
        outbox.add(
                (epoch, n) ->
                        new RunReport.CheckpointSaved(
                                run, node, epoch, n, Math.max(0, System.currentTimeMillis() - at)),
                () -> {});
    }

    @Override
    public void underused(int percent, long seconds) {
        outbox.add(
                (epoch, n) -> new RunReport.GpusUnderused(run, node, epoch, n, percent, seconds),
                () -> {});
    }

    @Override
    public void usedAgain() {
        outbox.add((epoch, n) -> new RunReport.GpusUsedAgain(run, node, epoch, n), () -> {});
    }

    @Override
    public void suspended(int nth) {
        outbox.add((epoch, n) -> new RunReport.Suspended(run, node, epoch, n, nth), () -> {});
    }

    @Override
    public void notSuspended(int nth, String why) {
        LOG.atWarn().addKeyValue("run", run).addKeyValue("why", why).log("Run not suspended");
        outbox.add(
                (epoch, n) -> new RunReport.NotSuspended(run, node, epoch, n, nth, why), () -> {});
    }

    /// @param leaves whether the agent shuts down: another one tells as lost what this one ended
    /// @param written called when it stands in the log
    void ended(RunEnd end, boolean leaves, Runnable written) {
        Cause cause =
                end.cause() == Cause.AGENT_SHUTDOWN && !leaves ? Cause.STATUS_LOST : end.cause();
        outbox.add(
                (epoch, n) ->
                        new RunReport.Ended(
                                        run,
                                        node,
                                        epoch,
                                        n,
                                        cause,
                                        end.exit(),
                                        end.usage(),
                                        end.message())
                                .with(end.steps())
                                .draining(end.drain()),
                written);
    }
}
