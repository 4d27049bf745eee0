package io.berth.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.placement.Presences.Watched;
import java.util.List;
import java.util.Map;

/// Sees which nodes are there.
interface NodeWatch {

    /// Watches these nodes from now on.
    void watch(List<Watched> watched);

    /// A registration is a sign of life too.
    void registered(NodeName node);

    /// The presence of the watched nodes.
    Map<NodeName, Presence> latest();
}
