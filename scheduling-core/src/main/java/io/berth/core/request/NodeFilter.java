package io.berth.core.request;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.FeatureExpression.Count;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.NodeStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which nodes a job's constraints admit, whatever is free on them.
///
/// A filter is one alternative of the job's features. Alternatives are tried in their order; all
/// nodes of a job come through the same one.
public final class NodeFilter {

    private final NodeConstraints where;
    private final boolean listed;
    private final @Nullable FeatureExpression features;

    private NodeFilter(ResourceRequest request, @Nullable FeatureExpression features) {
        this.where = request.where();
        this.listed = !where.nodeList().isEmpty() && request.nodesAmong().isEmpty();
        this.features = features;
    }

    /// The alternatives, at least one.
    public static List<NodeFilter> of(ResourceRequest request) {
        FeatureExpression features = request.where().features();
        return features == null
                ? List.of(new NodeFilter(request, null))
                : features.alternatives().stream().map(it -> new NodeFilter(request, it)).toList();
    }

    /// How many of its nodes must have which features.
    public List<Count> counts() {
        return features == null ? List.of() : features.counts();
    }

    /// Whether the node may be one of the job's, if none of those that are counted.
    public boolean admits(NodeStatus node) {
        return (!listed || where.nodeList().contains(node.node()))
                && (where.shape() == null || where.shape().admits(node.seen().inventory()))
                && !where.excluded().contains(node.node())
                && (features == null || features.admitsUncounted(node.allFeatures()));
    }
}
