package io.berth.simulator.pack;

import io.berth.core.packing.FreeNode;
import io.berth.core.packing.Packer;
import io.berth.core.packing.Policies;
import io.berth.core.packing.Shape;
import io.berth.simulator.pack.PackResult.ByPolicy;
import io.berth.simulator.pack.PackResult.Unallocated;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/// The experiment of the FGD paper: jobs that never end arrive one at a time and are placed, or
/// lost if they fit nowhere, until far more was asked for than the cluster has.
///
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), section 6.
public final class Packing {

    private static final int FULL = 100;
    private static final int OVER = 130;

    private final List<Shape> shapes;
    private final List<FreeNode> nodes;
    private final long capacity;

    /// @param jobs in any order; their places in an order of arrival are by id
    public Packing(List<TraceJob> jobs, List<TraceNode> nodes) {
        var types = new LinkedHashMap<String, Integer>();
        this.nodes = nodes.stream().map(node -> empty(node, types)).toList();
        this.shapes =
                jobs.stream()
                        .sorted(Comparator.comparing(TraceJob::id))
                        .map(job -> shape(job, types))
                        .toList();
        this.capacity = this.nodes.stream().mapToLong(FreeNode::freeGpuMilli).sum();
    }

    private static FreeNode empty(TraceNode node, Map<String, Integer> types) {
        int type = types.computeIfAbsent(node.gpuType(), _ -> types.size());
        var gpus = new int[node.gpus()];
        Arrays.fill(gpus, Shape.WHOLE);
        return new FreeNode(node.cpusMilli(), node.memoryMib(), type, gpus);
    }

    private static Shape shape(TraceJob job, Map<String, Integer> types) {
        long allowed = job.gpuTypes().isEmpty() ? -1 : 0;
        for (String type : job.gpuTypes()) {
            Integer known = types.get(type);
            allowed |= known == null ? 0 : 1L << known;
        }
        return new Shape(job.cpusMilli(), job.memoryMib(), job.gpus(), job.gpuMilli(), allowed);
    }

    /// Fills the cluster once for each policy and order.
    ///
    /// @param orders places of jobs, by seed
    public PackResult run(List<String> policies, SortedMap<Integer, int[]> orders) {
        try (var pool = new ForkJoinPool(Runtime.getRuntime().availableProcessors())) {
            var bounds = start(pool, orders, this::bound);
            var fills =
                    policies.stream()
                            .map(policy ->
                                    start(pool, orders, (seed, order) -> fill(policy, seed, order)))
                            .toList();
            var byPolicy = new ArrayList<ByPolicy>();
            for (int i = 0; i < policies.size(); i++) {
                byPolicy.add(new ByPolicy(policies.get(i), join(fills.get(i))));
            }
            return new PackResult(
                    shapes.size(), nodes.size(), capacity / Shape.WHOLE, join(bounds), byPolicy);
        }
    }

    @FunctionalInterface
    private interface Run {
        Unallocated of(int seed, int[] order);
    }

    private static List<ForkJoinTask<Unallocated>> start(
            ForkJoinPool pool, SortedMap<Integer, int[]> orders, Run run) {
        var tasks = new ArrayList<ForkJoinTask<Unallocated>>();
        orders.forEach((seed, order) -> tasks.add(pool.submit(() -> run.of(seed, order))));
        return tasks;
    }

    private static List<Unallocated> join(List<ForkJoinTask<Unallocated>> tasks) {
        return tasks.stream().map(ForkJoinTask::join).toList();
    }

    private Unallocated fill(String name, int seed, int[] order) {
        var packer = new Packer(shuffled(seed), Policies.of(name, nodes, shapes, seed));
        var atFull = new Mean();
        var atOver = new Mean();
        long arrived = 0;
        long allocated = 0;
        for (int place : order) {
            Shape shape = shapes.get(place);
            arrived += shape.demand();
            if (packer.place(shape) >= 0) {
                allocated += shape.demand();
            }
            double unallocated = 100.0 * (capacity - allocated) / capacity;
            long percent = percent(arrived);
            if (percent == FULL) {
                atFull.add(unallocated);
            } else if (percent == OVER) {
                atOver.add(unallocated);
            }
        }
        return new Unallocated(seed, atFull.value(), atOver.value());
    }

    /// The nodes in the order that decides between equals: as published, shuffled anew for each
    /// seed. In the order of the list, where nodes alike stand together, the paper's policy does
    /// worse.
    private List<FreeNode> shuffled(int seed) {
        var order = new ArrayList<>(nodes);
        Collections.shuffle(order, new Random(seed));
        return order;
    }

    /// What arrived of the cluster, in whole hundredths; as published, a value stands for all
    /// arrivals that round to its hundredth.
    private long percent(long arrived) {
        return Math.round(100.0 * arrived / capacity);
    }

    private Unallocated bound(int seed, int[] order) {
        return new Unallocated(seed, bound(order, FULL), bound(order, OVER));
    }

    /// The bound for the last arrival that rounds to that hundredth.
    private double bound(int[] order, int percent) {
        var demands = new GpuDemands();
        long arrived = 0;
        boolean reached = false;
        for (int place : order) {
            Shape shape = shapes.get(place);
            arrived += shape.demand();
            if (percent(arrived) > percent) {
                break;
            }
            reached |= percent(arrived) == percent;
            demands.add(shape.gpuMilli(), shape.gpus());
        }
        return reached ? demands.leastUnallocatedPercent(capacity / Shape.WHOLE) : Double.NaN;
    }

    private static final class Mean {

        private double sum;
        private int count;

        void add(double value) {
            sum += value;
            count++;
        }

        double value() {
            return count == 0 ? Double.NaN : sum / count;
        }
    }
}
