package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What the features of a job's nodes must be, as `--constraint` says it.
///
/// - `a&b`: every node has both. `a|b`: every node has one of them. `&` binds closer; parentheses
///   group.
/// - `[a|b]`: all nodes have the same one of them.
/// - `a*2&b*4`: at least 2 nodes have a and at least 4 have b; a node may serve if it has one of
///   the features that are counted.
///
/// Two expressions are equal if their texts are.
///
/// Source: sbatch(1), `--constraint`.
public final class FeatureExpression {

    static final int MAX_LENGTH = 1024;

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

    /// The expression of that text.
    ///
    /// @throws IllegalArgumentException if the text is none; the message says where it fails
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static FeatureExpression parse(String text) {
        return new FeatureExpression(text, FeatureParser.parse(text));
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

    /// Whether it asks for numbers of nodes: `a*2`.
    public boolean counts() {
        return text.indexOf('*') >= 0;
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
