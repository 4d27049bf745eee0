package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// What the features of a job's nodes must be, as `--constraint` says it.
///
/// - `a&b`: every node has both. `a|b`: every node has one of them. `&` binds closer; parentheses
///   group.
/// - `[a|b]`: all nodes have the same one of them.
/// - `a*2&b*4`: at least 2 nodes have a, and at least 4 others have b; the rest of the job's nodes
///   have what is not counted.
///
/// Two expressions are equal if their texts are.
///
/// Source: sbatch(1), `--constraint`.
public final class FeatureExpression {

    static final int MAX_LENGTH = 1024;

    /// Brackets beside brackets multiply.
    private static final int MAX_ALTERNATIVES = 64;

    /// Of one alternative.
    private static final int MAX_COUNTS = 8;

    private final String text;
    private final Node root;

    private FeatureExpression(String text, Node root) {
        this.text = text;
        this.root = root;
    }

    /// A part of the expression.
    sealed interface Node {

        record Feature(String name) implements Node {}

        record AllOf(List<Node> nodes) implements Node {}

        record AnyOf(List<Node> nodes) implements Node {}

        record SameOf(List<Node> nodes) implements Node {}

        record Counted(Node node, int count) implements Node {}
    }

    /// The expression of that text. Jobs that were accepted have any number of alternatives and
    /// counts.
    ///
    /// @throws IllegalArgumentException if the text is none; the message says where it fails
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static FeatureExpression parse(String text) {
        return new FeatureExpression(text, FeatureParser.parse(text));
    }

    /// The expression of that text, for a job that is submitted: what it takes to look for its
    /// nodes is bounded.
    ///
    /// @throws IllegalArgumentException if the text is none, or has too many alternatives or counts
    public static FeatureExpression parseBounded(String text) {
        FeatureExpression it = parse(text);
        if (choices(it.root) > MAX_ALTERNATIVES) {
            throw new IllegalArgumentException(
                    "constraint '%s' has more than %d alternatives"
                            .formatted(text, MAX_ALTERNATIVES));
        }
        if (it.alternatives().stream().anyMatch(one -> one.counts().size() > MAX_COUNTS)) {
            throw new IllegalArgumentException(
                    "constraint '%s' counts more than %d features".formatted(text, MAX_COUNTS));
        }
        return it;
    }

    /// How many alternatives a part has; a few above the most are as good as many.
    private static long choices(Node node) {
        return switch (node) {
            case Node.Feature _ -> 1;
            case Node.Counted(Node counted, _) -> choices(counted);
            case Node.SameOf(List<Node> nodes) ->
                    nodes.stream().mapToLong(FeatureExpression::choices).sum();
            case Node.AnyOf(List<Node> nodes) -> combined(nodes);
            case Node.AllOf(List<Node> nodes) -> combined(nodes);
        };
    }

    private static long combined(List<Node> nodes) {
        return nodes.stream()
                .mapToLong(FeatureExpression::choices)
                .reduce(1, (one, other) -> Math.min(one * other, MAX_ALTERNATIVES + 1L));
    }

    /// The expressions without brackets of which one must hold for all nodes of a job, in the order
    /// in which they are written; the expression itself if it has no brackets.
    public List<FeatureExpression> alternatives() {
        var alternatives = new ArrayList<FeatureExpression>();
        for (Node node : plain(root)) {
            alternatives.add(new FeatureExpression(text, node));
        }
        return alternatives;
    }

    private static List<Node> plain(Node node) {
        return switch (node) {
            case Node.Feature feature -> List.of(feature);
            case Node.Counted(Node counted, int count) ->
                    plain(counted).stream().<Node>map(it -> new Node.Counted(it, count)).toList();
            case Node.SameOf(List<Node> nodes) ->
                    nodes.stream().flatMap(it -> plain(it).stream()).toList();
            case Node.AnyOf(List<Node> nodes) ->
                    products(nodes).stream().<Node>map(Node.AnyOf::new).toList();
            case Node.AllOf(List<Node> nodes) ->
                    products(nodes).stream().<Node>map(Node.AllOf::new).toList();
        };
    }

    private static List<List<Node>> products(List<Node> nodes) {
        List<List<Node>> products = List.of(List.of());
        for (Node node : nodes) {
            var longer = new ArrayList<List<Node>>();
            for (List<Node> product : products) {
                for (Node choice : plain(node)) {
                    var list = new ArrayList<>(product);
                    list.add(choice);
                    longer.add(list);
                }
            }
            products = longer;
        }
        return products;
    }

    /// So many nodes, at least, that have these features.
    public record Count(FeatureExpression features, int nodes) {}

    /// How many nodes must have which features, of an expression without brackets, each of them
    /// once; empty if it counts none.
    public List<Count> counts() {
        var nodes = new LinkedHashMap<Node, Integer>();
        for (Node part : parts()) {
            if (part instanceof Node.Counted(Node counted, int count)) {
                nodes.merge(counted, count, Integer::sum);
            }
        }
        var counts = new ArrayList<Count>();
        nodes.forEach((counted, count) ->
                counts.add(new Count(new FeatureExpression(text, counted), count)));
        return counts;
    }

    /// Whether a node with these features may be one of the job's that is not counted.
    public boolean admitsUncounted(Set<String> features) {
        return parts().stream()
                .filter(it -> !(it instanceof Node.Counted))
                .allMatch(it -> admits(it, features));
    }

    private List<Node> parts() {
        return parts(root).toList();
    }

    private static Stream<Node> parts(Node node) {
        return node instanceof Node.AllOf(List<Node> nodes)
                ? nodes.stream().flatMap(FeatureExpression::parts)
                : Stream.of(node);
    }

    /// Whether nodes are counted, if any are, where that has a meaning: alone or between `&`, and
    /// once.
    public boolean countsPlainly() {
        return alternatives().stream()
                .flatMap(it -> it.parts().stream())
                .map(it -> it instanceof Node.Counted(Node counted, _) ? counted : it)
                .noneMatch(FeatureExpression::countsWithin);
    }

    private static boolean countsWithin(Node node) {
        return switch (node) {
            case Node.Feature _ -> false;
            case Node.Counted _ -> true;
            case Node.AllOf(List<Node> nodes) ->
                    nodes.stream().anyMatch(FeatureExpression::countsWithin);
            case Node.AnyOf(List<Node> nodes) ->
                    nodes.stream().anyMatch(FeatureExpression::countsWithin);
            case Node.SameOf(List<Node> nodes) ->
                    nodes.stream().anyMatch(FeatureExpression::countsWithin);
        };
    }

    /// How many nodes it counts in all; of several alternatives the most.
    public int nodesCounted() {
        return alternatives().stream()
                .mapToInt(it -> it.counts().stream().mapToInt(Count::nodes).sum())
                .max()
                .orElse(0);
    }

    /// Whether a node with these features may be one of the job's.
    public boolean admits(Set<String> features) {
        return admits(root, features);
    }

    private static boolean admits(Node node, Set<String> features) {
        return switch (node) {
            case Node.Feature(String name) -> features.contains(name);
            case Node.Counted(Node counted, _) -> admits(counted, features);
            case Node.AnyOf(List<Node> nodes) ->
                    nodes.stream().anyMatch(it -> admits(it, features));
            case Node.SameOf(List<Node> nodes) ->
                    nodes.stream().anyMatch(it -> admits(it, features));
            case Node.AllOf(List<Node> nodes) ->
                    nodes.stream()
                                    .filter(it -> !(it instanceof Node.Counted))
                                    .allMatch(it -> admits(it, features))
                            && (nodes.stream().noneMatch(Node.Counted.class::isInstance)
                                    || nodes.stream()
                                            .filter(Node.Counted.class::isInstance)
                                            .anyMatch(it -> admits(it, features)));
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FeatureExpression it && text.equals(it.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @JsonValue
    @Override
    public String toString() {
        return text;
    }
}
