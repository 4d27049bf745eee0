package io.berth.contracts;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Which nodes a job may run on, beside what they must have free.
///
/// @param features what the nodes must be; null is anything
/// @param nodeList nodes that must be among the job's nodes if it has as many or more; else its
///   nodes are of these
/// @param excluded nodes that must not
/// @param switches under how many of them its nodes lie, or in one domain of which level; null is
///   any number
/// @param reservation whose nodes the job uses; null for those that are reserved for nobody
/// @param shape what they must be built of; null is [NodeShape#ANY]
/// @param contiguous whether they must stand side by side in the order of their names; null is no
/// @param segment of how many nodes each of the job's segments is, which lie in one block of the
///   network each; null is no matter
/// @param linked whether GPUs of one node must reach one another by NVLink; null is no
/// @param prefer what the nodes are, in place of `features`, where the job can start on such nodes;
///   null is no matter
public record NodeConstraints(
        @Nullable FeatureExpression features,
        List<NodeName> nodeList,
        List<NodeName> excluded,
        Sharing sharing,
        @Nullable SwitchLimit switches,
        @Nullable String reservation,
        @Nullable NodeShape shape,
        @Nullable Boolean contiguous,
        @Nullable Integer segment,
        @Nullable Boolean linked,
        @Nullable FeatureExpression prefer) {

    public static final NodeConstraints NONE =
            new NodeConstraints(null, List.of(), List.of(), Sharing.SHARED, null);

    /// Any nodes that are built so.
    public static NodeConstraints built(NodeShape shape) {
        return new NodeConstraints(
                null, List.of(), List.of(), Sharing.SHARED, null, null, shape, null);
    }

    /// Constraints that say nothing of blocks and links.
    public NodeConstraints(
            @Nullable FeatureExpression features,
            List<NodeName> nodeList,
            List<NodeName> excluded,
            Sharing sharing,
            @Nullable SwitchLimit switches,
            @Nullable String reservation,
            @Nullable NodeShape shape,
            @Nullable Boolean contiguous) {
        this(
                features,
                nodeList,
                excluded,
                sharing,
                switches,
                reservation,
                shape,
                contiguous,
                null,
                null,
                null);
    }

    /// Constraints of a job that uses no reservation.
    public NodeConstraints(
            @Nullable FeatureExpression features,
            List<NodeName> nodeList,
            List<NodeName> excluded,
            Sharing sharing,
            @Nullable SwitchLimit switches) {
        this(features, nodeList, excluded, sharing, switches, null, null, null);
    }

    /// Constraints that say nothing of processors.
    public NodeConstraints(
            @Nullable FeatureExpression features,
            List<NodeName> nodeList,
            List<NodeName> excluded,
            Sharing sharing,
            @Nullable SwitchLimit switches,
            @Nullable String reservation) {
        this(features, nodeList, excluded, sharing, switches, reservation, null, null);
    }

    public NodeConstraints {
        nodeList = eachOnce(nodeList);
        excluded = eachOnce(excluded);
        shape = NodeShape.ANY.equals(shape) ? null : shape;
        contiguous = Boolean.TRUE.equals(contiguous) ? true : null;
        linked = Boolean.TRUE.equals(linked) ? true : null;
        if (segment != null && segment < 1) {
            throw new IllegalArgumentException("segments of " + segment + " nodes");
        }
    }

    /// In order; what was written is so already.
    private static List<NodeName> eachOnce(List<NodeName> names) {
        for (int i = 1; i < names.size(); i++) {
            if (names.get(i - 1).compareTo(names.get(i)) >= 0) {
                return names.stream().distinct().sorted().toList();
            }
        }
        return List.copyOf(names);
    }

    /// Whether the nodes must stand side by side.
    public boolean sideBySide() {
        return contiguous != null;
    }

    /// The same, in segments of so many nodes.
    public NodeConstraints inBlocks(@Nullable Integer nodes, boolean islands) {
        return with(it -> {
            it.segment = nodes;
            it.linked = islands;
        });
    }

    /// The same, in whatever blocks the nodes lie.
    public NodeConstraints inAnyBlocks() {
        return with(it -> it.segment = null);
    }

    /// The same, whatever links there are between GPUs.
    public NodeConstraints unlinked() {
        return with(it -> it.linked = null);
    }

    /// The same, wherever the nodes stand.
    public NodeConstraints anywhere() {
        return with(it -> it.contiguous = null);
    }

    /// The same, whatever the nodes' features are.
    public NodeConstraints ofAnyFeatures() {
        return with(it -> it.features = null);
    }

    /// The same, in no reservation.
    public NodeConstraints unreserved() {
        return with(it -> it.reservation = null);
    }

    /// The same without nodes that must be among the job's.
    public NodeConstraints unnamed() {
        return with(it -> it.nodeList = List.of());
    }

    /// The same, under so many switches.
    ///
    /// @param limit null is any number
    public NodeConstraints under(@Nullable SwitchLimit limit) {
        return with(it -> it.switches = limit);
    }

    /// The same, rather on nodes with other features.
    ///
    /// @param rather null is no matter
    public NodeConstraints preferring(@Nullable FeatureExpression rather) {
        return with(it -> it.prefer = rather);
    }

    /// The same but for what is changed.
    public NodeConstraints with(Consumer<Draft> change) {
        var to = new Draft(this);
        change.accept(to);
        return new NodeConstraints(
                to.features,
                to.nodeList,
                to.excluded,
                to.sharing,
                to.switches,
                to.reservation,
                to.shape,
                to.contiguous,
                to.segment,
                to.linked,
                to.prefer);
    }

    /// What [#with] may change; as the constraints have it until then.
    public static final class Draft {
        public @Nullable FeatureExpression features;
        public List<NodeName> nodeList;
        public List<NodeName> excluded;
        public Sharing sharing;
        public @Nullable SwitchLimit switches;
        public @Nullable String reservation;
        public @Nullable NodeShape shape;
        public @Nullable Boolean contiguous;
        public @Nullable Integer segment;
        public @Nullable Boolean linked;
        public @Nullable FeatureExpression prefer;

        private Draft(NodeConstraints of) {
            features = of.features;
            nodeList = of.nodeList;
            excluded = of.excluded;
            sharing = of.sharing;
            switches = of.switches;
            reservation = of.reservation;
            shape = of.shape;
            contiguous = of.contiguous;
            segment = of.segment;
            linked = of.linked;
            prefer = of.prefer;
        }
    }
}
