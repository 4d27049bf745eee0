package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.number;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MemoryRequest.Per;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeRange;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules.Use.GpuDefaults;
import io.berth.core.request.Sockets;
import io.berth.slurm.GpuPartText;
import io.berth.slurm.GresText;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The resources that a submission asks for, worked out as Slurm does it from counts that may be
/// given in total, per node and per task.
///
/// - Nodes: as given; else GPUs ÷ GPUs per node; else tasks ÷ tasks per node, rounded up; else the
///   fewest nodes that have the GPUs; else one. More nodes than tasks are cut down to the tasks.
/// - Tasks: as given; else nodes × tasks per node; else GPUs ÷ GPUs per task; else one a node.
/// - GPUs: so many on every node; or on each those of its tasks; or all of them, as evenly as they
///   divide, at least one on each. Of several types each so, by itself.
///
/// `--nodes=2 --gpus=8 --gpus-per-task=2` is 2 nodes with 2 tasks and 4 GPUs each; of `--nodes=2
/// --ntasks=3 --gpus-per-task=1` the first has 2 tasks and 2 GPUs, the second one each.
///
/// Source: sbatch(1), `--ntasks`, `--gpus`, `--gpus-per-node`, `--gpus-per-task`.
final class RequestedResources {
    static final int MAX_NODES = 1 << 16;
    static final int MAX_TASKS = 1 << 20;
    static final int MAX_GPUS = 1 << 20;
    static final long MAX_MIB = 1L << 31;

    private final JobSubmission asked;
    private final Partition partition;
    private final Collection<NodeSeen> candidates;
    private final int givenTasks;
    private final int tasksPerNode;

    /// By its sockets; 0 is any number.
    private final int mostTasksPerNode;

    private final int gpus;
    private final int gpusPerNode;
    private final int gpusPerSocket;
    private final int gpusPerTask;
    private final int tasksPerGpu;

    /// How many of the GPUs of each task, of each node, or else of all are of each of several
    /// types, of those of sockets how many on each node; empty for one type, or any.
    private final Map<String, Integer> gpuTypes;

    /// That each whole GPU has at least; null does not ask.
    private final @Nullable Long gpuMemoryMib;

    /// @param candidates the registered nodes of the partition
    RequestedResources(JobSubmission asked, Partition partition, Collection<NodeSeen> candidates)
            throws Refused {
        this.asked = asked;
        this.partition = partition;
        this.candidates = candidates;
        int tasks = (int) number("the number of tasks", asked.tasks(), 1, MAX_TASKS, 0);
        this.tasksPerNode =
                (int) number("the number of tasks per node", asked.tasksPerNode(), 1, MAX_TASKS, 0);
        this.mostTasksPerNode = mostTasksPerNode();
        int all = (int) number("the number of GPUs", asked.gpus(), 0, MAX_GPUS, 0);
        this.gpusPerSocket =
                (int)
                        number(
                                "the number of GPUs per socket",
                                asked.nodesWanted().gpusPerSocket(),
                                0,
                                MAX_GPUS,
                                0);
        this.gpusPerNode = gpusPerNode();
        this.gpusPerTask =
                (int) number("the number of GPUs per task", asked.gpusPerTask(), 0, MAX_GPUS, 0);
        this.tasksPerGpu =
                (int) number("the number of tasks per GPU", asked.tasksPerGpu(), 1, MAX_TASKS, 0);
        if (tasksPerGpu > 0) {
            checkTasksPerGpu(tasks, all);
        }
        boolean gpusOfTasks = tasksPerGpu > 0 && all == 0 && gpusPerNode == 0;
        this.gpus = gpusOfTasks ? tasks / tasksPerGpu : all;
        this.givenTasks =
                tasksPerGpu > 0 && all > 0
                        ? (int) number("tasks", (long) all * tasksPerGpu, 1, MAX_TASKS, 0)
                        : tasks;
        this.gpuMemoryMib = gpuMemoryMib();
        this.gpuTypes = gpuTypes();
    }

    private Map<String, Integer> gpuTypes() throws Refused {
        String list = asked.gpuTypes();
        if (list == null) {
            return Map.of();
        }
        Map<String, Integer> types = Checks.gpuTypes(list);
        long sum = types.values().stream().mapToLong(Integer::longValue).sum();
        int counted = gpusPerTask > 0 ? gpusPerTask : gpusPerNode > 0 ? gpusPerNode : gpus;
        if (sum != counted) {
            throw invalid(
                    "GPUs of types %s are %d, and %d %s asked for"
                            .formatted(quoted(list), sum, counted, counted == 1 ? "is" : "are"));
        }
        @Nullable String other = null;
        if (asked.gpuType() != null) {
            other = "of one type";
        } else if (gpusPerTask > 0 && gpusPerNode > 0) {
            other = "counted per node beside those per task";
        } else if (model()) {
            other = "linked to one another";
        }
        if (other != null) {
            throw invalid(
                    "GPUs of several types (%s) and GPUs %s exclude each other"
                            .formatted(list, other));
        }
        int sockets = gpusPerSocket == 0 ? 1 : gpusPerNode / gpusPerSocket;
        if (types.values().stream().anyMatch(it -> it % sockets != 0)) {
            throw invalid(
                    "GPUs of types %s are not as many of each on each of %d sockets"
                            .formatted(quoted(list), sockets));
        }
        return types;
    }

    /// As many GPUs as the sockets of a node give together.
    private int gpusPerNode() throws Refused {
        int given =
                (int) number("the number of GPUs per node", asked.gpusPerNode(), 0, MAX_GPUS, 0);
        if (gpusPerSocket == 0) {
            return given;
        }
        Integer sockets = asked.nodesWanted().sockets();
        if (sockets == null) {
            throw invalid("--gpus-per-socket option requires --sockets-per-node specification");
        }
        if (new GpuRequest(1, asked.gpuType()).ofInstances() || model()) {
            throw invalid(
                    "GPUs per socket are whole GPUs, and need not be linked to one another:"
                            + " MIG instances and 'parallel=model' exclude them");
        }
        long all = (long) gpusPerSocket * sockets;
        int perNode = (int) number("the number of GPUs per node", all, 1, MAX_GPUS, 0);
        return given == 0 ? perNode : agreed(given, perNode);
    }

    private @Nullable Long gpuMemoryMib() throws Refused {
        String part = asked.gpuPart();
        if (part == null || (gpus == 0 && gpusPerNode == 0 && gpusPerTask == 0)) {
            return null;
        }
        try {
            return GpuPartText.memoryAlone(part);
        } catch (InvalidOption e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private boolean model() {
        return "model".equals(asked.nodesWanted().parallel());
    }

    private int mostTasksPerNode() throws Refused {
        Integer perSocket = asked.nodesWanted().tasksPerSocket();
        Integer sockets = asked.nodesWanted().sockets();
        return perSocket == null || sockets == null
                ? 0
                : (int)
                        number(
                                "the number of tasks per node",
                                (long) perSocket * sockets,
                                1,
                                MAX_TASKS,
                                0);
    }

    private void checkTasksPerGpu(int tasks, int all) throws Refused {
        if (gpusPerTask > 0 || tasksPerNode > 0) {
            throw invalid("tasks per GPU exclude GPUs per task and tasks per node");
        }
        if (tasks == 0 && all == 0 && gpusPerNode == 0) {
            throw invalid("tasks per GPU need the number of tasks or of GPUs");
        }
        if (tasks > 0 && (all > 0 ? all * (long) tasksPerGpu != tasks : tasks % tasksPerGpu != 0)) {
            throw invalid("%d tasks do not go with %d tasks per GPU".formatted(tasks, tasksPerGpu));
        }
    }

    /// @param where which nodes will do; null is any
    /// @param licenses how many of each
    ResourceRequest request(@Nullable NodeConstraints where, Map<String, Integer> licenses)
            throws Refused {
        int nodes = Math.max(nodes(), asked.nodes() == null ? counted(where) : 1);
        int tasks = tasks(nodes);
        NodeRange range = range(nodes);
        var gpuRequest =
                asked.gpuPart() != null && gpuMemoryMib == null
                        ? part(range == null ? nodes : range.most(), where)
                        : range == null ? gpuRequest(nodes, tasks) : spread(nodes, tasks);
        boolean dealt = gpuRequest.perTask() == null && range == null;
        int cpusPerTask = cpusPerTask(total(gpuRequest, nodes, tasks), tasks, dealt ? nodes : 1);
        try {
            return new PartitionMemory(partition)
                    .within(
                            new ResourceRequest(
                                    nodes,
                                    tasks,
                                    cpusPerTask,
                                    memory(gpuRequest),
                                    gpuRequest,
                                    where,
                                    licenses,
                                    minCpusPerNode(),
                                    range,
                                    gres(asked.gres())));
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    static List<Gres> gres(@Nullable String list) throws Refused {
        try {
            return GresText.wanted(list);
        } catch (InvalidOption e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    /// How many nodes the features of the job's nodes count.
    private static int counted(@Nullable NodeConstraints where) {
        return where == null || where.features() == null ? 1 : where.features().nodesCounted();
    }

    private @Nullable Integer minCpusPerNode() throws Refused {
        Integer given = asked.nodesWanted().minCpusPerNode();
        int least =
                (int) number("the number of CPUs per node", given, 1, IndexSet.MAX_INDEX + 1L, 1);
        checkMinCpus(least, gpusPerSocket > 0, asked.nodesWanted().tasksPerSocket());
        return least == 1 ? null : (Integer) least;
    }

    static void checkMinCpus(
            int minCpusPerNode, boolean gpusPerSocket, @Nullable Integer tasksPerSocket)
            throws Refused {
        if (minCpusPerNode > 1 && gpusPerSocket && tasksPerSocket != null) {
            throw invalid(
                    "--mincpus goes with --gpus-per-socket or with --ntasks-per-socket, not with both:"
                            + " the CPUs beyond those of the tasks would be of any socket");
        }
    }

    /// How far the job may spread: not beyond its tasks or its GPUs, where they are counted.
    private @Nullable NodeRange range(int nodes) throws Refused {
        Integer given = asked.nodesWanted().maxNodes();
        int most = (int) number("the most nodes", given, nodes, MAX_NODES, nodes);
        most = givenTasks > 0 ? Math.min(most, givenTasks) : most;
        if (gpus > 0) {
            most =
                    gpusPerNode > 0
                            ? nodes
                            : Math.min(
                                    most,
                                    gpusPerTask > 0 ? gpus / gpusPerTask : inTotal().mostNodes());
        }
        boolean moreTasks = givenTasks == 0 && (gpus == 0 || gpusPerTask == 0);
        return most <= nodes ? null : new NodeRange(nodes, most, moreTasks);
    }

    /// GPUs of a job of which it is not known yet how many nodes it will have.
    private GpuRequest spread(int nodes, int tasks) throws Refused {
        if (gpusPerTask > 0 && gpusPerNode == 0 && (gpus == 0 || gpus == gpusPerTask * tasks)) {
            return perTask();
        }
        if (gpus > 0 && gpusPerTask == 0) {
            return inTotal();
        }
        return gpuRequest(nodes, tasks);
    }

    private GpuRequest perTask() {
        return ofTypes(new GpuRequest(0, asked.gpuType(), gpusPerTask, null, null, gpuMemoryMib));
    }

    private GpuRequest inTotal() {
        return ofTypes(new GpuRequest(0, asked.gpuType(), null, gpus, null, gpuMemoryMib));
    }

    /// The same of the types that are asked for, as many of each as all are of them.
    private GpuRequest ofTypes(GpuRequest ofAny) {
        if (gpuTypes.isEmpty()) {
            return ofAny;
        }
        long sum = gpuTypes.values().stream().mapToLong(Integer::longValue).sum();
        var types = new TreeMap<String, Integer>();
        gpuTypes.forEach(
                (type, count) -> types.put(type, (int) (count * (long) ofAny.counted() / sum)));
        return ofAny.of(types);
    }

    private static long total(GpuRequest gpus, int nodes, int tasks) {
        Integer all = gpus.total();
        Integer perTask = gpus.perTask();
        return perTask != null
                ? perTask * (long) tasks
                : all == null ? gpus.perNode() * (long) nodes : all;
    }

    /// @param nodes over which GPUs and tasks are dealt out
    private int cpusPerTask(long allGpus, int tasks, int nodes) throws Refused {
        long most = IndexSet.MAX_INDEX + 1L;
        GpuDefaults defaults = partition.partitionRules().ofNodes().gpuDefaults();
        long usual = allGpus > 0 && asked.cpusPerTask() == null ? defaults.cpusPerGpu() : 0;
        long perGpu = number("the number of CPUs per GPU", asked.cpusPerGpu(), 1, most, usual);
        if (perGpu == 0) {
            return (int) number("the number of CPUs per task", asked.cpusPerTask(), 1, most, 1);
        }
        if (asked.cpusPerTask() != null) {
            throw invalid("CPUs per GPU and CPUs per task are mutually exclusive");
        }
        long perTask = 1;
        for (int node = 0; node < nodes; node++) {
            long its = dealt(allGpus, nodes, node) * perGpu;
            perTask = Math.max(perTask, Math.ceilDiv(its, dealt(tasks, nodes, node)));
        }
        return (int) number("the number of CPUs per task", perTask, 1, most, 1);
    }

    /// The first nodes have those that are left over.
    private static long dealt(long all, int nodes, int node) {
        return all / nodes + (node < all % nodes ? 1 : 0);
    }

    private int nodes() throws Refused {
        int given = (int) number("the number of nodes", asked.nodes(), 1, MAX_NODES, 0);
        if (given > 0) {
            return givenTasks > 0 ? Math.min(given, givenTasks) : given;
        }
        int derived = 1;
        if (gpus > 0 && gpusPerNode > 0) {
            derived = quotient("GPUs per node", gpusPerNode);
        } else if (givenTasks > 0 && tasksPerNode > 0) {
            derived = Math.ceilDiv(givenTasks, tasksPerNode);
        } else if (givenTasks > 0 && mostTasksPerNode > 0 && gpus == 0) {
            derived = Math.ceilDiv(givenTasks, mostTasksPerNode);
        } else if (gpus > 0 || (gpusPerTask > 0 && givenTasks > 0)) {
            derived = fewestNodesThatHave(fewestBySocket());
        } else {
            derived = fewestBySocket();
        }
        if (derived > MAX_NODES || (givenTasks > 0 && givenTasks < derived)) {
            throw invalid(
                    gpusWanted()
                            + " GPUs make "
                            + derived
                            + " nodes, too many for "
                            + givenTasks
                            + " tasks");
        }
        return derived;
    }

    private int quotient(String what, int divisor) throws Refused {
        if (gpus % divisor != 0) {
            throw invalid(gpus + " GPUs are not a multiple of " + divisor + " " + what);
        }
        return gpus / divisor;
    }

    /// The fewest nodes on whose sockets the tasks find their CPUs, at most so many on each; 1
    /// where that is not asked, or no node of the partition is known to take any.
    private int fewestBySocket() throws Refused {
        Integer perSocket = asked.nodesWanted().tasksPerSocket();
        if (perSocket == null || givenTasks == 0) {
            return 1;
        }
        int cpus = cpusPerTask(gpus, givenTasks, 1);
        long most =
                candidates.stream()
                        .filter(node -> gpus == 0 || matchingGpus(node) > 0)
                        .mapToLong(node ->
                                Sockets.of(node.inventory()).cpus().stream()
                                        .mapToLong(it -> Math.min(perSocket, it.size() / cpus))
                                        .sum())
                        .max()
                        .orElse(0);
        return most == 0 ? 1 : (int) Math.ceilDiv(givenTasks, most);
    }

    /// @param least nodes that it must be for another reason
    private int fewestNodesThatHave(int least) {
        if (!gpuTypes.isEmpty()) {
            return fewestOfTypes(least);
        }
        int largest = candidates.stream().mapToInt(this::matchingGpus).max().orElse(0);
        int each = Math.max(1, gpusPerTask);
        int most = largest - largest % each; // A task's GPUs are of one node.
        return most == 0
                ? least
                : (int)
                        Math.clamp(
                                Math.max(least, Math.ceilDiv(gpusWanted(), most)),
                                0,
                                MAX_NODES + 1L);
    }

    /// The fewest nodes of which one of the partition has all that the first gets of GPUs of
    /// several types; `least` where there are none.
    private int fewestOfTypes(int least) {
        if (gpusWanted() > MAX_GPUS) {
            return least;
        }
        GpuRequest all = gpusPerTask > 0 ? perTask() : inTotal();
        int tasks = gpusPerTask > 0 ? (int) gpusWanted() / gpusPerTask : all.mostNodes();
        int most = Math.min(tasks, candidates.size());
        for (int nodes = least; nodes <= most; nodes++) {
            var on = new ResourceRequest(nodes, tasks, 1, MemoryRequest.perNode(0), all);
            if (candidates.stream().anyMatch(node -> has(node, on))) {
                return nodes;
            }
        }
        return least;
    }

    private static boolean has(NodeSeen node, ResourceRequest wanted) {
        return wanted.gpus().ofEach().stream()
                .allMatch(one ->
                        node.inventory().gpus().stream().filter(one::admits).count()
                                >= wanted.gpusOn(0, one));
    }

    /// In all, where that is counted.
    private long gpusWanted() {
        return gpus > 0 ? gpus : (long) gpusPerTask * givenTasks;
    }

    private int matchingGpus(NodeSeen node) {
        var any = new GpuRequest(1, asked.gpuType(), null, null, null, gpuMemoryMib);
        return (int) node.inventory().gpus().stream().filter(any::admits).count();
    }

    private int tasks(int nodes) throws Refused {
        if (givenTasks > 0) {
            if (tasksPerNode > 0 && givenTasks > (long) nodes * tasksPerNode) {
                throw invalid(
                        "%d tasks do not fit on %d nodes with %d tasks per node"
                                .formatted(givenTasks, nodes, tasksPerNode));
            }
            return givenTasks;
        }
        if (tasksPerGpu > 0 && gpusPerNode > 0) {
            long tasks = (long) nodes * gpusPerNode * tasksPerGpu;
            return (int) number("the number of tasks", tasks, 1, MAX_TASKS, 0);
        }
        if (tasksPerNode > 0) {
            long tasks = (long) nodes * tasksPerNode;
            return (int) number("the number of tasks", tasks, 1, MAX_TASKS, 0);
        }
        if (gpusPerTask == 0) {
            return nodes;
        }
        if (gpus == 0) {
            throw invalid("GPUs per task need the number of tasks or of GPUs");
        }
        int tasks = quotient("GPUs per task", gpusPerTask);
        if (tasks < nodes) {
            throw invalid(tasks + " tasks do not fill " + nodes + " nodes: each needs one");
        }
        return tasks;
    }

    private GpuRequest gpuRequest(int nodes, int tasks) throws Refused {
        String type = asked.gpuType();
        int total = total(nodes, tasks);
        if (total == 0) {
            if (type != null) {
                throw invalid(
                        "GPU type " + Checks.quoted(type) + " is given, and no number of GPUs");
            }
            return GpuRequest.NONE;
        }
        if (total < nodes) {
            throw invalid("%d GPUs for %d nodes: each has one at least".formatted(total, nodes));
        }
        if (gpusPerNode == 0 && gpusPerTask > 0) {
            return perTask();
        }
        if (gpusPerNode == 0 && !divides(nodes)) {
            GpuRequest all = inTotal();
            checkReach(all, nodes);
            return all;
        }
        Integer perSocket = gpusPerSocket == 0 ? null : (Integer) gpusPerSocket;
        return ofTypes(new GpuRequest(total / nodes, type, null, null, perSocket, gpuMemoryMib));
    }

    /// Whether each of so many nodes has as many of the GPUs in total, of each type, as any other.
    private boolean divides(int nodes) {
        return gpuTypes.isEmpty()
                ? gpus % nodes == 0
                : gpuTypes.values().stream().allMatch(it -> it % nodes == 0);
    }

    /// @throws Refused if GPUs in total leave one of so many nodes without
    static void checkReach(GpuRequest gpus, int nodes) throws Refused {
        if (gpus.mostNodes() < nodes) {
            throw invalid(
                    "%s GPUs for %d nodes: each has one at least%s"
                            .formatted(
                                    gpus.byType().isEmpty() ? gpus.counted() : gpus.text(),
                                    nodes,
                                    gpus.byType().isEmpty()
                                            ? ""
                                            : ", and the first ones what is left over of each"
                                                    + " type"));
        }
    }

    /// GPUs of all nodes, by all counts that are given.
    private int total(int nodes, int tasks) throws Refused {
        long total = gpus;
        for (long each : new long[] {(long) gpusPerNode * nodes, (long) gpusPerTask * tasks}) {
            if (total > 0 && each > 0 && each != total) {
                throw invalid(
                        "the counts of GPUs contradict one another: %d or %d in all"
                                .formatted(total, each));
            }
            total = Math.max(total, each);
        }
        return (int) number("the number of GPUs", total, 0, MAX_GPUS, 0);
    }

    private GpuRequest part(int nodes, @Nullable NodeConstraints where) throws Refused {
        String text = Objects.requireNonNull(asked.gpuPart());
        if (gpus > 0 || gpusPerNode > 0 || gpusPerTask > 0 || asked.gpuType() != null) {
            throw invalid("a part of a GPU (%s) and whole GPUs exclude each other".formatted(text));
        }
        if (asked.nodesWanted().tasksPerSocket() != null) {
            throw invalid(
                    "a part of a GPU (%s) and tasks per socket exclude each other".formatted(text));
        }
        if (nodes > 1 || (where != null && where.sharing() == Sharing.NODE)) {
            throw invalid(
                    "a part of a GPU (%s) is of one GPU of one node that others use too"
                            .formatted(text));
        }
        try {
            return GpuPartText.parse(text);
        } catch (InvalidOption e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static int agreed(int perNode, int other) throws Refused {
        if (perNode > 0 && perNode != other) {
            throw invalid(
                    "the counts of GPUs contradict one another: "
                            + perNode
                            + " or "
                            + other
                            + " on a node");
        }
        return other;
    }

    private MemoryRequest memory(GpuRequest gpuRequest) throws Refused {
        long given =
                Stream.of(
                                asked.memoryMibPerNode() != null,
                                asked.memoryMibPerCpu() != null,
                                asked.memoryMibPerGpu() != null)
                        .filter(it -> it)
                        .count();
        if (given > 1) {
            throw invalid("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
        }
        if (asked.memoryMibPerNode() != null) {
            return new MemoryRequest(
                    Per.NODE, number("memory per node", asked.memoryMibPerNode(), 0, MAX_MIB, 0));
        }
        if (asked.memoryMibPerCpu() != null) {
            return new MemoryRequest(
                    Per.CPU, number("memory per CPU", asked.memoryMibPerCpu(), 1, MAX_MIB, 0));
        }
        if (asked.memoryMibPerGpu() != null) {
            if (gpuRequest.none()) {
                throw invalid("memory per GPU needs GPUs");
            }
            return new MemoryRequest(
                    Per.GPU, number("memory per GPU", asked.memoryMibPerGpu(), 1, MAX_MIB, 0));
        }
        long defaultPerGpu = partition.partitionRules().ofNodes().gpuDefaults().memoryMibPerGpu();
        if (defaultPerGpu > 0 && !gpuRequest.none() && gpuRequest.share() == null) {
            return new MemoryRequest(Per.GPU, defaultPerGpu);
        }
        // Without a default of the partition a job has all of its nodes, as
        // DefMemPerNode=UNLIMITED.
        long defaultPerCpu = partition.defMemoryMibPerCpu();
        long defaultPerNode = partition.partitionRules().ofNodes().defaultMemoryMibPerNode();
        if (defaultPerNode > 0) {
            return MemoryRequest.perNode(defaultPerNode);
        }
        return defaultPerCpu > 0 ? MemoryRequest.perCpu(defaultPerCpu) : MemoryRequest.perNode(0);
    }
}
