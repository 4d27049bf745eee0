package io.berth.submit;

import static io.berth.submit.Checks.listed;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules;
import io.berth.core.placement.SocketFit;
import io.berth.core.request.Cores;
import io.berth.slurm.GresText;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Whether a partition has a node that could hold the largest part of a job, were it empty. That
/// there are enough such nodes is not asked: nodes come and go while a job waits.
public final class Feasibility {
    private final ResourceRequest request;
    private final Collection<NodeSeen> nodes;
    private final Cluster cluster;
    private final int mostCpus;
    private final int mostOnSocket;
    private final boolean named;
    private final SocketFit sockets = new SocketFit();

    /// @param nodes the registered nodes of the partition, whatever their state
    public Feasibility(ResourceRequest request, Collection<NodeSeen> nodes, Cluster cluster) {
        this(request, nodes, cluster, PartitionRules.DEFAULT, true);
    }

    /// @param rules of the partition
    /// @param named whether an obstacle tells nodes by their names
    Feasibility(
            ResourceRequest request,
            Collection<NodeSeen> nodes,
            Cluster cluster,
            PartitionRules rules,
            boolean named) {
        this.named = named;
        this.mostCpus = rules.maxCpusPerNode() == 0 ? Integer.MAX_VALUE : rules.maxCpusPerNode();
        this.mostOnSocket = rules.ofNodes().mostCpusOnSocket();
        this.request = request;
        this.nodes = nodes;
        this.cluster = cluster;
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
        return couldHoldSomewhere(node) && socketed(node);
    }

    /// The same, whatever the sockets.
    private boolean couldHoldSomewhere(NodeSeen node) {
        return request.gpus().ofEach().stream().allMatch(it -> gpusOf(node, it) >= wanted(it))
                && node.inventory().memoryMib() >= memoryMib()
                && cpusOf(node) >= cpusWanted(node)
                && shaped(node)
                && lacking(List.of(node)) == null;
    }

    /// What of other resources none of these nodes has enough of; null if one has enough of each.
    private @Nullable Gres lacking(Collection<NodeSeen> some) {
        for (Gres wanted : request.gres()) {
            if (most(wanted, some) < wanted.count()) {
                return wanted;
            }
        }
        return null;
    }

    private long most(Gres wanted, Collection<NodeSeen> some) {
        return some.stream()
                .flatMap(node -> cluster.gresOn(node.node(), node.inventory()).stream())
                .filter(wanted::admits)
                .mapToLong(Gres::count)
                .max()
                .orElse(0);
    }

    /// GPUs of the node that the request would take whole, or a part of one of them; of instances
    /// of GPUs as many as there are, or could be if they were divided anew.
    private int gpusOf(NodeSeen node, GpuRequest gpus) {
        return Math.max(gpusThere(node, gpus), instancesPossible(node));
    }

    private int instancesPossible(NodeSeen node) {
        MigGpus divided = cluster.dividedOn(node.node());
        return divided == null || !request.ofDividedGpus()
                ? 0
                : divided.most(node.inventory(), request.gpus());
    }

    private Stream<Gpu> wholeGpus(NodeSeen node) {
        SharedGpus shared = cluster.sharedOn(node.node());
        return node.inventory().gpus().stream().filter(it -> shared == null || !shared.shares(it));
    }

    /// @param gpus those of the request of one type
    private int gpusThere(NodeSeen node, GpuRequest gpus) {
        SharedGpus shared = cluster.sharedOn(node.node());
        ShareRequest part = gpus.share();
        return (int)
                node.inventory().gpus().stream()
                        .filter(gpus::admits)
                        .filter(gpu ->
                                part == null
                                        ? shared == null || !shared.shares(gpu)
                                        : shared != null
                                                && shared.shares(gpu)
                                                && part.on(
                                                                shared.sharing(),
                                                                shared.of(),
                                                                gpu.memoryMib())
                                                        != null)
                        .count();
    }

    private int cpusOf(NodeSeen node) {
        return Math.min(mostCpus, cores(node).cpus());
    }

    private int cpusWanted(NodeSeen node) {
        return cores(node).of(request, 0);
    }

    private Cores cores(NodeSeen node) {
        return Cores.of(node.inventory(), cluster.byCore());
    }

    /// @param gpus those of the request of one type
    private int wanted(GpuRequest gpus) {
        return gpus.share() == null ? request.gpusOn(0, gpus) : 1;
    }

    private boolean shaped(NodeSeen node) {
        NodeShape shape = request.where().shape();
        return shape == null || shape.admits(node.inventory());
    }

    /// Whether the sockets of the node have what each is to give, and room for the tasks. Where
    /// instances lie that are yet to be divided is not known.
    private boolean socketed(NodeSeen node) {
        GpuRequest first = request.gpus().ofEach().getFirst();
        boolean undivided = first.perSocket() == null && gpusThere(node, first) < wanted(first);
        return undivided
                || sockets.holds(
                        node.inventory(),
                        cluster.gresOn(node.node(), node.inventory()),
                        cluster.sharedOn(node.node()),
                        cluster.byCore(),
                        mostOnSocket,
                        request);
    }

    private long memoryMib() {
        return request.memoryMibOn(0, 0);
    }

    private String describe() {
        if (nodes.stream().anyMatch(this::couldHoldSomewhere)) {
            return bySocket();
        }
        if (nodes.stream().noneMatch(this::shaped)) {
            return "Socket, core, thread and/or temporary disk specification can not be satisfied";
        }
        for (GpuRequest gpus : request.gpus().ofEach()) {
            String none = none(gpus);
            if (none != null) {
                return none;
            }
        }
        Gres lacking = lacking(nodes);
        if (lacking != null) {
            long most = most(lacking, nodes);
            return most == 0
                    ? "no node has " + lacking.kind() + "; other resources there are: " + others()
                    : "%s on one node, and the most is %d".formatted(lacking.text(), most);
        }
        if (mostCpus < request.cpusOn(0)) {
            return "%d CPUs on one node, of which its jobs may have %d"
                    .formatted(request.cpusOn(0), mostCpus);
        }
        NodeSeen most = largest(node -> cores(node).cpus());
        if (cpusOf(most) < cpusWanted(most)) {
            return tooMuch(cpusWanted(most), "CPUs", cpusOf(most), most);
        }
        NodeSeen mostMemory = largest(node -> node.inventory().memoryMib());
        if (mostMemory.inventory().memoryMib() < memoryMib()) {
            return tooMuch(
                    memoryMib(), "MiB of memory", mostMemory.inventory().memoryMib(), mostMemory);
        }
        String others = request.gres().isEmpty() ? "" : GresText.text(request.gres()) + ", ";
        String gpus =
                request.gpus().byType().isEmpty()
                        ? Integer.toString(request.gpusOn(0))
                        : GpuRequest.text(request.gpuTypesOn(0));
        return "no single node has %s%s GPUs, %d CPUs and %d MiB of memory together"
                .formatted(others, gpus, request.cpusOn(0), memoryMib());
    }

    /// That no node has the GPUs of one type; null if one has.
    private @Nullable String none(GpuRequest gpus) {
        String type = gpus.type();
        int wanted = wanted(gpus);
        NodeSeen mostGpus = largest(node -> gpusOf(node, gpus));
        int most = gpusOf(mostGpus, gpus);
        if (gpus.share() != null) {
            return most == 0 ? "no GPU is shared so that a job can have " + words(gpus) : null;
        }
        if (wanted > 0 && most == 0 && mostMemory(gpus) > 0) {
            return "no %sGPU has %d MiB of memory; the most that one has is %d MiB"
                    .formatted(
                            type == null ? "" : type + " ", gpus.minMemoryMib(), mostMemory(gpus));
        }
        if (type != null && wanted > 0 && most == 0) {
            return "no node has GPUs of type " + quoted(type) + "; types there are: " + types();
        }
        String kind = type == null ? "" : type + " ";
        String memory =
                gpus.minMemoryMib() == null
                        ? ""
                        : " of %d MiB at least".formatted(gpus.minMemoryMib());
        return most < wanted ? tooMuch(wanted, kind + "GPUs" + memory, most, mostGpus) : null;
    }

    /// That a GPU of the type that is asked for has, in MiB; 0 where memory is not asked for, or
    /// there is no such GPU.
    private long mostMemory(GpuRequest gpus) {
        if (gpus.minMemoryMib() == null) {
            return 0;
        }
        var ofAny = new GpuRequest(1, gpus.type());
        return nodes.stream()
                .flatMap(this::wholeGpus)
                .filter(ofAny::admits)
                .mapToLong(Gpu::memoryMib)
                .max()
                .orElse(0);
    }

    private String bySocket() {
        String what = onSockets();
        return mostOnSocket == 0
                ? what
                : what + ", where its jobs may have %d CPUs of a socket".formatted(mostOnSocket);
    }

    private String onSockets() {
        NodeShape shape = request.where().shape();
        Integer tasks = shape == null ? null : shape.tasksPerSocket();
        String cpus =
                tasks == null
                        ? "%d CPUs".formatted(request.cpusOn(0))
                        : "CPUs for %d tasks of %d, at most %d tasks on a socket"
                                .formatted(request.tasksOn(0), request.cpusPerTask(), tasks);
        GpuRequest gpus = request.gpus();
        return gpus.perSocket() == null
                ? "no node is known to have " + cpus
                : "no node is known to have %s GPUs on each of %d sockets, and there %s"
                        .formatted(gpus.textOnSocket(), gpus.sockets(), cpus);
    }

    /// A part of a GPU as `--gres` says it: `mps:50`, `shard:a100:1,gpumem:16384`.
    public static String words(GpuRequest gpus) {
        ShareRequest part = Objects.requireNonNull(gpus.share());
        String type = gpus.type() == null ? "" : gpus.type() + ":";
        String memory = part.memoryMib() == null ? "" : "gpumem:" + part.memoryMib();
        return part.parts() == 0
                ? memory
                : part.sharing().gres()
                        + ":"
                        + type
                        + part.sharing().amount(part.parts())
                        + (memory.isEmpty() ? "" : "," + memory);
    }

    private String others() {
        return listed(
                nodes.stream()
                        .flatMap(node -> cluster.gresOn(node.node(), node.inventory()).stream())
                        .map(Gres::kind)
                        .distinct()
                        .sorted()
                        .toList());
    }

    private String tooMuch(long asked, String what, long there, NodeSeen node) {
        return "%d %s on one node, and the largest has %d%s"
                .formatted(asked, what, there, named ? " (" + node.node() + ")" : "");
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
