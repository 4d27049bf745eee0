package io.berth.simulator.run;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.NodeSeen;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Jobs and nodes of a trace as people would submit them and agents register them.
final class CellShapes {

    /// Of a node whose CPUs no list tells.
    private static final int MANY_CPUS = 4096;

    private final GivingWay givingWay;
    private final int mostGpus;

    CellShapes(GivingWay givingWay, List<TraceNode> nodes) {
        this.givingWay = givingWay;
        this.mostGpus = nodes.stream().mapToInt(TraceNode::gpus).max().orElse(0);
    }

    /// @param limitSeconds its time limit; 0 is none
    JobDescription job(TraceJob job, long limitSeconds) {
        return new JobDescription(
                job.user(),
                Accounts.member(job).account(),
                givingWay.partition(job),
                givingWay.qos(job),
                job.id(),
                request(job),
                LaunchMode.BATCH,
                limitSeconds,
                0,
                true);
    }

    private ResourceRequest request(TraceJob job) {
        int nodes = VirtualCluster.nodes(job, mostGpus);
        Integer gpus = job.gpus() == 0 ? null : Integer.valueOf(job.gpus());
        String type = job.gpuTypes().size() == 1 ? job.gpuTypes().getFirst() : null;
        int cpus = Math.ceilDiv(job.cpusMilli(), 1000);
        return new ResourceRequest(
                nodes,
                nodes,
                Math.max(1, Math.ceilDiv(cpus, nodes)),
                MemoryRequest.perNode(Math.max(1, Math.ceilDiv(job.memoryMib(), nodes))),
                new GpuRequest(0, gpus == null ? null : type, null, gpus, null, null),
                new NodeConstraints(types(job), List.of(), List.of(), Sharing.SHARED, null));
    }

    /// One of several types is told as a feature of the nodes.
    private static @Nullable FeatureExpression types(TraceJob job) {
        return job.gpus() == 0 || job.gpuTypes().size() < 2
                ? null
                : FeatureExpression.parse(
                        String.join(
                                "|", job.gpuTypes().stream().map(CellShapes::feature).toList()));
    }

    private static String feature(String type) {
        return type.replaceAll("[^A-Za-z0-9_]", "_");
    }

    static NodeName name(int index) {
        return new NodeName(String.format(Locale.ROOT, "n%07d", index));
    }

    /// What shows which type of GPU the node has.
    static List<String> features(TraceNode node) {
        return node.gpus() == 0 ? List.of() : List.of(feature(node.gpuType()));
    }

    static NodeSeen node(TraceNode node, int index) {
        String name = name(index).value();
        List<Gpu> gpus =
                IntStream.range(0, node.gpus())
                        .mapToObj(i ->
                                new Gpu(i, name + "-" + i, node.gpuType(), node.gpuType(), i, 0, 0))
                        .toList();
        int cpus = node.cpusMilli() == TraceNode.UNKNOWN_CPUS ? MANY_CPUS : node.cpusMilli() / 1000;
        var inventory =
                new Inventory(
                        1,
                        cpus,
                        1,
                        cpus,
                        node.memoryMib(),
                        gpus,
                        List.of(),
                        true,
                        null,
                        "linux",
                        "x86_64");
        return new NodeSeen(name(index), name, name, "boot", "simulated", inventory, List.of(), 0);
    }
}
