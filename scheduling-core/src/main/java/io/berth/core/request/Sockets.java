package io.berth.core.request;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/// On which of a node's sockets its CPUs and its GPUs are.
///
/// NUMA nodes tell it: each socket has equally many, in the order of their ids, as Linux numbers
/// them. A GPU of which no NUMA node is known is on the socket of the CPUs that its driver calls
/// nearest. A node that is declared whole has as many CPUs on each socket, one socket after the
/// other.
///
/// @param cpus of each socket; empty if they are not known
/// @param ofGpus by place in the inventory; -1 if it is not known
public record Sockets(List<IndexSet> cpus, List<Integer> ofGpus) {

    public Sockets {
        cpus = List.copyOf(cpus);
        ofGpus = List.copyOf(ofGpus);
    }

    /// Those of a node.
    public static Sockets of(Inventory inventory) {
        List<NumaNode> numa = numaNodes(inventory);
        List<IndexSet> cpus = cpus(inventory, numa);
        int nodesEach =
                numa.isEmpty()
                        ? Math.ceilDiv(highest(inventory) + 1, Math.max(1, inventory.sockets()))
                        : numa.size() / Math.max(1, inventory.sockets());
        List<Integer> ids = numa.stream().map(NumaNode::id).toList();
        var ofGpus = new ArrayList<Integer>();
        for (Gpu gpu : inventory.gpus()) {
            int place = numa.isEmpty() ? gpu.numaNode() : ids.indexOf(gpu.numaNode());
            int socket = place < 0 || nodesEach == 0 ? nearest(gpu, cpus) : place / nodesEach;
            ofGpus.add(cpus.size() == 1 ? 0 : socket < cpus.size() ? socket : -1);
        }
        return new Sockets(cpus, ofGpus);
    }

    /// Those that have CPUs.
    private static List<NumaNode> numaNodes(Inventory inventory) {
        Hardware hardware = inventory.hardware();
        return hardware == null
                ? List.of()
                : hardware.numaNodes().stream()
                        .filter(it -> !it.cpus().isEmpty())
                        .sorted(Comparator.comparingInt(NumaNode::id))
                        .toList();
    }

    private static List<IndexSet> cpus(Inventory inventory, List<NumaNode> numa) {
        int sockets = inventory.sockets();
        var cpus = new ArrayList<IndexSet>();
        boolean declared = numa.isEmpty() && inventory.simulated();
        if (sockets == 1) {
            cpus.add(IndexSet.firstN(inventory.cpus()));
        } else if (sockets > 1 && declared && inventory.cpus() % sockets == 0) {
            int each = inventory.cpus() / sockets;
            for (int socket = 0; socket < sockets; socket++) {
                var bits = new BitSet();
                bits.set(socket * each, (socket + 1) * each);
                cpus.add(IndexSet.of(bits));
            }
        } else if (sockets > 1 && !numa.isEmpty() && numa.size() % sockets == 0) {
            int each = numa.size() / sockets;
            for (int socket = 0; socket < sockets; socket++) {
                var bits = new BitSet();
                numa.subList(socket * each, (socket + 1) * each)
                        .forEach(it -> bits.or(it.cpus().toBitSet()));
                cpus.add(IndexSet.of(bits));
            }
        }
        return cpus;
    }

    private static int highest(Inventory inventory) {
        return inventory.gpus().stream().mapToInt(Gpu::numaNode).max().orElse(-1);
    }

    private static int nearest(Gpu gpu, List<IndexSet> cpus) {
        GpuHardware told = gpu.hardware();
        IndexSet near = told == null ? null : told.cpus();
        for (int socket = 0; near != null && socket < cpus.size(); socket++) {
            if (cpus.get(socket).toBitSet().intersects(near.toBitSet())) {
                return socket;
            }
        }
        return -1;
    }

    /// Whether it is known of all of them.
    public boolean known() {
        return !cpus.isEmpty() && !ofGpus.contains(-1);
    }
}
