package io.berth.agent;

import io.berth.agent.RunOrders.Stopping;
import io.berth.agent.group.Group;
import io.berth.agent.group.Groups;
import io.berth.agent.group.Signals;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.Hooks;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.StepLog;
import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Taking up the runs that an earlier agent of the node left in the spool.
record Adoption(NodeName node, String bootId, Groups groups, Hooks hooks) {

    private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);

    /// The order of the run in that folder, if it is to be gone on with. A run whose code cannot
    /// have begun is cleared away: placement orders it again, unless the epilog fails, after which
    /// the node must have no more work.
    Optional<Launch> of(RunFiles files) throws IOException {
        Spool.Intent intent = intent(files);
        if (intent == null) {
            if (files.has(Spool.Intent.NAME)) {
                var unused = emptied(files, named(files));
            }
            files.remove();
            return Optional.empty();
        }
        RunId run = intent.launch().run();
        boolean sameBoot = intent.bootId().equals(bootId);
        boolean ended = files.has(RunEnd.NAME);
        if (!ended && !files.has(sameBoot ? RunPart.Verified.NAME : RunPart.Begun.NAME)) {
            Optional<String> unwell = emptied(files, run);
            if (unwell.isEmpty()) {
                files.remove();
                return Optional.empty();
            }
            files.keep(
                    RunEnd.NAME,
                    RunEnd.unstarted(
                                    Cause.STATUS_LOST,
                                    "the agent was started anew before the script began")
                            .draining(unwell.get()));
        } else if (!ended && !sameBoot) {
            RunEnd end = afterReboot(files);
            files.keep(
                    RunEnd.NAME,
                    end.with(StepLog.read(files, RunPart.Begun.NAME, intent.launch().here())));
        }
        LOG.atInfo().addKeyValue("run", run).addKeyValue("node", node).log("Run adopted");
        return Optional.of(intent.launch());
    }

    /// Nothing where there is none, or only a part: the power was cut before it was on the disk,
    /// and so before the code could begin.
    private static Spool.@Nullable Intent intent(RunFiles files) throws IOException {
        try {
            return files.kept(Spool.Intent.NAME, Spool.Intent.class).orElse(null);
        } catch (IOException e) {
            if (files.has(RunPart.Verified.NAME) || files.has(RunPart.Begun.NAME)) {
                throw e;
            }
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Order not read");
            return null;
        }
    }

    /// The run after which a folder is named.
    private static RunId named(RunFiles files) {
        String[] parts = files.run().split("\\.");
        return new RunId(new JobId(Long.parseLong(parts[0])), Integer.parseInt(parts[1]));
    }

    /// Ends what there is of a run.
    ///
    /// @return how the epilog failed, if it did
    private Optional<String> emptied(RunFiles files, RunId run) throws IOException {
        files.shim()
                .filter(LiveProcess::alive)
                .flatMap(shim -> ProcessHandle.of(shim.pid()))
                .ifPresent(ProcessHandle::destroyForcibly);
        Group group = groups.find(node, run);
        try {
            Emptying.untilEmpty(group, run);
            Emptying.untilRemoved(group, run);
            return hooks.after(files);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static RunEnd afterReboot(RunFiles files) throws IOException {
        Optional<ExitStatus> exit = files.exit();
        if (exit.isPresent() && files.has(RunFiles.FENCED)) {
            return RunEnd.unstarted(Cause.STATUS_LOST, "the node was cut off");
        }
        return exit.filter(it -> files.has(Stopping.NAME) || !wentDown(it))
                .map(it -> new RunEnd(Cause.EXITED, it, Consumption.NONE, null))
                .orElseGet(() -> RunEnd.unstarted(Cause.STATUS_LOST, "the node was rebooted"));
    }

    /// Whether the script may have gone down with the machine, which sends all that runs TERM, and
    /// then KILL.
    private static boolean wentDown(ExitStatus exit) {
        return exit.signal() == Signals.TERM || exit.signal() == Signals.KILL;
    }
}
