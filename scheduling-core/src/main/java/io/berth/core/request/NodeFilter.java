package io.berth.core.request;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.event.NodeStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which nodes a job's constraints admit, whatever is free on them.
///
/// A filter is one alternative of the job's features. Alternatives are tried in their order; all
/// nodes of a job come through the same one.
public final class NodeFilter {

    private final NodeConstraints where;
    private final @Nullable FeatureExpression features;

    private NodeFilter(NodeConstraints where, @Nullable FeatureExpression features) {
        this.where = where;
        this.features = features;
    }

    /// The alternatives, at least one.
    public static List<NodeFilter> of(NodeConstraints where) {
        FeatureExpression features = where.features();
        return features == null
                ? List.of(new NodeFilter(where, null))
                : features.alternatives().stream().map(it -> new NodeFilter(where, it)).toList();
    }

    /// Whether the node may be one of the job's.
    public boolean admits(NodeStatus node) {
        return (where.nodeList().isEmpty() || where.nodeList().contains(node.node()))
                && (where.shape() == null || where.shape().admits(node.seen().inventory()))
                && !where.excluded().contains(node.node())
                && (features == null || features.admits(node.allFeatures()));
    }
}
