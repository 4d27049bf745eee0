package io.berth.core.lifecycle;

import io.berth.contracts.HeldRun;
import io.berth.contracts.JobId;
import io.berth.contracts.MigGpu;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Part.Phase;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.core.placement.Launching;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Agents register, fall silent and come back.
final class Registrations {

    private Registrations() {}

    /// Answers a registration: a Sync in a new epoch, then every order of older epochs that still
    /// counts, decided anew. What the node was running and does not have any more is lost, proven.
    ///
    /// A machine that takes the name of another one is refused, unless that is DOWN and its runs
    /// have ended for sure; and one that says to have a GPU, another resource or a device file
    /// twice. An agent that is not the node's, as it seems, is refused for now.
    static List<Fact> registered(CellState state, NodeSeen seen, long now) {
        NodeStatus known = state.node(seen.node()).orElse(null);
        var draft = new Draft(state);
        String refusal = Claims.refusal(state, known, seen);
        if (refusal != null) {
            return refused(draft, known, seen, refusal, null);
        }
        if (known != null && known.seen().nonce().equals(seen.nonce())) {
            return List.of();
        }
        String another = known == null ? null : Claims.another(state, known, seen);
        if (another != null) {
            return refused(draft, known, seen, another, true);
        }
        long epoch = known == null ? 1 : known.epoch() + 1;
        NodeStatus node =
                known == null
                        ? new NodeStatus(seen.node(), epoch, 0, Presence.UP, seen)
                        : known.registered(epoch, seen).divided(divisions(known, seen, now));
        draft.change(node.held(hold(node.hold(), seen.unhealthy(), now)));
        var has = new TreeMap<RunId, HeldRun.Phase>();
        seen.runs().forEach(held -> has.put(held.run(), held.phase()));
        boolean spoolTells = known != null && Claims.sameSpoolAndBoot(known, seen);
        draft.orderUnnumbered(
                new Order.Sync(seen.node(), epoch, seen.nonce(), wanted(state, seen.node(), has)));
        for (JobId job : state.jobsOn(seen.node())) {
            settle(draft, job, seen.node(), has, spoolTells, now);
        }
        return draft.facts();
    }

    private static List<Fact> refused(
            Draft draft,
            @Nullable NodeStatus known,
            NodeSeen seen,
            String why,
            @Nullable Boolean forNow) {
        long epoch = known == null ? 0 : known.epoch();
        draft.orderUnnumbered(new Order.Refused(seen.node(), epoch, seen.nonce(), why, forNow));
        return draft.facts();
    }

    /// A node that is not well is drained, if nobody keeps work off it already. Only that is taken
    /// back when it is well.
    private static @Nullable NodeHold hold(
            @Nullable NodeHold before, @Nullable String unhealthy, long now) {
        boolean ofHealth = before != null && before.ofHealth();
        if (unhealthy == null) {
            return ofHealth ? null : before;
        }
        return before == null || (ofHealth && !before.reason().equals(unhealthy))
                ? new NodeHold(NodeHold.Kind.DRAIN, unhealthy, NodeHold.HEALTH, now)
                : before;
    }

    /// A node whose prolog or epilog failed gets no more work until an operator says so.
    static void drained(Draft draft, NodeName node, String why, long now) {
        NodeStatus known = draft.node(node);
        if (known.hold() == null || known.hold().ofHealth()) {
            draft.change(known.held(new NodeHold(NodeHold.Kind.DRAIN, why, NodeHold.AGENT, now)));
        }
    }

    /// What has become of the GPUs that were to be divided: the registration says what is.
    private static List<Division> divisions(NodeStatus known, NodeSeen seen, long now) {
        var divisions = new ArrayList<Division>();
        for (Division division : known.divisions()) {
            MigGpu gpu = seen.inventory().migGpu(division.gpu()).orElse(null);
            boolean over =
                    !division.inProgress() && division.failures() == 0 && division.until() <= now;
            if (gpu != null && !over) {
                divisions.add(
                        !division.inProgress() || Boolean.TRUE.equals(gpu.dividing())
                                ? division
                                : gpu.instances().equals(division.wanted())
                                        ? division.done()
                                        : division.failed(now));
            }
        }
        return divisions;
    }

    /// The runs that the node has and shall keep: current, and not being stopped but with notice.
    private static List<RunId> wanted(
            CellState state, NodeName node, TreeMap<RunId, HeldRun.Phase> has) {
        var wanted = new ArrayList<RunId>();
        for (RunId run : has.navigableKeySet()) {
            boolean current =
                    Reports.part(state, run, node)
                            .filter(part -> part.phase() != Phase.ENDED)
                            .isPresent();
            Run known = state.job(run.job()).map(JobStatus::run).orElse(null);
            if (current
                    && known != null
                    && (known.outcome() == null || known.outcome().endsBy() != null)) {
                wanted.add(run);
            }
        }
        return wanted;
    }

    /// Brings one job's part on the node and the node itself to agree.
    private static void settle(
            Draft draft,
            JobId id,
            NodeName node,
            TreeMap<RunId, HeldRun.Phase> has,
            boolean spoolTells,
            long now) {
        JobStatus job = draft.job(id);
        Run run = Objects.requireNonNull(job.run());
        var runId = new RunId(id, run.lease());
        Part part =
                run.parts().stream()
                        .filter(it -> it.allocation().node().equals(node))
                        .findFirst()
                        .orElseThrow();
        HeldRun.Phase held = has.get(runId);
        reason(draft, id);
        if (part.phase() == Phase.ENDED || held == HeldRun.Phase.ENDED) {
            return;
        }
        int index = part.allocation().index();
        if (held == null) {
            absent(draft, runId, part, spoolTells, now);
        } else if (run.outcome() == null) {
            present(draft, runId, index, held, now);
        } else if (run.outcome().endsBy() != null) {
            Endings.stop(draft, id, node, true, now);
        }
    }

    /// A run that was only ordered is ordered again, if the node's spool can be trusted to name
    /// what was obeyed; one that had begun, or may have, is gone.
    private static void absent(Draft draft, RunId runId, Part part, boolean spoolTells, long now) {
        JobStatus job = draft.job(runId.job());
        Run run = Objects.requireNonNull(job.run());
        if (part.phase() == Phase.ORDERED && run.outcome() == null && spoolTells) {
            Launching.order(draft, job, part.allocation().index());
            return;
        }
        lost(draft, runId.job(), part, "came back without the run", now);
    }

    /// What a job had on a node that ended its runs by itself.
    private static void lost(Draft draft, JobId job, NodeName node, long now) {
        Objects.requireNonNull(draft.job(job).run()).parts().stream()
                .filter(part -> part.allocation().node().equals(node))
                .filter(part -> part.phase() != Phase.ENDED)
                .forEach(part -> lost(draft, job, part, "was cut off and ended its runs", now));
    }

    private static void lost(Draft draft, JobId id, Part part, String how, long now) {
        JobStatus job = draft.job(id);
        Run run = Objects.requireNonNull(job.run());
        int index = part.allocation().index();
        draft.change(
                Transitions.running(
                        job, Transitions.withPart(run, index, it -> it.in(Phase.ENDED))));
        Endings.decide(
                draft,
                id,
                Endings.nodesFailed(job, "node " + part.allocation().node() + " " + how),
                now);
        Endings.freeIfEmpty(draft, id, now);
    }

    private static void present(Draft draft, RunId run, int index, HeldRun.Phase held, long now) {
        switch (held) {
            case PREPARED -> {
                // It must stand still before it has the word to go: others may have its CPUs.
                Standstill.settle(draft, run, index, held, now);
                boolean gone = Objects.requireNonNull(draft.job(run.job()).run()).gone();
                Reports.ready(draft, run, index);
                if (gone) {
                    Reports.go(draft, run, nodeOf(draft, run.job(), index));
                }
            }
            case RUNNING, SUSPENDED -> {
                Reports.started(draft, run, index, null, now);
                Standstill.settle(draft, run, index, held, now);
            }
            case ENDED ->
                    throw new IllegalStateException(
                            "settle run " + run + ": an ended one is settled already");
        }
    }

    private static NodeName nodeOf(Draft draft, JobId job, int index) {
        return Objects.requireNonNull(draft.job(job).run()).parts().get(index).allocation().node();
    }

    /// The agent of a node shuts down, and with it every node that it stands for: those of its
    /// machine and key.
    static void left(Draft draft, NodeName node) {
        NodeSeen seen = draft.node(node).seen();
        for (NodeStatus known : draft.state().nodes()) {
            if (known.seen().machineId().equals(seen.machineId())
                    && Objects.equals(known.seen().key(), seen.key())) {
                draft.change(draft.node(known.node()).heard(Presence.LEFT));
            }
        }
    }

    /// A node falls silent, goes down or is heard again. Its runs stay: their end needs proof. That
    /// it was silent for so long that it has ended them by itself is one. The last heartbeats of a
    /// node that left, or ended its runs, do not bring it back.
    static List<Fact> presence(CellState state, NodeName node, Presence presence, long now) {
        NodeStatus known = state.node(node).orElse(null);
        if (known == null || known.presence() == presence) {
            return List.of();
        }
        boolean further = presence == Presence.DOWN || presence == Presence.FENCED;
        if (known.presence() == Presence.FENCED
                || (known.presence() == Presence.LEFT && !further)) {
            return List.of();
        }
        var draft = new Draft(state);
        draft.change(known.heard(presence));
        if (presence == Presence.FENCED) {
            state.jobsOn(node).forEach(job -> lost(draft, job, node, now));
            return draft.facts();
        }
        state.jobsOn(node).forEach(id -> reason(draft, id));
        return draft.facts();
    }

    /// A run that is not ending says whether one of its nodes is down.
    private static void reason(Draft draft, JobId id) {
        JobStatus job = draft.job(id);
        Run run = Objects.requireNonNull(job.run());
        boolean down =
                run.allocations().stream()
                        .anyMatch(it -> draft.node(it.node()).presence() == Presence.DOWN);
        if (run.outcome() == null && down != (job.reason() == Reason.NODE_DOWN)) {
            draft.change(Transitions.reasoned(job, down ? Reason.NODE_DOWN : Reason.NONE));
        }
    }
}
