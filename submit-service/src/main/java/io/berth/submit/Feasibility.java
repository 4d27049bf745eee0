package io.berth.submit;

import static io.berth.submit.Checks.listed;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.NodeSeen;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// Whether a partition has a node that could hold the largest part of a job, were it empty. That
/// there are enough such nodes is not asked: nodes come and go while a job waits.
public final class Feasibility {
    private final ResourceRequest request;
    private final Collection<NodeSeen> nodes;

    /// @param nodes the registered nodes of the partition, whatever their state
    public Feasibility(ResourceRequest request, Collection<NodeSeen> nodes) {
        this.request = request;
        this.nodes = nodes;
    }

    /// What no node has, in a few words; empty if a node could hold the job, or none is registered
    /// yet.
    public Optional<String> obstacle() {
        return nodes.isEmpty() || nodes.stream().anyMatch(this::couldHold)
                ? Optional.empty()
                : Optional.of(describe());
    }

    /// Whether the node, empty, could hold the largest part of the job.
    public boolean couldHold(NodeSeen node) {
        return gpusOf(node, request.gpus()) >= request.gpusOn(0)
                && node.inventory().cpus() >= request.cpusOn(0)
                && node.inventory().memoryMib() >= memoryMib()
                && shaped(node);
    }

    /// GPUs of the node that the request would take.
    static int gpusOf(NodeSeen node, GpuRequest request) {
        return (int) node.inventory().gpus().stream().filter(request::admits).count();
    }

    private boolean shaped(NodeSeen node) {
        NodeShape shape = request.where().shape();
        return shape == null || shape.admits(node.inventory());
    }

    private long memoryMib() {
        return request.memoryMibOn(0, 0);
    }

    private String describe() {
        if (nodes.stream().noneMatch(this::shaped)) {
            return "Socket, core and/or thread specification can not be satisfied";
        }
        GpuRequest gpus = request.gpus();
        String type = gpus.type();
        NodeSeen mostGpus = largest(node -> gpusOf(node, gpus));
        if (type != null && request.gpusOn(0) > 0 && gpusOf(mostGpus, gpus) == 0) {
            return "no node has GPUs of type " + quoted(type) + "; types there are: " + types();
        }
        if (gpusOf(mostGpus, gpus) < request.gpusOn(0)) {
            String kind = type == null ? "" : type + " ";
            return tooMuch(request.gpusOn(0), kind + "GPUs", gpusOf(mostGpus, gpus), mostGpus);
        }
        NodeSeen mostCpus = largest(node -> node.inventory().cpus());
        if (mostCpus.inventory().cpus() < request.cpusOn(0)) {
            return tooMuch(request.cpusOn(0), "CPUs", mostCpus.inventory().cpus(), mostCpus);
        }
        NodeSeen mostMemory = largest(node -> node.inventory().memoryMib());
        if (mostMemory.inventory().memoryMib() < memoryMib()) {
            return tooMuch(
                    memoryMib(), "MiB of memory", mostMemory.inventory().memoryMib(), mostMemory);
        }
        return "no single node has %d GPUs, %d CPUs and %d MiB of memory together"
                .formatted(request.gpusOn(0), request.cpusOn(0), memoryMib());
    }

    private static String tooMuch(long asked, String what, long there, NodeSeen node) {
        return "%d %s on one node, and the largest has %d (%s)"
                .formatted(asked, what, there, node.node());
    }

    private NodeSeen largest(ToLongFunction<NodeSeen> size) {
        return nodes.stream()
                .max(
                        Comparator.comparingLong(size)
                                .thenComparing(NodeSeen::node, Comparator.reverseOrder()))
                .orElseThrow();
    }

    private String types() {
        return listed(
                nodes.stream()
                        .flatMap(node -> node.inventory().gpus().stream())
                        .map(gpu -> gpu.type())
                        .distinct()
                        .sorted()
                        .toList());
    }
}
