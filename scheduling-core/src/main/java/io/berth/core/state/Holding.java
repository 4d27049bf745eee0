package io.berth.core.state;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuShare;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What runs hold on one node: CPUs by id, memory in MiB, GPUs by UUID, whole or in parts, other
/// resources by count and device file. CPUs that a suspended run has claimed, to go on when all of
/// them are free, are not free for others.
///
/// Nothing is ever held twice, but CPUs by runs that share theirs; and who reads of a round only
/// what became of each job, one after the other, may learn of the new holder before he learns that
/// the old one let go.
public final class Holding {

    /// CPUs of runs that share none.
    private final BitSet cpus = new BitSet();

    /// By CPU, how many runs hold it that share theirs.
    private final TreeMap<Integer, Integer> sharers = new TreeMap<>();

    private final Set<String> gpus = new HashSet<>();
    private final List<IndexSet> claims = new ArrayList<>();

    /// Holders beyond the first.
    private final TreeMap<Integer, Integer> moreOfCpu = new TreeMap<>();

    private final TreeMap<String, Integer> moreOfGpu = new TreeMap<>();

    /// Units held of GPUs that are held in parts.
    private final TreeMap<String, Integer> units = new TreeMap<>();

    /// Other resources, as each holder was given them.
    private final List<Gres> gres = new ArrayList<>();

    /// By device file, how many hold it.
    private final TreeMap<String, Integer> files = new TreeMap<>();

    private long memoryMib;

    public Holding copy() {
        var copy = new Holding();
        copy.cpus.or(cpus);
        copy.sharers.putAll(sharers);
        copy.gpus.addAll(gpus);
        copy.claims.addAll(claims);
        copy.moreOfCpu.putAll(moreOfCpu);
        copy.moreOfGpu.putAll(moreOfGpu);
        copy.units.putAll(units);
        copy.gres.addAll(gres);
        copy.files.putAll(files);
        copy.memoryMib = memoryMib;
        return copy;
    }

    public void claim(IndexSet wanted) {
        claims.add(wanted);
    }

    public void unclaim(IndexSet wanted) {
        claims.remove(wanted);
    }

    /// Takes an allocation that nobody holds anything of, but CPUs that are shared.
    ///
    /// @param shares whether others may have its CPUs too
    /// @throws IllegalStateException if a CPU or GPU of it is held already
    public void takeFree(Allocation allocation, boolean shares) {
        take(allocation, shares);
        if (twice()) {
            throw new IllegalStateException(
                    "take %s: CPUs %s, GPUs %s or device files are held already"
                            .formatted(allocation, moreOfCpu.keySet(), moreOfGpu.keySet()));
        }
    }

    void take(Allocation allocation, boolean shares) {
        BitSet taken = allocation.cpus().toBitSet();
        if (shares) {
            taken.stream().forEach(cpu -> sharers.merge(cpu, 1, Integer::sum));
        } else {
            if (cpus.intersects(taken)) {
                var both = (BitSet) taken.clone();
                both.and(cpus);
                both.stream().forEach(cpu -> moreOfCpu.merge(cpu, 1, Integer::sum));
            }
            cpus.or(taken);
        }
        GpuShare share = allocation.share();
        if (share != null) {
            units.merge(allocation.gpus().getFirst(), share.units(), Integer::sum);
        }
        for (String gpu : share == null ? allocation.gpus() : List.<String>of()) {
            if (!gpus.add(gpu)) {
                moreOfGpu.merge(gpu, 1, Integer::sum);
            }
        }
        for (Gres one : allocation.gres()) {
            gres.add(one);
            one.files().forEach(file -> files.merge(file, 1, Integer::sum));
        }
        memoryMib += allocation.memoryMib();
    }

    void release(Allocation allocation, boolean shares) {
        BitSet given = allocation.cpus().toBitSet();
        if (shares) {
            given.stream()
                    .forEach(cpu ->
                            sharers.computeIfPresent(
                                    cpu, (_, held) -> held == 1 ? null : held - 1));
        } else {
            for (int cpu : moreOfCpu.keySet().toArray(Integer[]::new)) {
                if (given.get(cpu)) {
                    given.clear(cpu);
                    moreOfCpu.computeIfPresent(cpu, (_, more) -> more == 1 ? null : more - 1);
                }
            }
            cpus.andNot(given);
        }
        GpuShare share = allocation.share();
        if (share != null) {
            units.computeIfPresent(
                    allocation.gpus().getFirst(),
                    (_, held) -> held == share.units() ? null : held - share.units());
        }
        for (String gpu : share == null ? allocation.gpus() : List.<String>of()) {
            if (moreOfGpu.containsKey(gpu)) {
                moreOfGpu.computeIfPresent(gpu, (_, more) -> more == 1 ? null : more - 1);
            } else {
                gpus.remove(gpu);
            }
        }
        for (Gres one : allocation.gres()) {
            gres.remove(one);
            for (String file : one.files()) {
                files.computeIfPresent(file, (_, held) -> held == 1 ? null : held - 1);
            }
        }
        memoryMib -= allocation.memoryMib();
    }

    /// Whether something is held twice.
    public boolean twice() {
        return !moreOfCpu.isEmpty()
                || sharers.keySet().stream().anyMatch(cpus::get)
                || !moreOfGpu.isEmpty()
                || files.values().stream().anyMatch(it -> it > 1)
                || units.entrySet().stream()
                        .anyMatch(
                                it -> it.getValue() > GpuShare.WHOLE || gpus.contains(it.getKey()));
    }

    /// Whether no run holds anything.
    public boolean empty() {
        return cpus.isEmpty()
                && sharers.isEmpty()
                && gpus.isEmpty()
                && units.isEmpty()
                && gres.isEmpty()
                && memoryMib == 0;
    }

    /// CPUs that are not free.
    public int cpus() {
        if (claims.isEmpty() && sharers.isEmpty()) {
            return cpus.cardinality();
        }
        var all = (BitSet) cpus.clone();
        sharers.keySet().forEach(all::set);
        claims.forEach(claim -> all.or(claim.toBitSet()));
        return all.cardinality();
    }

    public long memoryMib() {
        return memoryMib;
    }

    /// GPUs that are held, whole or in parts.
    public int gpus() {
        return gpus.size() + units.size();
    }

    /// The CPUs that are free of a node that has so many.
    public BitSet freeCpus(int count) {
        var free = new BitSet(count);
        free.set(0, count);
        free.andNot(cpus);
        sharers.keySet().forEach(free::clear);
        claims.forEach(claim -> free.andNot(claim.toBitSet()));
        return free;
    }

    /// Whether a GPU is held, whole or in parts.
    public boolean holdsGpu(String uuid) {
        return gpus.contains(uuid) || units.containsKey(uuid);
    }

    /// How much runs hold of each of a node's other resources.
    ///
    /// @param there what the node has, with device files
    public List<Gres> gres(List<Gres> there) {
        return gres.isEmpty() ? List.of() : Gres.heldOf(gres, there);
    }

    /// So many of what nobody holds of a node's other resource, the first of them by device file;
    /// null if they are too few.
    ///
    /// @param all what the node has of it
    /// @param there of which it is one
    public @Nullable Gres free(Gres all, List<Gres> there, long count) {
        long held =
                gres(there).stream()
                        .filter(it -> it.compareTo(all) == 0)
                        .mapToLong(Gres::count)
                        .sum();
        if (all.count() - held < count) {
            return null;
        }
        if (all.files().isEmpty()) {
            return all.counted(count);
        }
        List<String> free =
                all.files().stream().filter(file -> !files.containsKey(file)).limit(count).toList();
        return free.size() < count ? null : new Gres(all.name(), all.type(), count, free);
    }

    /// Units of a GPU that nobody holds, of [GpuShare#WHOLE].
    public int freeUnits(String uuid) {
        return gpus.contains(uuid) ? 0 : GpuShare.WHOLE - units.getOrDefault(uuid, 0);
    }
}
