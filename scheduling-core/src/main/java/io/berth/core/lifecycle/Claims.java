package io.berth.core.lifecycle;

import io.berth.contracts.Gpu;
import io.berth.contracts.Gres;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobStatus.Part.Phase;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.core.state.CellState;
import java.util.HashSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Who may have a node's name.
final class Claims {

    private static final String SAME_ID = ", on a machine with the same id";

    private Claims() {}

    /// Why nobody may have the name for that; null if he may.
    static @Nullable String refusal(CellState state, @Nullable NodeStatus known, NodeSeen seen) {
        String held = known == null ? null : held(state, known, seen);
        if (held != null) {
            return held;
        }
        var uuids = new HashSet<String>();
        for (Gpu gpu : seen.inventory().gpus()) {
            if (!uuids.add(gpu.uuid())) {
                return "GPU " + gpu.uuid() + " is there twice";
            }
        }
        var others = new HashSet<String>();
        for (Gres gres : seen.inventory().gres()) {
            if (!others.add(gres.kind())) {
                return gres.kind() + " is there twice";
            }
            for (String file : gres.files()) {
                if (!others.add(file)) {
                    return "device file " + file + " is there twice";
                }
            }
        }
        return null;
    }

    /// Why another machine, or an agent without the node's key, may not have the node's name. What
    /// it says to have tells nothing of the runs of the one before it.
    private static @Nullable String held(CellState state, NodeStatus known, NodeSeen seen) {
        boolean sameMachine = known.seen().machineId().equals(seen.machineId());
        String key = known.seen().key();
        if (sameMachine && (key == null || key.equals(seen.key()))) {
            return null;
        }
        String other = sameMachine ? "an agent with another key" : "another machine";
        String held = "node name " + seen.node() + " is held by " + other + ", which is ";
        if (known.presence() != Presence.DOWN && known.presence() != Presence.FENCED) {
            return held + "not down";
        }
        return state.jobsOn(seen.node()).stream()
                .filter(job -> mayRun(state, job, seen.node()))
                .findFirst()
                .map(job -> held + "down and may still run job " + job)
                .orElse(null);
    }

    /// Why a registration of the node's machine is not that of its agent, as it seems; null if it
    /// is.
    ///
    /// On one spool agents follow one another: what an earlier one wrote came late. That there is
    /// another spool, or another boot, means a machine that has begun anew, or else a second one: a
    /// copy of the machine, or another agent beside the node's. The one that has begun anew is not
    /// heard in its former life.
    static @Nullable String another(CellState state, NodeStatus known, NodeSeen seen) {
        Life last = known.seen().life();
        Life life = seen.life();
        if (last == null || life == null) {
            return null;
        }
        String held = "node name " + seen.node() + " is held by ";
        boolean heard = known.presence() == Presence.UP;
        if (otherSpool(known, seen)) {
            return heard ? held + "an agent that is heard, with another spool" + SAME_ID : null;
        }
        if (life.number() < last.number()) {
            return held + "a later agent with the same spool, or a copy of it";
        }
        return heard && !sameBoot(known, seen) && mayRun(state, seen.node())
                ? held + "an agent that is heard and may run jobs, in another boot" + SAME_ID
                : null;
    }

    /// Whether what the agent does not have was never obeyed.
    static boolean sameSpoolAndBoot(NodeStatus known, NodeSeen seen) {
        return sameBoot(known, seen) && !otherSpool(known, seen);
    }

    private static boolean sameBoot(NodeStatus known, NodeSeen seen) {
        return known.seen().bootId().equals(seen.bootId());
    }

    /// Agents of earlier versions do not say.
    private static boolean otherSpool(NodeStatus known, NodeSeen seen) {
        Life last = known.seen().life();
        Life life = seen.life();
        return last != null && life != null && !last.spool().equals(life.spool());
    }

    private static boolean mayRun(CellState state, NodeName node) {
        return state.jobsOn(node).stream().anyMatch(job -> mayRun(state, job, node));
    }

    private static boolean mayRun(CellState state, JobId job, NodeName node) {
        return Objects.requireNonNull(state.knownJob(job).run()).parts().stream()
                .anyMatch(part ->
                        part.allocation().node().equals(node) && part.phase() != Phase.ENDED);
    }
}
