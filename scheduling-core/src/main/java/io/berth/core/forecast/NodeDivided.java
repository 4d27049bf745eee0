package io.berth.core.forecast;

import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.mig.Divided;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.List;

/// The registration of a node whose GPUs have become what was ordered.
final class NodeDivided {

    private NodeDivided() {}

    static NodeSeen seen(CellState state, NodeStatus node) {
        NodeSeen seen = node.seen();
        String mark = Long.toString(node.epoch());
        Inventory inventory = seen.inventory();
        for (Division division : node.divisions()) {
            List<MigPlacement> wanted = division.wanted();
            if (wanted != null && inventory.migGpu(division.gpu()).isPresent()) {
                inventory = Divided.inventory(inventory, division.gpu(), wanted, mark);
            }
        }
        return new NodeSeen(
                seen.node(),
                seen.nonce() + "-" + mark,
                seen.machineId(),
                seen.bootId(),
                seen.agentVersion(),
                inventory,
                held(state, node),
                seen.reportsEnd(),
                seen.fenceSeconds());
    }

    /// The node has all that it should have.
    private static List<HeldRun> held(CellState state, NodeStatus node) {
        var held = new ArrayList<HeldRun>();
        for (JobId job : state.jobsOn(node.node())) {
            Run run = state.knownJob(job).run();
            if (run != null) {
                var phase =
                        run.standstill().suspended()
                                ? HeldRun.Phase.SUSPENDED
                                : HeldRun.Phase.RUNNING;
                held.add(new HeldRun(new RunId(job, run.lease()), phase));
            }
        }
        return held;
    }
}
