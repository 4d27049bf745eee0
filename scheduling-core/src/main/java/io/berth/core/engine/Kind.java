package io.berth.core.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A kind of node: nodes of one kind have the same resources and admit the same fit classes. It
/// keeps its nodes by what is free on them, so that a search looks only at nodes with room.
///
/// Two indices, over the nodes that are open for work:
///
/// - *cells*: the nodes by number of free GPUs and by the binary magnitude of free CPUs, for the
///   tightest fit now;
/// - *readiness*: for each number of GPUs, and each magnitude of CPUs, the nodes by the time from
///   which on so many will be free for a while, for the earliest fit later.
public final class Kind {

    private static final int CPU_CELLS = 18;
    private static final int[] NO_SLOTS = {};

    /// How long nodes are looked at to be free, in milliseconds.
    private static final long[] WINDOWS = {
        0, TimeUnit.HOURS.toMillis(1), TimeUnit.HOURS.toMillis(6), TimeUnit.HOURS.toMillis(24)
    };

    /// Its place among the kinds of its cluster.
    int number;

    final int cpus;
    final long memoryMib;
    final int[] gpusByLane;

    /// The units of each shared GPU. Their lanes follow those of the types.
    final int[] slots;

    /// By partition, how many CPUs of a node its jobs may have together; 0 is any number.
    private final int[] caps;

    /// Nodes of a lower weight are taken first.
    final int weight;

    /// How much it has of each thing beside CPUs, memory and GPUs.
    final Counted counted;

    final int gpus;
    final List<Node> nodes = new ArrayList<>();

    /// The classes whose smallest part can run here and takes no part of a GPU, by how many it
    /// takes whole.
    private final List<List<FitClass>> classes = new ArrayList<>();

    /// The classes whose only part can run here and takes a part of a GPU, by how many units it
    /// takes at least.
    private final NavigableMap<Integer, List<FitClass>> sharing = new TreeMap<>();

    private final @Nullable BitSet[][] cells;
    private int open;
    private Readiness[] readiness = {};

    /// @param gpusByLane how many GPUs of each type
    public Kind(int cpus, long memoryMib, int... gpusByLane) {
        this(cpus, memoryMib, gpusByLane, NO_SLOTS);
    }

    /// A kind with shared GPUs: each is a lane of its own, after those of the types.
    ///
    /// @param gpusByLane how many whole GPUs of each type
    /// @param slots into how many units each shared GPU is divided
    public Kind(int cpus, long memoryMib, int[] gpusByLane, int[] slots) {
        this(cpus, memoryMib, gpusByLane, slots, NO_SLOTS, 1, Counted.NONE);
    }

    /// A kind whose CPUs are bounded for jobs of some partitions, and whose nodes are taken in the
    /// order of weights.
    ///
    /// @param caps by partition, how many CPUs of a node its jobs may have together; 0 is any
    ///   number
    /// @param weight nodes of a lower one are taken first
    /// @param counted how much it has of each thing beside CPUs, memory and GPUs
    public Kind(
            int cpus,
            long memoryMib,
            int[] gpusByLane,
            int[] slots,
            int[] caps,
            int weight,
            Counted counted) {
        this.caps = caps.clone();
        this.weight = weight;
        this.cpus = cpus;
        this.memoryMib = memoryMib;
        this.gpusByLane = gpusByLane.clone();
        this.slots = slots.clone();
        this.counted = counted;
        int sum = 0;
        for (int lane : gpusByLane) {
            sum += lane;
        }
        this.gpus = sum;
        this.cells = new BitSet[gpus + 1][CPU_CELLS];
        for (int whole = 0; whole <= gpus; whole++) {
            classes.add(new ArrayList<>());
        }
    }

    /// There is a class of jobs.
    void admit(FitClass fit) {
        Demand least = fit.widest.leastOn(number);
        if (least != null && shares(least)) {
            Demand[] ways = fit.widest.ways(number);
            int units = Arrays.stream(ways).mapToInt(Demand::gpus).min().orElseThrow();
            sharing.computeIfAbsent(units, _ -> new ArrayList<>()).add(fit);
        } else if (least != null && least.gpus() <= gpus) {
            classes.get(least.gpus()).add(fit);
        }
    }

    /// The classes whose smallest part would have GPUs enough on a node.
    List<List<FitClass>> classesOn(Node node) {
        if (!node.open) {
            return List.of();
        }
        int whole = Math.min(node.freeGpus(), gpus);
        var those = new ArrayList<>(classes.subList(0, Math.max(0, whole + 1)));
        those.addAll(sharing.headMap(node.mostUnits(), true).values());
        return those;
    }

    /// How many of its nodes are open.
    int open() {
        return open;
    }

    private int levels() {
        return gpus + magnitude(cpus) + 1;
    }

    private int level(Demand demand) {
        int whole = whole(demand);
        return whole > 0 ? whole - 1 : gpus + magnitude(demand.cpus());
    }

    /// By partition, how many CPUs of an empty node its jobs may have.
    long[] caps() {
        return Arrays.stream(caps).asLongStream().toArray();
    }

    /// Whether jobs of a tenant's partition may have only so many CPUs of a node.
    boolean caps(Tenant tenant) {
        int partition = tenant.partition();
        return partition >= 0 && partition < caps.length && caps[partition] > 0;
    }

    /// How many GPUs a demand takes whole.
    int whole(Demand demand) {
        return demand.lane() < gpusByLane.length ? demand.gpus() : 0;
    }

    /// Whether a demand takes a part of a shared GPU.
    boolean shares(Demand demand) {
        return demand.lane() >= gpusByLane.length;
    }

    /// All that lies somewhere for a demand with that seating.
    Demand everything(Demand seated, Seating seating) {
        int gpus = seated.lane() < 0 ? 0 : gpusByLane[seated.lane()];
        return new Demand(seating.ofCpus() ? cpus : 0, 0, gpus, gpus == 0 ? -1 : seated.lane());
    }

    /// Into how many units the shared GPU of a lane is divided.
    int slot(int lane) {
        return slots[lane - gpusByLane.length];
    }

    /// From when on the nodes may have room for a demand for so long. A lower bound.
    Readiness readiness(Demand demand, long length) {
        int window = 0;
        while (window + 1 < WINDOWS.length && WINDOWS[window + 1] <= length) {
            window++;
        }
        return readiness[level(demand) * WINDOWS.length + window];
    }

    /// The free CPUs that a node of that level has at least; 0 for a level of GPUs.
    int cpusOf(int level) {
        int magnitude = level - gpus;
        return magnitude <= 0 ? 0 : 1 << (magnitude - 1);
    }

    static int magnitude(int cpus) {
        return cpus <= 0 ? 0 : Math.min(CPU_CELLS - 1, 32 - Integer.numberOfLeadingZeros(cpus));
    }

    @Nullable BitSet cell(int freeGpus, int magnitude) {
        return cells[freeGpus][magnitude];
    }

    static int magnitudes() {
        return CPU_CELLS;
    }

    /// All nodes are there: the indices can be sized.
    void seal() {
        readiness = new Readiness[levels() * WINDOWS.length];
        for (int level = 0; level < readiness.length; level++) {
            readiness[level] = new Readiness(nodes.size());
        }
        for (Node node : nodes) {
            refresh(node);
        }
    }

    /// What is free on the node, now or later, or its openness changed.
    void refresh(Node node) {
        open += (node.open ? 1 : 0) - (node.counted ? 1 : 0);
        node.counted = node.open;
        int freeGpus = node.open ? Math.clamp(node.freeGpus(), 0, gpus) : -1;
        int magnitude = node.open ? magnitude((int) node.free[0]) : -1;
        if (freeGpus != node.cellGpus || magnitude != node.cellMagnitude) {
            leave(node);
            if (node.open) {
                enter(node, freeGpus, magnitude);
            }
        }
        for (int i = 0; i < readiness.length; i++) {
            long ready =
                    node.open
                            ? node.readyAt(i / WINDOWS.length, WINDOWS[i % WINDOWS.length])
                            : Readiness.NEVER;
            readiness[i].set(node.place, ready);
        }
    }

    private void leave(Node node) {
        if (node.cellGpus >= 0) {
            BitSet cell = cells[node.cellGpus][node.cellMagnitude];
            if (cell != null) {
                cell.clear(node.place);
            }
        }
        node.cellGpus = -1;
        node.cellMagnitude = -1;
    }

    private void enter(Node node, int freeGpus, int magnitude) {
        BitSet cell = cells[freeGpus][magnitude];
        if (cell == null) {
            cell = new BitSet(nodes.size());
            cells[freeGpus][magnitude] = cell;
        }
        cell.set(node.place);
        node.cellGpus = freeGpus;
        node.cellMagnitude = magnitude;
    }
}
