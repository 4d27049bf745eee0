package io.berth.submit;

import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Trigger.Occasion;
import java.util.Collection;
import java.util.List;

/// Whether an occasion of triggers is on a node.
public final class NodeOccasion {

    private NodeOccasion() {}

    public static boolean is(Occasion occasion, Node node) {
        NodeHold hold = node.status().hold();
        return switch (occasion) {
            case DOWN, DRAINED, IDLE -> node.state().equals(occasion.name());
            case UP -> node.up() && !is(Occasion.DOWN, node);
            case FAIL -> hold != null && (hold.ofHealth() || hold.user().equals(NodeHold.AGENT));
            case FINI, TIME -> throw new IllegalStateException(occasion + " is no node's");
        };
    }

    /// The nodes that a trigger that is set now need not tell of yet; of `UP` those that it waits
    /// for.
    public static List<NodeName> before(Occasion occasion, Collection<Node> nodes) {
        Occasion so = occasion == Occasion.UP ? Occasion.DOWN : occasion;
        return nodes.stream().filter(it -> is(so, it)).map(Node::name).toList();
    }
}
