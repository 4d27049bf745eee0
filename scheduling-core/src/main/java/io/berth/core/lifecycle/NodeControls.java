package io.berth.core.lifecycle;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeHold.Kind;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part.Phase;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import java.util.List;
import java.util.Objects;

/// What operators ask of nodes.
final class NodeControls {

    private NodeControls() {}

    static List<Fact> asked(CellState state, NodeRequest request, long now) {
        NodeStatus node = state.node(request.node()).orElse(null);
        if (node == null) {
            return List.of();
        }
        var draft = new Draft(state);
        switch (request) {
            case NodeRequest.DrainRequested it ->
                    draft.change(node.held(hold(Kind.DRAIN, it, now)));
            case NodeRequest.ResumeRequested _ -> draft.change(node.held(null));
            case NodeRequest.FeaturesSet it -> draft.change(node.featured(it.features()));
            case NodeRequest.WeightSet it -> draft.change(node.weighing(it.weight()));
            case NodeRequest.DownRequested it -> down(draft, node, it, now);
        }
        return draft.facts();
    }

    private static NodeHold hold(Kind kind, NodeRequest.DrainRequested it, long now) {
        return new NodeHold(kind, it.reason(), it.user(), now);
    }

    /// Ends what runs on the node. Of a node that answers the resources come free when it reports;
    /// of one that does not, the operator's word is the proof. Should he be wrong, it is told at
    /// once to kill what it has: before it can be given other work.
    private static void down(Draft draft, NodeStatus node, NodeRequest.DownRequested it, long now) {
        draft.change(node.held(new NodeHold(Kind.DOWN, it.reason(), it.user(), now)));
        for (JobId id : draft.state().jobsOn(node.node())) {
            if (node.presence() != Presence.UP) {
                fenced(draft, id, node.node());
            }
            JobStatus job = draft.job(id);
            Endings.decide(
                    draft,
                    id,
                    Endings.nodesFailed(job, "node " + node.node() + " was set down"),
                    now);
            Endings.freeIfEmpty(draft, id, now);
        }
    }

    private static void fenced(Draft draft, JobId id, NodeName node) {
        var run = Objects.requireNonNull(draft.job(id).run());
        var runId = new RunId(id, run.lease());
        for (JobStatus.Part part : run.parts()) {
            if (part.allocation().node().equals(node) && part.phase() != Phase.ENDED) {
                draft.order(
                        node,
                        (epoch, number) ->
                                new Order.Stop(
                                        node, epoch, number, runId, JobState.NODE_FAIL, 0, null));
                Reports.advance(draft, id, part.allocation().index(), Phase.ENDED);
            }
        }
    }
}
