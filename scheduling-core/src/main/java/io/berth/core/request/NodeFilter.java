package io.berth.core.request;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
        return !where.excluded().contains(node.node())
                && (features == null || features.admits(node.allFeatures()));
    }

    /// Whether the node must be one of the job's.
    public boolean requires(NodeName node) {
        return where.nodeList().contains(node);
    }

    /// Whether nodes, each of which is admitted, may be all of the job's: the required ones are
    /// among them, features are there in their counts, and contiguous ones follow one another.
    ///
    /// @param order all nodes of the partition, in its order
    public boolean suffices(List<NodeStatus> nodes, List<NodeName> order) {
        Set<NodeName> names = new TreeSet<>();
        nodes.forEach(node -> names.add(node.node()));
        return names.containsAll(where.nodeList())
                && (features == null
                        || features.suffices(
                                nodes.stream().<Set<String>>map(NodeStatus::allFeatures).toList()))
                && (!where.contiguous() || contiguous(names, order));
    }

    private static boolean contiguous(Set<NodeName> names, List<NodeName> order) {
        int first = 0;
        while (first < order.size() && !names.contains(order.get(first))) {
            first++;
        }
        int end = first;
        while (end < order.size() && names.contains(order.get(end))) {
            end++;
        }
        return end - first == names.size();
    }
}
