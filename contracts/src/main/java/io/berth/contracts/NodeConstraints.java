package io.berth.contracts;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Which nodes a job may run on, beside what they must have free.
///
/// @param features what the nodes must be; null is anything
/// @param nodeList nodes that must be among the job's nodes; it may have more
/// @param excluded nodes that must not
/// @param contiguous whether the job's nodes follow one another in the order of the partition
/// @param maxNodes the job may have up to so many nodes; null is as many as it asks for at least
/// @param switches null is any number
/// @param reservation the reservation that the job runs in; null is none
/// @param licenses cluster-wide counts that the job holds while it runs
public record NodeConstraints(
        @Nullable FeatureExpression features,
        List<NodeName> nodeList,
        List<NodeName> excluded,
        Sharing sharing,
        boolean contiguous,
        @Nullable Integer maxNodes,
        @Nullable SwitchLimit switches,
        @Nullable String reservation,
        Map<String, Integer> licenses) {

    public static final NodeConstraints NONE =
            new NodeConstraints(
                    null, List.of(), List.of(), Sharing.SHARED, false, null, null, null, Map.of());

    public NodeConstraints {
        nodeList = nodeList.stream().distinct().sorted().toList();
        excluded = excluded.stream().distinct().sorted().toList();
        licenses = Collections.unmodifiableMap(new TreeMap<>(licenses));
    }
}
