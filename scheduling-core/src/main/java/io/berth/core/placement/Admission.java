package io.berth.core.placement;

import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.request.NodeFilter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Which nodes of a model a request's constraints admit, by their indices.
final class Admission {

    private final List<NodeStatus> nodes = new ArrayList<>();

    /// The node with the next index.
    void add(NodeStatus node) {
        nodes.add(node);
    }

    /// Whether constraints still see the node as it is.
    boolean covers(int index, NodeStatus node) {
        NodeStatus known = nodes.get(index);
        return Objects.equals(known.features(), node.features())
                && NodeShape.of(known.seen().inventory())
                        .equals(NodeShape.of(node.seen().inventory()));
    }

    /// Those of some nodes that a job may use; null for all. A job of one node may use those of
    /// every alternative; all nodes of a gang come from one: the first that has enough.
    ///
    /// @param of null is all
    @Nullable BitSet only(ResourceRequest request, @Nullable BitSet of) {
        if (request.constraints() == null) {
            return of;
        }
        var first = new BitSet();
        var any = new BitSet();
        for (NodeFilter filter : NodeFilter.of(request)) {
            BitSet admitted = admitted(filter);
            if (of != null) {
                admitted.and(of);
            }
            if (admitted.cardinality() >= request.nodes() && request.nodes() > 1) {
                return admitted;
            }
            first = first.isEmpty() ? admitted : first;
            any.or(admitted);
        }
        return request.nodes() > 1 ? first : any;
    }

    private BitSet admitted(NodeFilter filter) {
        var admitted = new BitSet(nodes.size());
        for (int index = 0; index < nodes.size(); index++) {
            if (filter.admits(nodes.get(index))) {
                admitted.set(index);
            }
        }
        return admitted;
    }
}
