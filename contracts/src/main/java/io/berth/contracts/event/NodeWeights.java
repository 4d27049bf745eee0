package io.berth.contracts.event;

import io.berth.contracts.NodeName;
import io.berth.contracts.NodeWeight;
import java.util.AbstractList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The rules of weights, and what they give each node. Immutable.
final class NodeWeights extends AbstractList<NodeWeight> {

    private static final String ALL = "ALL";

    private final List<NodeWeight> rules;
    private final Map<String, Integer> byNode = new HashMap<>();

    NodeWeights(List<NodeWeight> rules) {
        this.rules = List.copyOf(rules);
        for (NodeWeight rule : rules) {
            for (String node : rule.nodes()) {
                byNode.putIfAbsent(node, rule.weight());
            }
        }
    }

    int of(NodeName node) {
        return byNode.getOrDefault(node.value(), byNode.getOrDefault(ALL, NodeWeight.DEFAULT));
    }

    @Override
    public NodeWeight get(int index) {
        return rules.get(index);
    }

    @Override
    public int size() {
        return rules.size();
    }
}
