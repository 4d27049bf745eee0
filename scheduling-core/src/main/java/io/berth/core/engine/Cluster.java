package io.berth.core.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Nodes with what runs hold and what is reserved on them.
public final class Cluster {

    /// What a job has on nodes: a run until its expected end, or a reservation.
    ///
    /// @param nodes by part
    /// @param demands by part
    /// @param from start of a reservation; 0 for a run
    record Stay(int[] nodes, Demand[] demands, long from, long until, boolean running) {

        boolean same(Stay other) {
            return running == other.running
                    && from == other.from
                    && until == other.until
                    && Arrays.equals(nodes, other.nodes)
                    && Arrays.equals(demands, other.demands);
        }
    }

    final List<Kind> kinds;
    final Network network;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Long, Stay> stays = new HashMap<>();

    /// Nodes on which something came free since [#settle] was last called.
    private final BitSet touched = new BitSet();

    /// @param kindOf the kind of each node, as a place in `kinds`
    public Cluster(List<Kind> kinds, int[] kindOf, Network network) {
        this.kinds = List.copyOf(kinds);
        this.network = network;
        for (int number = 0; number < kinds.size(); number++) {
            kinds.get(number).number = number;
        }
        for (int index = 0; index < kindOf.length; index++) {
            Kind kind = kinds.get(kindOf[index]);
            var node = new Node(index, kind);
            kind.nodes.add(node);
            nodes.add(node);
        }
        kinds.forEach(Kind::seal);
        touched.set(0, nodes.size());
    }

    public int size() {
        return nodes.size();
    }

    Node node(int index) {
        return nodes.get(index);
    }

    /// Opens a node for work, or closes it. True: it was not so before.
    boolean open(int index, boolean open) {
        Node node = nodes.get(index);
        if (node.open == open) {
            return false;
        }
        node.open = open;
        node.kind.refresh(node);
        touched.set(index);
        return true;
    }

    /// A job runs. What it had before, it has no more.
    ///
    /// @param until its expected end
    public void run(long job, int[] onNodes, Demand[] demands, long until) {
        put(job, new Stay(onNodes, demands, 0, until, true));
    }

    /// A job has its nodes reserved. What it had before, it has no more.
    public void reserve(long job, int[] onNodes, Demand[] demands, long from, long until) {
        put(job, new Stay(onNodes, demands, from, until, false));
    }

    private void put(long job, Stay stay) {
        Stay before = stays.get(job);
        if (before != null && before.same(stay)) {
            return;
        }
        leave(job);
        stays.put(job, stay);
        for (int part = 0; part < stay.nodes.length; part++) {
            Node node = nodes.get(stay.nodes[part]);
            if (stay.running) {
                node.take(job, stay.demands[part], stay.until);
            } else {
                node.reserve(job, stay.demands[part], stay.from, stay.until);
            }
            node.kind.refresh(node);
        }
    }

    /// A job neither runs nor has anything reserved any more.
    public void leave(long job) {
        Stay stay = stays.remove(job);
        if (stay == null) {
            return;
        }
        for (int part = 0; part < stay.nodes.length; part++) {
            Node node = nodes.get(stay.nodes[part]);
            if (stay.running) {
                node.release(job, stay.demands[part]);
            } else {
                node.unreserve(job);
            }
            node.kind.refresh(node);
            touched.set(node.index);
        }
    }

    /// Takes a reservation off its nodes, for a look at what could be without it. What is known of
    /// when they will be ready stays as it is: a lower bound for all nodes but these.
    void lift(long job) {
        Stay stay = stays.get(job);
        for (int part = 0; stay != null && part < stay.nodes.length; part++) {
            nodes.get(stay.nodes[part]).unreserve(job);
        }
    }

    /// Puts a reservation that was lifted back.
    void putBack(long job) {
        Stay stay = stays.get(job);
        for (int part = 0; stay != null && part < stay.nodes.length; part++) {
            Node node = nodes.get(stay.nodes[part]);
            node.reserve(job, stay.demands[part], stay.from, stay.until);
        }
    }

    @Nullable Stay stay(long job) {
        return stays.get(job);
    }

    /// What a class takes on these nodes, larger parts first.
    Demand[] demands(FitClass fit, int[] onNodes) {
        var demands = new Demand[onNodes.length];
        for (int part = 0; part < demands.length; part++) {
            int kind = kind(onNodes[part]);
            demands[part] =
                    Objects.requireNonNull(
                            part < fit.large ? fit.largeOn[kind] : fit.smallOn[kind],
                            () -> "class " + fit.id + " cannot run on nodes of kind " + kind);
        }
        return demands;
    }

    int kind(int node) {
        return nodes.get(node).kind.number;
    }

    /// The nodes on which something came free since the last call.
    BitSet settle() {
        var since = (BitSet) touched.clone();
        touched.clear();
        return since;
    }
}
