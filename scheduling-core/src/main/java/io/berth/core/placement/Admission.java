package io.berth.core.placement;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.request.NodeFilter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Which nodes of a model a request's constraints admit, by their indices.
final class Admission {

    private final List<NodeStatus> nodes = new ArrayList<>();

    /// The node with the next index.
    void add(NodeStatus node) {
        nodes.add(node);
    }

    /// Whether constraints still see the node as it is.
    boolean covers(int index, NodeStatus node) {
        NodeStatus known = nodes.get(index);
        return Objects.equals(known.features(), node.features())
                && Objects.equals(
                        known.seen().inventory().fabric(), node.seen().inventory().fabric())
                && NodeShape.of(known.seen().inventory())
                        .equals(NodeShape.of(node.seen().inventory()));
    }

    /// Those of some nodes that a job may use; null for all.
    ///
    /// @param of null is all
    @Nullable BitSet only(ResourceRequest request, @Nullable BitSet of) {
        if (request.constraints() == null) {
            return of;
        }
        var any = new BitSet();
        all(request, of).forEach(choice -> any.or(choice.nodes()));
        return any;
    }

    /// The nodes of which all of a job's are, one set of them or another: first those that it
    /// prefers, then in the order in which its features name them; empty for a job that has no
    /// choice. A job of one node that prefers none has any of all sets.
    ///
    /// @param of some nodes; null is all
    List<Choice> choices(ResourceRequest request, @Nullable BitSet of) {
        boolean prefers = request.where().prefer() != null;
        if (!prefers && (request.where().features() == null || request.nodes() == 1)) {
            return List.of();
        }
        List<Choice> all = all(request, of);
        return all.size() == 1 && all.getFirst().counts().isEmpty() ? List.of() : all;
    }

    private List<Choice> all(ResourceRequest request, @Nullable BitSet of) {
        return NodeFilter.of(request).stream()
                .map(filter -> choice(filter, request.nodes(), of))
                .toList();
    }

    /// Where as many nodes are counted as there are, no other may be among them.
    private Choice choice(NodeFilter filter, int parts, @Nullable BitSet of) {
        BitSet admitted = where(filter::admits, of);
        var counts = new ArrayList<Count>();
        var counted = new BitSet();
        int sum = 0;
        for (FeatureExpression.Count count : filter.counts()) {
            BitSet nodes = where(it -> count.features().admits(it.allFeatures()), admitted);
            counts.add(new Count(nodes, count.nodes()));
            counted.or(nodes);
            sum += count.nodes();
        }
        return new Choice(
                sum < parts ? admitted : sum == parts ? counted : new BitSet(),
                counts,
                filter.preferred());
    }

    private BitSet where(Predicate<NodeStatus> admits, @Nullable BitSet of) {
        var those = new BitSet(nodes.size());
        for (int index = 0; index < nodes.size(); index++) {
            those.set(index, (of == null || of.get(index)) && admits.test(nodes.get(index)));
        }
        return those;
    }
}
