package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which nodes a job may run on, beside what they must have free.
///
/// @param features what the nodes must be; null is anything
/// @param nodeList nodes that must be among the job's nodes; it may have more
/// @param excluded nodes that must not
/// @param switches null is any number
/// @param reservation whose nodes the job uses; null for those that are reserved for nobody
/// @param shape of their processors; null is [NodeShape#ANY]
public record NodeConstraints(
        @Nullable FeatureExpression features,
        List<NodeName> nodeList,
        List<NodeName> excluded,
        Sharing sharing,
        @Nullable SwitchLimit switches,
        @Nullable String reservation,
        @Nullable NodeShape shape) {

    public static final NodeConstraints NONE =
            new NodeConstraints(null, List.of(), List.of(), Sharing.SHARED, null);

    /// Constraints of a job that uses no reservation.
    public NodeConstraints(
            @Nullable FeatureExpression features,
            List<NodeName> nodeList,
            List<NodeName> excluded,
            Sharing sharing,
            @Nullable SwitchLimit switches) {
        this(features, nodeList, excluded, sharing, switches, null, null);
    }

    /// Constraints that say nothing of processors.
    public NodeConstraints(
            @Nullable FeatureExpression features,
            List<NodeName> nodeList,
            List<NodeName> excluded,
            Sharing sharing,
            @Nullable SwitchLimit switches,
            @Nullable String reservation) {
        this(features, nodeList, excluded, sharing, switches, reservation, null);
    }

    public NodeConstraints {
        nodeList = nodeList.stream().distinct().sorted().toList();
        excluded = excluded.stream().distinct().sorted().toList();
        shape = NodeShape.ANY.equals(shape) ? null : shape;
    }

    /// The same, under any number of switches.
    NodeConstraints underAnySwitches() {
        return new NodeConstraints(features, nodeList, excluded, sharing, null, reservation, shape);
    }
}
