package io.berth.core.request;

import io.berth.contracts.Hardware;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/// In which pieces CPUs of a node are given out: one by one (Slurm's CR_CPU), or all threads of a
/// core to one job (CR_Core).
///
/// The cores are those that the node's agent tells. On a node that is declared whole the CPUs of a
/// core follow one another. Where an agent tells nothing, each CPU counts as a core. A core of
/// which some threads are not for jobs is given to nobody, unless all cores are like it.
///
/// Source: slurm.conf(5), `SelectTypeParameters`.
public final class Cores {

    private static final int NOBODYS = -1;
    private static final int[] ANY = {};

    private final int cpus;
    private final int threads;

    /// The core of each CPU; empty where each is given out alone.
    private final int[] coreOf;

    private Cores(int cpus, int threads, int[] coreOf) {
        this.cpus = cpus;
        this.threads = threads;
        this.coreOf = coreOf;
    }

    /// @param whole whether jobs get whole cores
    public static Cores of(Inventory node, boolean whole) {
        int cpus = node.cpus();
        if (!whole) {
            return new Cores(cpus, 1, ANY);
        }
        int[] coreOf = told(node);
        var sizes = new int[Arrays.stream(coreOf).max().orElse(-1) + 1];
        Arrays.stream(coreOf).forEach(core -> sizes[core]++);
        int threads = Arrays.stream(sizes).max().orElse(1);
        if (threads == 1) {
            return new Cores(cpus, 1, ANY);
        }
        for (int cpu = 0; cpu < cpus; cpu++) {
            coreOf[cpu] = sizes[coreOf[cpu]] == threads ? coreOf[cpu] : NOBODYS;
        }
        int given = (int) Arrays.stream(coreOf).filter(core -> core != NOBODYS).count();
        return new Cores(given, threads, coreOf);
    }

    private static int[] told(Inventory node) {
        Hardware hardware = node.hardware();
        List<Integer> told = hardware == null ? List.of() : hardware.cores();
        int cpus = node.cpus();
        if (told.size() == cpus && told.stream().allMatch(core -> core >= 0 && core < cpus)) {
            return told.stream().mapToInt(Integer::intValue).toArray();
        }
        boolean declared = hardware == null && node.simulated();
        int threads = declared ? Math.max(1, node.threadsPerCore()) : 1;
        return IntStream.range(0, cpus).map(cpu -> cpu / threads).toArray();
    }

    /// How many CPUs jobs may have.
    public int cpus() {
        return cpus;
    }

    /// How many are given out together at least.
    public int threads() {
        return threads;
    }

    /// How many CPUs a job gets that asks for so many.
    public int round(int asked) {
        return Math.ceilDiv(asked, threads) * threads;
    }

    /// How many CPUs of this node hold so many of a request's tasks: more, where these run on some
    /// threads of each core alone.
    public int round(ResourceRequest request, int asked) {
        NodeShape shape = request.where().shape();
        Integer used = shape == null ? null : shape.threadsUsed();
        return used == null
                ? round(asked)
                : (int)
                        Math.min(
                                (long) Math.ceilDiv(asked, Math.min(used, threads)) * threads,
                                Integer.MAX_VALUE);
    }

    /// How many CPUs a part of a job gets. One of which only so many tasks may be on a socket has
    /// whole cores for each task.
    public int of(ResourceRequest request, int part) {
        int all =
                Math.max(
                        round(request.cpusOn(part)),
                        round(request, request.tasksOn(part) * request.cpusPerTask()));
        NodeShape shape = request.where().shape();
        return shape == null || shape.tasksPerSocket() == null
                ? all
                : Math.max(all, request.tasksOn(part) * round(request, request.cpusPerTask()));
    }

    /// The CPUs of all cores of which somebody holds some.
    public BitSet held(BitSet some) {
        if (coreOf.length == 0) {
            return some;
        }
        var cores = new BitSet();
        some.stream().filter(cpu -> core(cpu) != NOBODYS).forEach(cpu -> cores.set(core(cpu)));
        return of(cores);
    }

    /// How many CPUs are in these. Somebody who has CPUs that are not for jobs is there all the
    /// same: nobody has the node alone.
    public int heldBy(IndexSet some) {
        return coreOf.length == 0 || some.isEmpty()
                ? some.size()
                : Math.max(1, held(some.toBitSet()).cardinality());
    }

    /// Of the CPUs that nobody holds those of which whole cores are free.
    public BitSet free(BitSet some) {
        if (coreOf.length == 0) {
            return some;
        }
        var cores = new BitSet();
        cores.set(0, coreOf.length);
        for (int cpu = 0; cpu < coreOf.length; cpu++) {
            if (!some.get(cpu) && coreOf[cpu] != NOBODYS) {
                cores.clear(coreOf[cpu]);
            }
        }
        return of(cores);
    }

    /// Adds whole cores to what is taken, the lowest first, until that has so many CPUs.
    ///
    /// @param from of these cores, of which nothing is taken but all
    public void take(BitSet taken, BitSet from, int wanted) {
        int rest = wanted - taken.cardinality();
        for (int cpu = from.nextSetBit(0); cpu >= 0 && rest > 0; cpu = from.nextSetBit(cpu + 1)) {
            if (!taken.get(cpu)) {
                taken.set(cpu);
                for (int other = cpu + 1; other < coreOf.length; other++) {
                    taken.set(other, taken.get(other) || coreOf[other] == coreOf[cpu]);
                }
                rest -= threads;
            }
        }
    }

    /// So many CPUs, but none of a core of which they are not all.
    public int whole(int cpus) {
        return cpus / threads * threads;
    }

    /// The CPUs of some cores.
    private BitSet of(BitSet cores) {
        var cpus = new BitSet();
        for (int cpu = 0; cpu < coreOf.length; cpu++) {
            cpus.set(cpu, coreOf[cpu] != NOBODYS && cores.get(coreOf[cpu]));
        }
        return cpus;
    }

    private int core(int cpu) {
        return cpu < coreOf.length ? coreOf[cpu] : NOBODYS;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Cores it
                && cpus == it.cpus
                && threads == it.threads
                && Arrays.equals(coreOf, it.coreOf);
    }

    @Override
    public int hashCode() {
        return 31 * cpus + Arrays.hashCode(coreOf);
    }

    @Override
    public String toString() {
        return "%d CPUs, %d together".formatted(cpus, threads);
    }
}
