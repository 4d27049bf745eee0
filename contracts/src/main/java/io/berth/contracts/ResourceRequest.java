package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.MemoryRequest.Per;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// What a job needs to run: nodes, tasks spread over them in blocks, and for each task or node its
/// CPUs, memory and GPUs.
///
/// @param nodes how many it has, or will have at least
/// @param constraints which nodes will do; null is [NodeConstraints#NONE]
/// @param licenses how many of each the whole job holds; null is none
/// @param minCpusPerNode CPUs that it has on each node at least; null does not ask
/// @param range within which its nodes may be more; null is no more than `nodes`
/// @param gres resources other than GPUs that it holds on each node: of a name one without a type,
///   or one of each type
public record ResourceRequest(
        int nodes,
        int tasks,
        int cpusPerTask,
        MemoryRequest memory,
        GpuRequest gpus,
        @Nullable NodeConstraints constraints,
        @Nullable Map<String, Integer> licenses,
        @Nullable Integer minCpusPerNode,
        @Nullable NodeRange range,
        @Added @JsonInclude(Include.NON_EMPTY) List<Gres> gres) {

    public ResourceRequest {
        if (nodes < 1 || tasks < nodes || cpusPerTask < 1) {
            throw new IllegalArgumentException(
                    tasks
                            + " tasks of "
                            + cpusPerTask
                            + " CPUs on "
                            + nodes
                            + " nodes: each must be at least 1, and a node needs a task");
        }
        if ((minCpusPerNode != null && minCpusPerNode < 1)
                || (range != null
                        && (nodes < range.least()
                                || nodes > range.most()
                                || (!range.moreTasks() && tasks < range.most())
                                || (range.moreTasks() && tasks % nodes != 0)))) {
            throw new IllegalArgumentException(
                    "%d tasks on %d nodes of %s with %s CPUs each: tasks that fill the nodes, and CPUs"
                            .formatted(tasks, nodes, range, minCpusPerNode));
        }
        if (gpus.share() != null && (nodes > 1 || range != null)) {
            throw new IllegalArgumentException(
                    "a part of a GPU on " + nodes + " nodes: it is of one GPU of one node");
        }
        if (Math.max(
                        cpusOfAll(nodes, tasks, cpusPerTask, minCpusPerNode),
                        gpusOfAll(nodes, tasks, gpus))
                > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "%d tasks of %d CPUs on %d nodes with %s are more than any cluster has"
                            .formatted(tasks, cpusPerTask, nodes, gpus));
        }
        constraints = NodeConstraints.NONE.equals(constraints) ? null : constraints;
        Integer segment = constraints == null ? null : constraints.segment();
        if (segment != null && (range != null || nodes % segment != 0)) {
            throw new IllegalArgumentException(
                    "%d nodes do not divide into segments of %d".formatted(nodes, segment));
        }
        if (!gpus.byType().isEmpty() && constraints != null && constraints.linked() != null) {
            throw new IllegalArgumentException(
                    "GPUs of several types (%s) are no NVLink island".formatted(gpus.byType()));
        }
        gres = gres == null ? List.of() : gres.stream().sorted().toList();
        String ambiguous = Gres.ambiguous(gres);
        if (ambiguous != null) {
            throw new IllegalArgumentException(
                    "'%s' comes twice in %s: with its types, or once without one"
                            .formatted(ambiguous, gres));
        }
        licenses =
                licenses == null || licenses.isEmpty()
                        ? null
                        : Collections.unmodifiableMap(new TreeMap<>(licenses));
    }

    /// A request for no resources but CPUs, memory and GPUs.
    public ResourceRequest(
            int nodes,
            int tasks,
            int cpusPerTask,
            MemoryRequest memory,
            GpuRequest gpus,
            @Nullable NodeConstraints constraints,
            @Nullable Map<String, Integer> licenses,
            @Nullable Integer minCpusPerNode,
            @Nullable NodeRange range) {
        this(
                nodes,
                tasks,
                cpusPerTask,
                memory,
                gpus,
                constraints,
                licenses,
                minCpusPerNode,
                range,
                List.of());
    }

    /// A request for that many nodes, as many CPUs as its tasks need.
    public ResourceRequest(
            int nodes,
            int tasks,
            int cpusPerTask,
            MemoryRequest memory,
            GpuRequest gpus,
            @Nullable NodeConstraints constraints,
            @Nullable Map<String, Integer> licenses) {
        this(nodes, tasks, cpusPerTask, memory, gpus, constraints, licenses, null, null);
    }

    /// A request that needs no licenses.
    public ResourceRequest(
            int nodes,
            int tasks,
            int cpusPerTask,
            MemoryRequest memory,
            GpuRequest gpus,
            @Nullable NodeConstraints constraints) {
        this(nodes, tasks, cpusPerTask, memory, gpus, constraints, null);
    }

    /// A request that any nodes with room will do for.
    public ResourceRequest(
            int nodes, int tasks, int cpusPerTask, MemoryRequest memory, GpuRequest gpus) {
        this(nodes, tasks, cpusPerTask, memory, gpus, null, null);
    }

    /// Which nodes will do; never null.
    public NodeConstraints where() {
        return Objects.requireNonNullElse(constraints, NodeConstraints.NONE);
    }

    /// Whether GPUs in MIG mode are divided for it: it wants instances, on one node, which it does
    /// not ask for alone.
    public boolean ofDividedGpus() {
        return gpus.ofInstances() && nodes == 1 && where().sharing() != Sharing.NODE;
    }

    /// How many licenses of each name the whole job holds.
    public Map<String, Integer> licensesHeld() {
        return licenses == null ? Map.of() : licenses;
    }

    /// The same request, under any number of switches.
    public ResourceRequest underAnySwitches() {
        return on(where().under(null));
    }

    /// The same request, on such nodes.
    public ResourceRequest on(@Nullable NodeConstraints such) {
        return new ResourceRequest(
                nodes,
                tasks,
                cpusPerTask,
                memory,
                gpus,
                such,
                licenses,
                minCpusPerNode,
                range,
                gres);
    }

    /// The same request for other GPUs.
    public ResourceRequest with(GpuRequest others) {
        return new ResourceRequest(
                nodes,
                tasks,
                cpusPerTask,
                memory,
                others,
                constraints,
                licenses,
                minCpusPerNode,
                range,
                gres);
    }

    /// The same request for other resources than GPUs.
    public ResourceRequest holding(List<Gres> others) {
        return new ResourceRequest(
                nodes,
                tasks,
                cpusPerTask,
                memory,
                gpus,
                constraints,
                licenses,
                minCpusPerNode,
                range,
                others);
    }

    /// The same request with other memory, and other CPUs for it.
    public ResourceRequest with(MemoryRequest other, int cpus) {
        return new ResourceRequest(
                nodes,
                tasks,
                cpus,
                other,
                gpus,
                constraints,
                licenses,
                minCpusPerNode,
                range,
                gres);
    }

    /// The same request on so many nodes of its range.
    ///
    /// @throws IllegalArgumentException if its range does not have them
    public ResourceRequest onNodes(int count) {
        return count == nodes
                ? this
                : new ResourceRequest(
                        count,
                        range != null && range.moreTasks() ? tasks / nodes * count : tasks,
                        cpusPerTask,
                        memory,
                        gpus,
                        constraints,
                        licenses,
                        minCpusPerNode,
                        range,
                        gres);
    }

    /// The same request on so many nodes of its range at least.
    ///
    /// @throws IllegalArgumentException if its range does not have them
    public ResourceRequest onAtLeast(int count) {
        if (range == null) {
            return onNodes(count);
        }
        ResourceRequest more = onNodes(count);
        return new ResourceRequest(
                more.nodes,
                more.tasks,
                cpusPerTask,
                memory,
                gpus,
                constraints,
                licenses,
                minCpusPerNode,
                more.nodes == range.most()
                        ? null
                        : new NodeRange(more.nodes, range.most(), range.moreTasks()),
                gres);
    }

    /// The same request on as few nodes as it may have.
    public ResourceRequest onLeastNodes() {
        return range == null ? this : onNodes(range.least());
    }

    /// Of how many nodes each of its segments is; 0 if it is in none.
    public int segment() {
        Integer segment = where().segment();
        return segment == null || nodes == 1 ? 0 : segment;
    }

    /// Whether it needs less of each node on more of them: its tasks or its GPUs are counted.
    public boolean spreads() {
        return range != null && (!range.moreTasks() || gpus.total() != null);
    }

    /// How many nodes it may have at most.
    public int mostNodes() {
        return range == null ? nodes : range.most();
    }

    /// The nodes that must be among its own, where others may be too; none where it may have no
    /// other nodes than those of its list.
    public List<NodeName> nodesAmong() {
        List<NodeName> listed = where().nodeList();
        return listed.size() < nodes ? listed : List.of();
    }

    /// Tasks on the node with this index (0 to `nodes - 1`): the first nodes take the remainder.
    public int tasksOn(int nodeIndex) {
        return tasks / nodes + (nodeIndex < tasks % nodes ? 1 : 0);
    }

    public int cpusOn(int nodeIndex) {
        int ofTasks = Math.multiplyExact(tasksOn(nodeIndex), cpusPerTask);
        return minCpusPerNode == null ? ofTasks : Math.max(ofTasks, minCpusPerNode);
    }

    /// Memory on that node in MiB; `nodeMib`, all that the node has, when the request is for all.
    public long memoryMibOn(int nodeIndex, long nodeMib) {
        if (memory.wholeNode()) {
            return nodeMib;
        }
        return switch (memory.per()) {
            case Per.NODE -> memory.mib();
            case Per.CPU -> Math.multiplyExact(memory.mib(), (long) cpusOn(nodeIndex));
            case Per.GPU -> Math.multiplyExact(memory.mib(), (long) gpusOn(nodeIndex));
        };
    }

    /// GPUs on that node: by what it is given, by its tasks, or its even part of the total; of
    /// several types the sum of what each is so.
    public int gpusOn(int nodeIndex) {
        return gpus.total() == null || gpus.byType().isEmpty()
                ? gpusOn(nodeIndex, gpus)
                : gpus.ofEach().stream().mapToInt(one -> gpusOn(nodeIndex, one)).sum();
    }

    /// GPUs of one type on that node.
    ///
    /// @param one of those that [GpuRequest#ofEach] tells
    public int gpusOn(int nodeIndex, GpuRequest one) {
        Integer perTask = one.perTask();
        if (perTask != null) {
            return Math.multiplyExact(perTask, tasksOn(nodeIndex));
        }
        Integer total = one.total();
        return total == null ? one.perNode() : total / nodes + (nodeIndex < total % nodes ? 1 : 0);
    }

    /// GPUs of each type that it names on that node; none of a type that it has none of there.
    public SortedMap<String, Integer> gpuTypesOn(int nodeIndex) {
        return types(one -> gpusOn(nodeIndex, one));
    }

    /// GPUs of each type that it names on all nodes.
    public SortedMap<String, Integer> gpuTypes() {
        return types(one -> (int) gpusOfAll(nodes, tasks, one));
    }

    private SortedMap<String, Integer> types(ToIntFunction<GpuRequest> count) {
        var types = new TreeMap<String, Integer>();
        for (GpuRequest one : gpus.ofEach()) {
            int some = count.applyAsInt(one);
            if (one.type() != null && some > 0) {
                types.put(one.type(), some);
            }
        }
        return types;
    }

    /// By what nodes take, the most first: how many of its nodes take that or more. The last are
    /// all of them, and there are no others unless tasks, or GPUs of some type, do not divide.
    public SortedSet<Integer> nodesBySize() {
        var ends = new TreeSet<Integer>();
        ends.add(tasks % nodes);
        for (GpuRequest one : gpus.ofEach()) {
            Integer total = one.total();
            ends.add(total == null ? 0 : total % nodes);
        }
        ends.remove(0);
        ends.add(nodes);
        return ends;
    }

    public int totalGpus() {
        return (int) gpusOfAll(nodes, tasks, gpus);
    }

    /// CPUs of all nodes; a request of more than an `int` holds is refused.
    private static long cpusOfAll(
            int nodes, int tasks, int cpusPerTask, @Nullable Integer minCpusPerNode) {
        long least = minCpusPerNode == null ? 1 : minCpusPerNode;
        long fuller = tasks % nodes;
        return fuller * Math.max((tasks / nodes + 1L) * cpusPerTask, least)
                + (nodes - fuller) * Math.max((long) (tasks / nodes) * cpusPerTask, least);
    }

    private static long gpusOfAll(int nodes, int tasks, GpuRequest gpus) {
        Integer perTask = gpus.perTask();
        if (perTask != null) {
            return (long) tasks * perTask;
        }
        Integer total = gpus.total();
        return total == null ? (long) nodes * gpus.perNode() : total;
    }

    public int totalCpus() {
        return (int) cpusOfAll(nodes, tasks, cpusPerTask, minCpusPerNode);
    }
}
