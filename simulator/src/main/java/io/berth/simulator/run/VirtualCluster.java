package io.berth.simulator.run;

import io.berth.core.engine.Cluster;
import io.berth.core.engine.Counted;
import io.berth.core.engine.Demand;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Kind;
import io.berth.core.engine.Network;
import io.berth.core.engine.Scheduling;
import io.berth.core.packing.Arrivals;
import io.berth.core.packing.FreeNode;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import io.berth.core.packing.Shape;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A node list in the engine's terms, and what jobs of a trace take on it.
///
/// A job of more GPUs than a node has is a gang of as few nodes as can hold it, its GPUs spread
/// evenly; a trace that says on how many nodes a job ran has the last word. The engine hands out
/// whole GPUs, so a part of one is a whole one here.
final class VirtualCluster {

    /// A kind of node, as lists tell them apart.
    private record Model(int cpus, long memoryMib, int gpus, String gpuType) {}

    /// What makes two jobs fit in the same places.
    private record Size(int gpus, int cpus, long memoryMib, int nodes, List<String> gpuTypes) {}

    private final Map<Model, Integer> models = new LinkedHashMap<>();
    private final Map<Size, FitClass> classes = new HashMap<>();
    private final int[] kindOf;
    private final int mostGpus;
    private final Map<String, Integer> types = new LinkedHashMap<>();
    private final Arrivals arrivals = new Arrivals();
    private final PackingPolicy policy;
    final Scheduling engine;

    VirtualCluster(List<TraceNode> nodes, Rules rules) {
        this.kindOf = new int[nodes.size()];
        int most = 0;
        for (int i = 0; i < kindOf.length; i++) {
            TraceNode node = nodes.get(i);
            var model =
                    new Model(
                            node.cpusMilli() / 1000, node.memoryMib(), node.gpus(), node.gpuType());
            kindOf[i] = models.computeIfAbsent(model, _ -> models.size());
            most = Math.max(most, node.gpus());
        }
        this.mostGpus = most;
        List<Kind> kinds = models.keySet().stream().map(this::kind).toList();
        this.policy = Policies.of(rules.packing(), kinds.stream().map(Kind::asEmpty).toList());
        this.engine =
                new Scheduling(
                        new Cluster(kinds, kindOf, Network.FLAT), rules.settings().with(policy));
    }

    private Kind kind(Model model) {
        int type =
                Math.min(
                        types.computeIfAbsent(model.gpuType, _ -> types.size()), FreeNode.MOST - 1);
        return new Kind(
                model.cpus,
                model.memoryMib,
                new int[] {model.gpus},
                new int[0],
                new int[] {type},
                new int[0],
                1,
                Counted.NONE);
    }

    /// The policy may learn of a job of that number, as a cell's would.
    void arrived(int number, TraceJob job) {
        if (policy.learns()) {
            Size size = size(job);
            int gpus = Math.ceilDiv(size.gpus, size.nodes);
            long allowed = 0;
            for (var type : types.entrySet()) {
                boolean any = size.gpuTypes.isEmpty() || size.gpuTypes.contains(type.getKey());
                allowed |= any ? 1L << Math.min(type.getValue(), FreeNode.MOST - 1) : 0;
            }
            arrivals.came(
                    number + 1L,
                    new Shape(
                            1000 * Math.ceilDiv(size.cpus, size.nodes),
                            Math.ceilDiv(size.memoryMib, size.nodes),
                            gpus,
                            gpus == 0 ? 0 : Shape.WHOLE,
                            allowed,
                            !size.gpuTypes.isEmpty()));
        }
    }

    /// The policy knows that so many jobs have arrived.
    void learn(int arrived) {
        if (policy.learns()) {
            arrivals.teach(policy, arrived);
        }
    }

    FitClass fit(TraceJob job) {
        return classes.computeIfAbsent(size(job), this::fitClass);
    }

    private Size size(TraceJob job) {
        return new Size(
                job.gpus(),
                Math.ceilDiv(job.cpusMilli(), 1000),
                job.memoryMib(),
                nodes(job, mostGpus),
                job.gpuTypes());
    }

    /// On how many nodes a job runs of which none has more GPUs than that.
    static int nodes(TraceJob job, int mostGpus) {
        int fewest = job.gpus() == 0 ? 1 : Math.ceilDiv(job.gpus(), Math.max(1, mostGpus));
        return job.nodes() > 0 ? Math.min(job.nodes(), Math.max(1, job.gpus())) : fewest;
    }

    private FitClass fitClass(Size size) {
        int large = size.gpus % size.nodes;
        var largeOn = new ArrayList<@Nullable Demand>();
        var smallOn = new ArrayList<@Nullable Demand>();
        for (Model model : models.keySet()) {
            largeOn.add(demand(size, model, size.gpus / size.nodes + 1));
            smallOn.add(demand(size, model, size.gpus / size.nodes));
        }
        return engine.fitClass(
                new Terms(
                        0,
                        0,
                        large == 0 ? size.nodes : large,
                        large == 0 ? 0 : size.nodes - large,
                        large == 0 ? smallOn : largeOn,
                        smallOn,
                        null,
                        0,
                        null));
    }

    /// What a job of the class has on these nodes, larger parts first.
    Demand[] demands(FitClass fit, int[] nodes) {
        var demands = new Demand[nodes.length];
        for (int part = 0; part < nodes.length; part++) {
            demands[part] = Objects.requireNonNull(fit.demand(part, kindOf[nodes[part]]));
        }
        return demands;
    }

    private static @Nullable Demand demand(Size size, Model model, int gpus) {
        int cpus = Math.ceilDiv(size.cpus, size.nodes);
        long memoryMib = Math.ceilDiv(size.memoryMib, size.nodes);
        boolean wrongType =
                gpus > 0 && !size.gpuTypes.isEmpty() && !size.gpuTypes.contains(model.gpuType);
        if (wrongType || gpus > model.gpus || cpus > model.cpus || memoryMib > model.memoryMib) {
            return null;
        }
        return new Demand(cpus, memoryMib, gpus, gpus == 0 ? -1 : 0);
    }
}
