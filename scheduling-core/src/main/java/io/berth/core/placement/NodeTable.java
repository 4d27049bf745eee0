package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Demand;
import io.berth.core.engine.Kind;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The nodes of a model: names as indices, nodes by kind, and what allocations take of them.
final class NodeTable {

    /// What a run holds.
    ///
    /// @param nodes by index; a node with GPUs of several kinds comes as often
    record Held(int[] nodes, Demand[] demands) {}

    private final CellState state;
    private final Configuration configuration;
    private final List<NodeName> names = new ArrayList<>();
    private final Map<NodeName, Integer> indices = new TreeMap<>();
    private final List<NodeKind> kinds = new ArrayList<>();
    private final List<Integer> kindOf = new ArrayList<>();
    private final Admission admission = new Admission();

    NodeTable(CellState state, Configuration configuration) {
        this.state = state;
        this.configuration = configuration;
        var numbers = new HashMap<NodeKind, Integer>();
        for (NodeStatus node : state.nodes()) {
            NodeKind kind = NodeKind.of(node.seen().inventory(), partitionsOf(node.node()));
            indices.put(node.node(), names.size());
            names.add(node.node());
            admission.add(node);
            kindOf.add(
                    numbers.computeIfAbsent(
                            kind,
                            it -> {
                                kinds.add(it);
                                return kinds.size() - 1;
                            }));
        }
    }

    List<NodeKind> kinds() {
        return kinds;
    }

    List<Kind> engineKinds() {
        return kinds.stream().map(NodeKind::engineKind).toList();
    }

    /// By node, its place among the kinds.
    int[] kindNumbers() {
        return kindOf.stream().mapToInt(Integer::intValue).toArray();
    }

    List<NodeName> names() {
        return names;
    }

    private List<String> partitionsOf(NodeName node) {
        return configuration.partitions().values().stream()
                .filter(it -> has(it, node))
                .map(Partition::name)
                .toList();
    }

    private static boolean has(Partition partition, NodeName node) {
        return partition.nodes().equals(List.of("ALL")) || partition.nodes().contains(node.value());
    }

    /// Whether the model still speaks of this node as it is.
    boolean covers(NodeStatus node) {
        Integer index = indices.get(node.node());
        return index != null
                && admission.covers(index, node)
                && kinds.get(kindOf.get(index))
                        .equals(NodeKind.of(node.seen().inventory(), partitionsOf(node.node())));
    }

    NodeName name(int index) {
        return names.get(index);
    }

    int index(NodeName node) {
        Integer index = indices.get(node);
        if (index == null) {
            throw new IllegalStateException("find node " + node + ": it is not in the model");
        }
        return index;
    }

    /// -1 for a node that is not there.
    int[] indices(List<NodeName> nodes) {
        return nodes.stream().mapToInt(it -> indices.getOrDefault(it, -1)).toArray();
    }

    /// Whether a node is in a partition.
    boolean in(String partition, int node) {
        return kinds.get(kindOf.get(node)).partitions().contains(partition);
    }

    /// Those of some nodes that a request's constraints admit; null for all.
    ///
    /// @param of null is all
    @Nullable BitSet only(ResourceRequest request, @Nullable BitSet of) {
        return admission.only(request, of);
    }

    Held held(List<Allocation> allocations) {
        var on = new ArrayList<Integer>();
        var demands = new ArrayList<Demand>();
        for (Allocation allocation : allocations) {
            Integer index = indices.get(allocation.node());
            if (index != null) {
                for (Demand demand : held(index, allocation)) {
                    on.add(index);
                    demands.add(demand);
                }
            }
        }
        return new Held(
                on.stream().mapToInt(Integer::intValue).toArray(), demands.toArray(new Demand[0]));
    }

    /// How many GPUs of each type are in them.
    Map<String, Long> gpusByType(List<Allocation> allocations) {
        var byType = new TreeMap<String, Long>();
        for (Allocation allocation : allocations) {
            if (indices.containsKey(allocation.node())) {
                for (Gpu gpu : inventory(allocation.node()).gpus()) {
                    if (allocation.gpus().contains(gpu.uuid())) {
                        byType.merge(gpu.type(), 1L, Long::sum);
                    }
                }
            }
        }
        return byType;
    }

    /// What an allocation takes of its node, by kind of GPU.
    private List<Demand> held(int index, Allocation allocation) {
        NodeKind kind = kinds.get(kindOf.get(index));
        var byLane = new TreeMap<Integer, Integer>();
        for (Gpu gpu : inventory(allocation.node()).gpus()) {
            if (allocation.gpus().contains(gpu.uuid())) {
                byLane.merge(kind.lane(gpu), 1, Integer::sum);
            }
        }
        int cpus = allocation.cpus().size();
        long memory = allocation.memoryMib();
        var demands = new ArrayList<Demand>();
        for (var entry : byLane.entrySet()) {
            demands.add(new Demand(cpus, memory, entry.getValue(), entry.getKey()));
            cpus = 0;
            memory = 0;
        }
        return demands.isEmpty() ? List.of(new Demand(cpus, memory, 0, -1)) : demands;
    }

    private Inventory inventory(NodeName node) {
        return state.node(node).orElseThrow().seen().inventory();
    }
}
