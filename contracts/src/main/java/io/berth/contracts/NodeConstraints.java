package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which nodes a job may run on, beside what they must have free.
///
/// @param features what the nodes must be; null is anything
/// @param nodeList nodes that must be among the job's nodes; it may have more
/// @param excluded nodes that must not
/// @param switches null is any number
public record NodeConstraints(
        @Nullable FeatureExpression features,
        List<NodeName> nodeList,
        List<NodeName> excluded,
        Sharing sharing,
        @Nullable SwitchLimit switches) {

    public static final NodeConstraints NONE =
            new NodeConstraints(null, List.of(), List.of(), Sharing.SHARED, null);

    public NodeConstraints {
        nodeList = nodeList.stream().distinct().sorted().toList();
        excluded = excluded.stream().distinct().sorted().toList();
    }
}
