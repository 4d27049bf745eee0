package io.berth.core.request;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.FeatureExpression.Count;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which nodes a job's constraints admit, whatever is free on them.
///
/// A filter is one alternative of the features that the job prefers, or of those that it must have.
/// Alternatives are tried in their order; all nodes of a job come through the same one.
public final class NodeFilter {

    private final NodeConstraints where;
    private final boolean listed;
    private final @Nullable FeatureExpression features;
    private final boolean preferred;

    private NodeFilter(
            ResourceRequest request, @Nullable FeatureExpression features, boolean preferred) {
        this.where = request.where();
        this.listed = !where.nodeList().isEmpty() && request.nodesAmong().isEmpty();
        this.features = features;
        this.preferred = preferred;
    }

    /// The alternatives, those that the job prefers first; at least one that it does not.
    public static List<NodeFilter> of(ResourceRequest request) {
        var filters = new ArrayList<NodeFilter>();
        FeatureExpression prefer = request.where().prefer();
        if (prefer != null) {
            prefer.alternatives().forEach(it -> filters.add(new NodeFilter(request, it, true)));
        }
        FeatureExpression features = request.where().features();
        if (features == null) {
            filters.add(new NodeFilter(request, null, false));
        } else {
            features.alternatives().forEach(it -> filters.add(new NodeFilter(request, it, false)));
        }
        return filters;
    }

    /// Whether the job has such nodes rather than others, and may have others.
    public boolean preferred() {
        return preferred;
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
