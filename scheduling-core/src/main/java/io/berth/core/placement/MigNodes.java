package io.berth.core.placement;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.placement.Verdict.Dividing;
import io.berth.core.placement.Verdict.Draining;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The nodes of a model whose GPUs in MIG mode may be divided anew, and the jobs that wait for
/// instances of such GPUs.
final class MigNodes {

    private final CellState state;
    private final NodeTable nodes;
    private final Map<NodeName, MigGpus> rules = new TreeMap<>();
    private final TreeSet<JobId> waiting = new TreeSet<>();

    MigNodes(CellState state, Configuration configuration, NodeTable nodes) {
        this.state = state;
        this.nodes = nodes;
        for (NodeName node : nodes.names()) {
            MigGpus rule = configuration.cluster().dividedOn(node);
            if (rule != null) {
                rules.put(node, rule);
            }
        }
    }

    /// The nodes, each with what may be divided there.
    Map<NodeName, MigGpus> rules() {
        return rules;
    }

    /// The jobs that wait for instances and that GPUs are divided for, in the order of their
    /// submission.
    SortedSet<JobId> waiting() {
        return waiting;
    }

    void waits(JobStatus job) {
        if (!rules.isEmpty() && job.description().request().ofDividedGpus()) {
            waiting.add(job.job());
        }
    }

    void forget(JobId job) {
        waiting.remove(job);
    }

    /// When the next GPU that was divided, or could not be, may be divided again, or the next that
    /// is being divided is not counted on any more; `Long.MAX_VALUE` if nobody waits for that.
    long next(long now) {
        long next = Long.MAX_VALUE;
        for (NodeName node : waiting.isEmpty() ? List.<NodeName>of() : rules.keySet()) {
            for (Division division : status(node).divisions()) {
                if (division.over() > now) {
                    next = Math.min(next, division.over());
                }
            }
        }
        return next;
    }

    /// Whether the GPUs of a node could be divided so that a job can run there. A job of several
    /// nodes takes the instances that there are.
    ///
    /// @param only the nodes that it may use; null for all of its partition
    /// @param open whether the node must be open
    boolean could(ResourceRequest request, String partition, @Nullable BitSet only, boolean open) {
        return request.ofDividedGpus()
                && rules.keySet().stream()
                        .filter(node -> mayUse(node, partition, only))
                        .filter(node -> !open || status(node).open())
                        .anyMatch(node -> could(node, request));
    }

    /// Whether GPUs could run empty for a job, and be divided so that it can run there.
    ///
    /// @param only the nodes that it may use; null for all of its partition
    boolean drains(ResourceRequest request, String partition, @Nullable BitSet only) {
        return !Seats.bySocket(request)
                && !nodes.boundedBySocket(partition)
                && could(request, partition, only, false);
    }

    boolean mayUse(NodeName node, String partition, @Nullable BitSet only) {
        return mayUse(nodes.index(node), partition, only);
    }

    /// @param node by index
    boolean mayUse(int node, String partition, @Nullable BitSet only) {
        return nodes.in(partition, node) && (only == null || only.get(node));
    }

    private boolean could(NodeName node, ResourceRequest request) {
        MigGpus rule = rules.get(node);
        Inventory inventory = status(node).seen().inventory();
        NodeKind kind = nodes.kindOf(node);
        return rule != null
                && rule.most(inventory, request.gpus()) >= request.gpusOn(0)
                && kind.cores().cpus() >= kind.cpusOn(request, 0)
                && inventory.memoryMib() >= request.memoryMibOn(0, inventory.memoryMib());
    }

    /// The GPUs that are being divided into something that a request wants.
    List<Dividing> dividing(ResourceRequest request, String partition, @Nullable BitSet only) {
        var dividing = new ArrayList<Dividing>();
        for (NodeName node : rules.keySet()) {
            for (Division division : status(node).divisions()) {
                MigGpu gpu = status(node).seen().inventory().migGpu(division.gpu()).orElse(null);
                List<MigPlacement> wanted = division.wanted();
                if (wanted != null && gpu != null && mayUse(node, partition, only)) {
                    MigGpu divided = gpu.split(wanted, null);
                    if (admits(request.gpus(), divided)) {
                        dividing.add(new Dividing(node, gpu.index(), MigPlacement.words(wanted)));
                    }
                }
            }
        }
        return dividing;
    }

    /// The GPUs that run empty for a job.
    ///
    /// @param planned its expected start; null if it has none
    List<Draining> draining(@Nullable Planned planned) {
        if (planned == null || planned.drains().isEmpty()) {
            return List.of();
        }
        var draining = new ArrayList<Draining>();
        NodeStatus node = status(planned.nodes().getFirst());
        for (MigGpu gpu : node.seen().inventory().migGpus()) {
            Division division = node.division(gpu.uuid());
            boolean begun = division != null && division.inProgress();
            if (planned.drains().containsKey(gpu.uuid()) && !begun) {
                draining.add(new Draining(node.node(), gpu.index()));
            }
        }
        return draining;
    }

    private static boolean admits(GpuRequest request, MigGpu gpu) {
        return gpu.profiles().stream()
                .filter(profile -> request.admits(gpu, profile))
                .anyMatch(profile ->
                        gpu.instances().stream()
                                .anyMatch(it -> it.profile().equals(profile.name())));
    }

    private NodeStatus status(NodeName node) {
        return state.node(node)
                .orElseThrow(() ->
                        new IllegalStateException("divide GPUs of " + node + ": no such node"));
    }
}
