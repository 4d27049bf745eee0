package io.berth.contracts.event;

import io.berth.contracts.NodeName;
import java.util.List;

/// What admins ask of a node.
public sealed interface NodeRequest {

    NodeName node();

    /// The admin who asked.
    String user();

    /// The node gets no new work; what runs there ends by itself.
    record DrainRequested(NodeName node, String user, String reason) implements NodeRequest {}

    /// The node gets work again.
    record ResumeRequested(NodeName node, String user) implements NodeRequest {}

    /// The node gets no new work, and what runs there is ended. If the node does not answer, the
    /// admin vouches that nothing runs there any more.
    record DownRequested(NodeName node, String user, String reason) implements NodeRequest {}

    /// The node has these features, beside those that it shows by itself.
    record FeaturesSet(NodeName node, String user, List<String> features) implements NodeRequest {

        public FeaturesSet {
            features = features.stream().distinct().sorted().toList();
        }
    }

    /// The node is taken in the order of this weight, whatever the configuration says.
    record WeightSet(NodeName node, String user, int weight) implements NodeRequest {}
}
