package io.berth.core.engine;

import io.berth.core.packing.FreeNode;
import io.berth.core.packing.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A kind of node: nodes of one kind have the same resources and admit the same fit classes. It
/// keeps its nodes by what is free on them, so that a search looks only at nodes with room.
///
/// Two indices, over the nodes that are open for work:
///
/// - *cells*: the nodes by number of free GPUs and by the binary magnitude of free CPUs, and by
///   what is free of their emptiest shared GPU, for the tightest fit now;
/// - [ReadyTimes]: the nodes by when so much of one thing will be free for a while, for the
///   earliest fit later.
public final class Kind {

    /// In how many parts a shared GPU is looked at.
    static final int PARTS = 20;

    /// In thousandths.
    static final int CPU = 1000;

    private static final int CPU_CELLS = 18;
    private static final int[] NO_SLOTS = {};
    private static final int[] NUMBERED = {};

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

    /// The type of each lane among those of the cluster.
    private final int[] types;

    private final FreeNode empty;

    /// Behind the last GPU of each lane in a [FreeNode].
    private final int[] ends;

    final List<Node> nodes = new ArrayList<>();

    /// The classes whose smallest part can run here and takes no part of a GPU, by how many it
    /// takes whole.
    private final List<BitSet> classes = new ArrayList<>();

    /// The classes whose only part can run here and takes a part of a GPU, by how many units it
    /// takes at least.
    private final NavigableMap<Integer, BitSet> sharing = new TreeMap<>();

    /// By class, what its smallest part takes at least: memory, then CPUs and GPUs; of a shared GPU
    /// its units, below zero.
    private long[] least = new long[0];

    /// By node, from when until when it is known that what comes behind is free at all times, and
    /// that, as [Node#free].
    private long[] lasting;

    private final int lastingRow;

    private final @Nullable BitSet[][] cells;

    /// By how many whole parts, the nodes that have something free of a shared GPU.
    private final BitSet[] parts = new BitSet[PARTS + 1];

    private int open;
    private @Nullable ReadyTimes ready;

    /// @param gpusByLane how many GPUs of each type
    public Kind(int cpus, long memoryMib, int... gpusByLane) {
        this(cpus, memoryMib, gpusByLane, NO_SLOTS);
    }

    /// A kind with shared GPUs: each is a lane of its own, after those of the types.
    ///
    /// @param gpusByLane how many whole GPUs of each type
    /// @param slots into how many units each shared GPU is divided
    public Kind(int cpus, long memoryMib, int[] gpusByLane, int[] slots) {
        this(cpus, memoryMib, gpusByLane, slots, NUMBERED, NO_SLOTS, 1, Counted.NONE);
    }

    /// A kind whose CPUs are bounded for jobs of some partitions, and whose nodes are taken in the
    /// order of weights.
    ///
    /// @param types by lane, the number of its GPUs' type among those of the cluster; empty is that
    ///   of the lane
    /// @param caps by partition, how many CPUs of a node its jobs may have together; 0 is any
    ///   number
    /// @param weight nodes of a lower one are taken first
    /// @param counted how much it has of each thing beside CPUs, memory and GPUs
    public Kind(
            int cpus,
            long memoryMib,
            int[] gpusByLane,
            int[] slots,
            int[] types,
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
        int lanes = gpusByLane.length + slots.length;
        this.types = types.length == 0 ? IntStream.range(0, lanes).toArray() : types.clone();
        this.ends = new int[lanes];
        this.empty = empty();
        this.lastingRow = 4 + lanes + counted.places();
        this.lasting = new long[lastingRow];
        this.cells = new BitSet[gpus + 1][CPU_CELLS];
        Arrays.setAll(parts, _ -> new BitSet());
        for (int whole = 0; whole <= gpus; whole++) {
            classes.add(new BitSet());
        }
    }

    /// Of more GPUs than are told apart, some of those that are given out whole are left out.
    private FreeNode empty() {
        int room = Math.max(0, FreeNode.MOST - slots.length);
        var its = new ArrayList<Integer>();
        for (int lane = 0; lane < ends.length; lane++) {
            int count =
                    lane < gpusByLane.length ? Math.min(gpusByLane[lane], room - its.size()) : 1;
            for (int gpu = 0; gpu < count && its.size() < FreeNode.MOST; gpu++) {
                its.add(Math.min(types[lane], FreeNode.MOST - 1));
            }
            ends[lane] = its.size();
        }
        int whole = gpusByLane.length == 0 ? 0 : ends[gpusByLane.length - 1];
        int[] typeOf = its.stream().mapToInt(Integer::intValue).toArray();
        var milli = new int[typeOf.length];
        Arrays.fill(milli, Shape.WHOLE);
        return new FreeNode(milli(cpus), memoryMib, typeOf, milli, whole);
    }

    private static int milli(int cpus) {
        return (int) Math.min((long) CPU * cpus, Integer.MAX_VALUE);
    }

    /// An empty node of this kind, as policies see it.
    public FreeNode asEmpty() {
        return empty;
    }

    /// Behind the last GPU of a lane, as policies see it.
    int end(int lane) {
        return ends[lane];
    }

    /// What a demand takes here, as policies see it.
    Shape shape(Demand demand) {
        int lane = demand.lane();
        int milli = lane < 0 ? 0 : Shape.WHOLE;
        int count = demand.gpus();
        if (shares(demand)) {
            milli = Math.clamp((long) Shape.WHOLE * count / slot(lane), 1, Shape.WHOLE);
            count = 1;
        } else if (demand.more().places() > 0) {
            return Shape.ofTypes(milli(demand.cpus()), demand.memoryMib(), ofEach(demand));
        }
        long type = lane < 0 ? -1 : type(lane);
        return new Shape(milli(demand.cpus()), demand.memoryMib(), count, milli, type, false);
    }

    private List<Shape.OfType> ofEach(Demand demand) {
        var each = new ArrayList<Shape.OfType>();
        for (int lane = 0; lane < gpusByLane.length; lane++) {
            if (demand.gpusOf(lane) > 0) {
                each.add(new Shape.OfType(demand.gpusOf(lane), type(lane)));
            }
        }
        return each;
    }

    private long type(int lane) {
        return 1L << Math.min(types[lane], FreeNode.MOST - 1);
    }

    /// There is a class of jobs.
    void admit(FitClass fit) {
        Demand[] ways = fit.widest.ways(number);
        int leastGpus = Integer.MAX_VALUE;
        int leastCpus = Integer.MAX_VALUE;
        long leastMib = Long.MAX_VALUE;
        for (Demand way : ways) {
            leastGpus = Math.min(leastGpus, way.gpus());
            leastCpus = Math.min(leastCpus, way.leastCpus());
            leastMib = Math.min(leastMib, way.memoryMib());
        }
        boolean parts = ways.length > 0 && shares(ways[0]);
        if (parts) {
            sharing.computeIfAbsent(leastGpus, _ -> new BitSet()).set(fit.id);
        } else if (leastGpus <= gpus) {
            classes.get(leastGpus).set(fit.id);
        }
        if (2 * fit.id >= least.length) {
            least = Arrays.copyOf(least, Math.max(64, 4 * fit.id));
        }
        least[2 * fit.id] = leastMib;
        least[2 * fit.id + 1] =
                (long) leastCpus << Integer.SIZE
                        | Integer.toUnsignedLong(parts ? -leastGpus : leastGpus);
    }

    /// Until when the smallest part of a class can fit on a node at most, by a few numbers alone.
    long untilAtMost(int fit, Vacancy vacancy) {
        long needs = least[2 * fit + 1];
        int its = (int) needs;
        int lane = 2 + (its < 0 ? gpusByLane.length : 0);
        int lanes = its == 0 ? 0 : its < 0 ? slots.length : gpusByLane.length;
        return vacancy.untilAtMost(
                needs >> Integer.SIZE, least[2 * fit], lane, lanes, Math.abs(its));
    }

    /// The classes whose smallest part takes so many GPUs whole.
    BitSet classes(int whole) {
        return classes.get(whole);
    }

    /// By units, the classes whose only part takes that many of a shared GPU at least; those up to
    /// a number.
    Map<Integer, BitSet> sharing(int units) {
        return sharing.headMap(units, true);
    }

    /// How many of its nodes are open.
    int open() {
        return open;
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
        int whole = shares(demand) ? 0 : demand.gpus();
        for (int lane = 0; lane < Math.min(demand.more().places(), gpusByLane.length); lane++) {
            whole += (int) demand.more().at(lane);
        }
        return whole;
    }

    /// How many whole GPUs come free at a step; below zero if they are taken.
    long whole(Timeline line, int at) {
        if (!line.plain(at)) {
            return (long) line.step(at).sign() * whole(line.step(at).demand());
        }
        return line.lane(at) < gpusByLane.length ? line.gpus(at) : 0;
    }

    /// Whether a demand takes a part of a shared GPU.
    boolean shares(Demand demand) {
        return demand.lane() >= gpusByLane.length;
    }

    /// All that lies somewhere for a demand with that seating.
    Demand everything(Demand seated, Seating seating) {
        int lane = seated.lane();
        int gpus = lane < 0 ? 0 : shares(seated) ? slot(lane) : gpusByLane[lane];
        return new Demand(seating.ofCpus() ? cpus : 0, 0, gpus, gpus == 0 ? -1 : lane);
    }

    /// Into how many units the shared GPU of a lane is divided.
    int slot(int lane) {
        return slots[lane - gpusByLane.length];
    }

    /// How many whole parts of the shared GPU of a lane so many units are.
    int parts(int lane, long units) {
        return (int) (PARTS * units / slot(lane));
    }

    /// How many whole parts of a shared GPU are free at most; -1 if nothing is.
    private int mostParts(Node node) {
        int most = -1;
        for (int lane = gpusByLane.length; lane < gpusByLane.length + slots.length; lane++) {
            long units = node.free[2 + lane];
            most = units <= 0 ? most : Math.max(most, parts(lane, units));
        }
        return most;
    }

    /// From when on the nodes may have room for the smallest part of a class for so long; null
    /// where it cannot run.
    @Nullable Readiness readiness(FitClass fit, long length) {
        Demand[] ways = fit.ways(number);
        return ready == null || ways.length == 0 ? null : ready.of(ways, length);
    }

    static int magnitude(int cpus) {
        return cpus <= 0 ? 0 : Math.min(CPU_CELLS - 1, 32 - Integer.numberOfLeadingZeros(cpus));
    }

    @Nullable BitSet cell(int freeGpus, int magnitude) {
        return cells[freeGpus][magnitude];
    }

    /// The nodes with so many whole parts of a shared GPU.
    BitSet withParts(int count) {
        return parts[count];
    }

    static int magnitudes() {
        return CPU_CELLS;
    }

    /// All nodes are there: the indices can be sized.
    void seal() {
        ready = new ReadyTimes(this, nodes.size());
        lasting = new long[lastingRow * nodes.size()];
        nodes.forEach(this::refresh);
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
        int parts = node.open ? mostParts(node) : -1;
        if (parts != node.cellParts) {
            part(node, false);
            node.cellParts = parts;
            part(node, true);
        }
        if (ready != null) {
            ready.refresh(node);
        }
    }

    /// So much is free on a node at all times, which is known until something changes there.
    ///
    /// @param until when it has to be looked at again
    void lasts(Node node, long since, long until, long[] free) {
        int row = lastingRow * node.place;
        lasting[row] = since;
        lasting[row + 1] = until;
        System.arraycopy(free, 0, lasting, row + 2, free.length);
    }

    void lastsNoLonger(Node node) {
        lasting[lastingRow * node.place + 1] = 0;
    }

    /// Whether a demand is known to fit on a node at all times from now on. Read from numbers that
    /// lie side by side in memory.
    boolean lasts(int place, Demand demand, long now) {
        int row = lastingRow * place;
        return lasting[row] <= now
                && now < lasting[row + 1]
                && lasting[row + 2] >= demand.cpus()
                && lasting[row + 3] >= demand.memoryMib()
                && (demand.lane() < 0 || lasting[row + 4 + demand.lane()] >= demand.gpus())
                && demand.more().places() == 0
                && demand.counted().places() == 0
                && freeIsEnough(demand);
    }

    /// Whether nothing else matters to a demand than what is free, unless somebody is there alone.
    boolean freeIsEnough(Demand demand) {
        Tenant tenant = demand.tenant();
        return !tenant.alone()
                && demand.seating() == null
                && demand.shared() == null
                && !caps(tenant);
    }

    private void part(Node node, boolean in) {
        if (node.cellParts >= 0) {
            parts[node.cellParts].set(node.place, in);
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
