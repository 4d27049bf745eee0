package io.berth.core.state;

import io.berth.contracts.Allocation;
import io.berth.contracts.IndexSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;

/// What runs hold on one node: CPUs by id, memory in MiB, GPUs by UUID. CPUs that a suspended run
/// has claimed, to go on when all of them are free, are not free for others.
public final class Holding {

    private final BitSet cpus;
    private final List<IndexSet> claims;
    private final TreeSet<String> gpus;
    private long memoryMib;

    public Holding() {
        this(new BitSet(), new ArrayList<>(), new TreeSet<>(), 0);
    }

    private Holding(BitSet cpus, List<IndexSet> claims, TreeSet<String> gpus, long memoryMib) {
        this.cpus = cpus;
        this.claims = claims;
        this.gpus = gpus;
        this.memoryMib = memoryMib;
    }

    public Holding copy() {
        return new Holding(
                (BitSet) cpus.clone(), new ArrayList<>(claims), new TreeSet<>(gpus), memoryMib);
    }

    public void claim(IndexSet wanted) {
        claims.add(wanted);
    }

    public void unclaim(IndexSet wanted) {
        claims.remove(wanted);
    }

    /// Takes an allocation.
    ///
    /// @throws IllegalStateException if a CPU or GPU of it is held already
    public void take(Allocation allocation) {
        BitSet more = allocation.cpus().toBitSet();
        if (cpus.intersects(more) || allocation.gpus().stream().anyMatch(gpus::contains)) {
            throw new IllegalStateException(
                    "take %s: CPUs %s or GPUs %s are held already"
                            .formatted(allocation, cpus, gpus));
        }
        cpus.or(more);
        gpus.addAll(allocation.gpus());
        memoryMib += allocation.memoryMib();
    }

    public void release(Allocation allocation) {
        cpus.andNot(allocation.cpus().toBitSet());
        allocation.gpus().forEach(gpus::remove);
        memoryMib -= allocation.memoryMib();
    }

    /// Whether no run holds anything.
    public boolean empty() {
        return cpus.isEmpty() && gpus.isEmpty() && memoryMib == 0;
    }

    /// CPUs that are not free.
    public int cpus() {
        if (claims.isEmpty()) {
            return cpus.cardinality();
        }
        var all = (BitSet) cpus.clone();
        claims.forEach(claim -> all.or(claim.toBitSet()));
        return all.cardinality();
    }

    public long memoryMib() {
        return memoryMib;
    }

    public int gpus() {
        return gpus.size();
    }

    public boolean holdsCpu(int cpu) {
        return cpus.get(cpu) || claims.stream().anyMatch(claim -> claim.contains(cpu));
    }

    public boolean holdsGpu(String uuid) {
        return gpus.contains(uuid);
    }
}
