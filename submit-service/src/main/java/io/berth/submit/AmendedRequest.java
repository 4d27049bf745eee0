package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.number;
import static io.berth.submit.Checks.quoted;
import static java.util.Objects.requireNonNullElse;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MemoryRequest.Per;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.slurm.GpuPartText;
import io.berth.slurm.GpuSpec;
import io.berth.slurm.GresList;
import io.berth.slurm.InvalidOption;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a waiting job asks for after a change: each part that the change does not name stays. More
/// nodes of a job with a task on each bring their tasks.
///
/// @param partitions of the job then
record AmendedRequest(
        ResourceRequest before,
        JobChange change,
        List<Partition> partitions,
        Admission admission,
        Collection<NodeSeen> nodes) {

    /// Whether the change speaks of what the job asks for.
    static boolean isAsked(JobChange change) {
        return ofResources(change)
                || Stream.of(
                                change.constraint(),
                                change.prefer(),
                                change.nodeList(),
                                change.excludedNodes(),
                                change.reservation(),
                                change.licenses(),
                                change.contiguous(),
                                change.switches(),
                                change.topology(),
                                change.exclusive())
                        .anyMatch(it -> it != null);
    }

    /// Whether it speaks of what its partition bounds.
    boolean ofResources() {
        return ofResources(change);
    }

    private static boolean ofResources(JobChange change) {
        return Stream.of(
                        change.nodes(),
                        change.tasks(),
                        change.cpusPerTask(),
                        change.minCpusPerNode(),
                        change.memoryMibPerNode(),
                        change.memoryMibPerCpu(),
                        change.gres())
                .anyMatch(it -> it != null);
    }

    /// The whole new request; null if the change does not speak of it, nor of partitions where the
    /// job shares its nodes with others than before.
    @Nullable ResourceRequest request() throws Refused {
        boolean moves = change.partition() != null && sharing() != before.where().sharing();
        if (!isAsked(change) && !moves) {
            return null;
        }
        int count =
                (int)
                        number(
                                "the number of nodes",
                                change.nodes(),
                                1,
                                RequestedResources.MAX_NODES,
                                before.nodes());
        int follows = before.tasks() == before.nodes() ? count : before.tasks();
        int tasks =
                (int)
                        number(
                                "the number of tasks",
                                change.tasks(),
                                1,
                                RequestedResources.MAX_TASKS,
                                follows);
        try {
            GresList asked = change.gres() == null ? null : gres(change.gres());
            GpuRequest gpus = asked == null ? before.gpus() : gpus(asked);
            RequestedResources.checkReach(gpus, count);
            MemoryRequest memory = memory();
            if (memory.per() == Per.GPU && gpus.none()) {
                throw invalid("memory per GPU needs GPUs");
            }
            var request =
                    new ResourceRequest(
                            count,
                            tasks,
                            cpus(
                                    "the number of CPUs per task",
                                    change.cpusPerTask(),
                                    before.cpusPerTask()),
                            memory,
                            gpus,
                            where(),
                            change.licenses() == null
                                    ? before.licenses()
                                    : admission.licenses(change.licenses()),
                            minCpusPerNode(),
                            change.nodes() == null ? before.range() : null,
                            asked == null
                                    ? before.gres()
                                    : RequestedResources.gres(asked.others()));
            RequestedNodes.check(request);
            admission.checkLevel(request);
            NodeConstraints where = before.where();
            boolean model = where.linked() != null;
            Integer segment = model ? null : where.segment();
            return RequestedBlocks.within(
                    request, requireNonNullElse(segment, 0), model, admission.cluster(), nodes);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    /// Which nodes will do; of the blocks they lie in nothing is said yet.
    private NodeConstraints where() throws Refused {
        NodeConstraints where = before.where();
        Sharing sharing = sharing();
        if (sharing == Sharing.NODE && before.gpus().share() != null && change.gres() == null) {
            throw invalid("a part of a GPU is of one GPU of a node that others use too");
        }
        return new NodeConstraints(
                        change.constraint() == null
                                ? where.features()
                                : RequestedNodes.features(change.constraint()),
                        change.nodeList() == null
                                ? where.nodeList()
                                : RequestedNodes.names(change.nodeList(), nodes),
                        change.excludedNodes() == null
                                ? where.excluded()
                                : RequestedNodes.names(change.excludedNodes(), nodes),
                        sharing,
                        change.switches() == null && change.topology() == null
                                ? where.switches()
                                : RequestedNodes.limit(change.switches(), change.topology()),
                        change.reservation() == null
                                ? where.reservation()
                                : change.reservation().isEmpty() ? null : change.reservation(),
                        where.shape(),
                        change.contiguous() == null ? where.contiguous() : change.contiguous())
                .preferring(
                        change.prefer() == null
                                ? where.prefer()
                                : RequestedNodes.features(change.prefer()));
    }

    private Sharing sharing() throws Refused {
        Boolean alone = change.exclusive();
        Sharing sharing = before.where().sharing();
        if (alone != null) {
            boolean permits = sharing == Sharing.OVERSUBSCRIBE;
            sharing = alone ? Sharing.NODE : permits ? sharing : Sharing.SHARED;
        }
        return PartitionNodes.within(partitions, sharing);
    }

    private MemoryRequest memory() throws Refused {
        if (change.memoryMibPerNode() != null && change.memoryMibPerCpu() != null) {
            throw invalid("memory per node and memory per CPU are mutually exclusive");
        }
        if (change.memoryMibPerNode() != null) {
            return MemoryRequest.perNode(
                    number(
                            "memory per node",
                            change.memoryMibPerNode(),
                            0,
                            RequestedResources.MAX_MIB,
                            0));
        }
        return change.memoryMibPerCpu() == null
                ? before.memory()
                : MemoryRequest.perCpu(
                        number(
                                "memory per CPU",
                                change.memoryMibPerCpu(),
                                1,
                                RequestedResources.MAX_MIB,
                                0));
    }

    private @Nullable Integer minCpusPerNode() throws Refused {
        int least =
                cpus(
                        "the number of CPUs per node",
                        change.minCpusPerNode(),
                        requireNonNullElse(before.minCpusPerNode(), 1));
        RequestedResources.checkMinCpus(
                least,
                before.gpus().perSocket() != null,
                before.where().shape() == null ? null : before.where().shape().tasksPerSocket());
        return least == 1 ? null : (Integer) least;
    }

    private static int cpus(String what, @Nullable Integer asked, int otherwise) throws Refused {
        return (int) number(what, asked, 1, IndexSet.MAX_INDEX + 1L, otherwise);
    }

    private static GresList gres(String text) throws Refused {
        try {
            return GresList.parse(text.isEmpty() ? "none" : text);
        } catch (InvalidOption e) {
            throw invalid("Invalid generic resource (gres) specification: " + quoted(text));
        }
    }

    private GpuRequest gpus(GresList asked) throws Refused {
        if (before.gpus().perSocket() != null) {
            throw invalid("the job asks for GPUs of its nodes' sockets: submit it anew");
        }
        GpuSpec whole = asked.gpus();
        String part = asked.part();
        if (whole != null && whole.count() > 0) {
            int count =
                    (int)
                            number(
                                    "the number of GPUs per node",
                                    whole.count(),
                                    1,
                                    RequestedResources.MAX_GPUS,
                                    0);
            String type = whole.type();
            if (whole.types() != null) {
                return GpuRequest.ofTypes(
                        Checks.gpuTypes(whole.types()), part == null ? null : memory(part));
            }
            return new GpuRequest(
                    count,
                    type == null ? null : Checks.gpuType(type),
                    null,
                    null,
                    null,
                    part == null ? null : memory(part));
        }
        if (part == null) {
            return GpuRequest.NONE;
        }
        if (sharing() == Sharing.NODE
                || (before.where().shape() != null
                        && before.where().shape().tasksPerSocket() != null)) {
            throw invalid(
                    "a part of a GPU (%s) is of one GPU of a node that others use too, on any sockets"
                            .formatted(part));
        }
        try {
            return GpuPartText.parse(part);
        } catch (InvalidOption e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable Long memory(String part) throws Refused {
        try {
            return GpuPartText.memoryAlone(part);
        } catch (InvalidOption e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }
}
