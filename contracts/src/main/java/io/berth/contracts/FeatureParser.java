package io.berth.contracts;

import io.berth.contracts.FeatureExpression.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Reads the text of a [FeatureExpression]: alternatives of conjunctions of features, groups and
/// counts.
final class FeatureParser {

    private static final int MAX_DEPTH = 16;
    private static final int MAX_COUNT = 1 << 16;

    private final String text;
    private int at;
    private int depth;

    private FeatureParser(String text) {
        this.text = text;
    }

    static Node parse(String text) {
        if (text.length() > FeatureExpression.MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "a constraint of " + text.length() + " characters is too long");
        }
        var parser = new FeatureParser(text);
        Node node = parser.anyOf(Node.AnyOf::new);
        if (parser.at < text.length()) {
            throw parser.wrong();
        }
        return node;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException(
                "constraint '" + text + "' cannot be read from character " + (at + 1) + " on");
    }

    private Node anyOf(Function<List<Node>, Node> of) {
        List<Node> nodes = new ArrayList<>();
        do {
            nodes.add(allOf());
        } while (skip('|'));
        return nodes.size() == 1 ? nodes.getFirst() : of.apply(nodes);
    }

    private Node allOf() {
        List<Node> nodes = new ArrayList<>();
        do {
            nodes.add(counted());
        } while (skip('&') || skip(','));
        return nodes.size() == 1 ? nodes.getFirst() : new Node.AllOf(nodes);
    }

    private Node counted() {
        Node node = primary();
        if (!skip('*')) {
            return node;
        }
        int start = at;
        while (at < text.length() && Character.isDigit(text.charAt(at))) {
            at++;
        }
        if (at == start || at - start > 5) {
            throw wrong();
        }
        int count = Integer.parseInt(text.substring(start, at));
        if (count < 1 || count > MAX_COUNT) {
            throw wrong();
        }
        return new Node.Counted(node, count);
    }

    private Node primary() {
        if (skip('(')) {
            return group(')', Node.AnyOf::new);
        }
        if (skip('[')) {
            return group(']', Node.SameOf::new);
        }
        int start = at;
        while (at < text.length() && isName(text.charAt(at))) {
            at++;
        }
        if (at == start) {
            throw wrong();
        }
        return new Node.Feature(text.substring(start, at));
    }

    private Node group(char end, Function<List<Node>, Node> of) {
        if (++depth > MAX_DEPTH) {
            throw wrong();
        }
        Node node = anyOf(of);
        if (!skip(end)) {
            throw wrong();
        }
        depth--;
        return node;
    }

    private static boolean isName(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '_'
                || c == '-'
                || c == '.'
                || c == '='
                || c == ':';
    }

    private boolean skip(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }
}
