package io.berth.simulation;

import io.berth.contracts.Dependency;
import io.berth.contracts.FeatureExpression;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobTerms;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeShape;
import io.berth.contracts.PreemptPolicy;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.WarningSignal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// What jobs of a simulated cell ask for beside plain room, each for none, one or two things. With
/// all of them a job can start when nothing else runs in the cell.
///
/// @param random no other draw follows from these
record JobWishes(CellTraits cell, Random random) {

    private static final List<Sharing> ALONE =
            List.of(Sharing.NODE, Sharing.USER, Sharing.TOPOLOGY);

    static final String LICENSE = "matlab";
    static final int LICENSES = 2;

    /// What each of the GPUs has, in MiB.
    private static final long GPU_MEMORY = 40_960;

    static final Gres CARDS = new Gres("nic", "cx7", 2);

    JobDescription of(JobId job, JobDescription plain) {
        JobDescription it = plain;
        for (int wishes = random.nextInt(3); wishes > 0; wishes--) {
            it =
                    switch (random.nextInt(4)) {
                        case 0 -> it.with(gpus(it.request()));
                        case 1 -> it.with(it.request().on(where(it)));
                        case 2 -> it.with(holding(it.request()));
                        default -> it.on(terms(job, it.conditions()));
                    };
        }
        return it;
    }

    /// Whole GPUs counted in other ways, no more of them on a node than before, or certain ones.
    private ResourceRequest gpus(ResourceRequest it) {
        GpuRequest gpus = it.gpus();
        int count = gpus.perNode();
        if (count == 0 || gpus.ofInstances() || gpus.perSocket() != null) {
            return it;
        }
        boolean types = !gpus.byType().isEmpty();
        String type = gpus.type();
        return it.with(
                switch (random.nextInt(4)) {
                    case 0 -> byTask(it, gpus);
                    case 1 -> inTotal(it, gpus);
                    case 2 -> types ? gpus : new GpuRequest(count, type, null, null, count, null);
                    default ->
                            types
                                    ? GpuRequest.ofTypes(gpus.byType(), GPU_MEMORY)
                                    : new GpuRequest(count, type, null, null, null, GPU_MEMORY);
                });
    }

    private GpuRequest byTask(ResourceRequest it, GpuRequest gpus) {
        int tasks = it.tasksOn(0);
        var one = new GpuRequest(0, gpus.type(), 1, null, null, null);
        if (gpus.byType().isEmpty()) {
            return tasks <= gpus.perNode() ? one : gpus;
        }
        return cell.sharing() && tasks > 1 ? gpus : one.of(Map.of("a100", 1, "v100", 1));
    }

    /// One less than the nodes divide into, where each still has one.
    private static GpuRequest inTotal(ResourceRequest request, GpuRequest gpus) {
        int total = request.totalGpus() - 1;
        if (request.range() != null || total < request.nodes()) {
            return gpus;
        }
        var all = new GpuRequest(0, gpus.type(), null, total, null, null);
        return gpus.byType().isEmpty()
                ? all
                : all.of(Map.of("v100", request.nodes(), "a100", total - request.nodes() + 1));
    }

    /// Which nodes: one condition at most beside what they are rather.
    private NodeConstraints where(JobDescription it) {
        ResourceRequest request = it.request();
        NodeConstraints where = request.where();
        boolean two = request.nodes() > 1;
        boolean types = !request.gpus().byType().isEmpty();
        // Each node has one whole GPU at least, and the last two have some of both types.
        boolean anywhere = !types && request.gpusOn(0) <= 1;
        if (!where.preferring(null).equals(NodeConstraints.NONE)) {
            return where;
        }
        return where.with(to -> {
            switch (random.nextInt(11)) {
                case 0 -> {
                    if (anywhere || types) {
                        to.nodeList = List.of(types ? node(2 + random.nextInt(2)) : anyNode(it));
                    }
                }
                case 1 -> {
                    if (anywhere || (types && !two)) {
                        to.excluded = List.of(node(types ? 2 : 1 + random.nextInt(3)));
                    }
                }
                case 2 ->
                        to.features = FeatureExpression.parse(two ? "a100*1&x86_64" : "a100|v100");
                case 3 -> to.features = FeatureExpression.parse("[a100|v100]&x86_64");
                case 4 -> to.contiguous = two && (anywhere || types);
                case 5 -> to.shape = new NodeShape(1, 4, 1);
                case 6 -> {
                    // What GPUs are divided into for a job it does not have alone.
                    if (!request.gpus().ofInstances()) {
                        to.sharing = ALONE.get(random.nextInt(cell.inOwnBlocks() ? 3 : 2));
                    }
                }
                case 7 -> {
                    if (cell.switched()) {
                        to.switches =
                                random.nextBoolean() || !anywhere
                                        ? new SwitchLimit(1, 10L * random.nextInt(3))
                                        : SwitchLimit.within("rack", null);
                    }
                }
                case 8 -> {
                    // The last is in no block.
                    if (cell.inOwnBlocks() && request.range() == null && anywhere) {
                        to.segment = request.nodes();
                    }
                }
                case 9 -> {
                    if (cell.reserved()) {
                        to.reservation = CellTraits.RESERVATION;
                    }
                }
                default -> {
                    if (cell.linked() && !types && request.gpusOn(0) <= (cell.sharing() ? 1 : 2)) {
                        to.linked = true;
                    }
                }
            }
        });
    }

    /// A part of one is on the first two.
    private NodeName anyNode(JobDescription it) {
        return node(1 + random.nextInt(it.request().gpus().share() == null ? 3 : 2));
    }

    private static NodeName node(int number) {
        return new NodeName("n" + number);
    }

    /// Other than GPUs.
    private ResourceRequest holding(ResourceRequest it) {
        GpuRequest gpus = it.gpus();
        return switch (random.nextInt(5)) {
            case 0 -> it.with(MemoryRequest.perNode(4096 * random.nextLong(5)), it.cpusPerTask());
            case 1 ->
                    gpus.perNode() == 0
                            ? it
                            : it.with(
                                    new MemoryRequest(MemoryRequest.Per.GPU, 8192),
                                    it.cpusPerTask());
            case 2 ->
                    it.holding(
                            List.of(
                                    new Gres(
                                            CARDS.name(),
                                            random.nextBoolean() ? CARDS.type() : null,
                                            1 + random.nextInt(2))));
            case 3 -> other(it, Map.of(LICENSE, 1 + random.nextInt(LICENSES)), it.minCpusPerNode());
            default -> other(it, it.licensesHeld(), 1 + random.nextInt(8));
        };
    }

    private static ResourceRequest other(
            ResourceRequest it, Map<String, Integer> licenses, @Nullable Integer minCpusPerNode) {
        return new ResourceRequest(
                it.nodes(),
                it.tasks(),
                it.cpusPerTask(),
                it.memory(),
                it.gpus(),
                it.constraints(),
                licenses,
                minCpusPerNode,
                it.range(),
                it.gres());
    }

    private JobTerms terms(JobId job, JobTerms terms) {
        return terms.with(to -> {
            switch (random.nextInt(7)) {
                case 0 -> to.timeMinSeconds = 30L + random.nextInt(300);
                case 1 -> to.maxWaitSeconds = 20L + random.nextInt(200);
                case 2 -> to.priority = (long) random.nextInt(5_000);
                case 3 -> to.siteFactor = random.nextInt(2_000) - 1_000;
                case 4 ->
                        to.preemption =
                                PreemptPolicy.values()[
                                        random.nextInt(PreemptPolicy.values().length)];
                case 5 -> to.signal = new WarningSignal(10, 60, random.nextBoolean());
                default -> {
                    if (job.value() > 1) {
                        to.dependency = anyOfTwo(job);
                        to.killOnInvalidDependency = true;
                    }
                }
            }
        });
    }

    private Dependency anyOfTwo(JobId job) {
        var other = new JobId(1 + random.nextInt((int) job.value() - 1));
        return new Dependency(
                true,
                List.of(
                        new Dependency.Clause(Dependency.Type.AFTEROK, other, null, 0),
                        new Dependency.Clause(Dependency.Type.AFTERNOTOK, other, null, 0)));
    }
}
