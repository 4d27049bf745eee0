package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.core.request.Cores;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The runs that hold parts of cores: they began before cores were given out whole.
///
/// A core that several of them hold is free when the last of them has ended, and counts for that
/// one alone. For which one it does may change with every one that comes, goes, or ends at another
/// time.
///
/// *Example*: of a core's two threads one is held until 12:00 and one until 13:00. The first run
/// counts for no CPU, the second for two. When the second has ended, the first counts for two.
final class SplitCores {

    /// @param end when it ends at the latest, in epoch milliseconds
    private record Part(long end, BitSet cpus) {}

    private final Function<NodeName, @Nullable Cores> cores;
    private final Map<NodeName, TreeMap<JobId, Part>> byNode = new HashMap<>();
    private final Map<JobId, Set<NodeName>> nodes = new HashMap<>();

    /// @param cores of a node; null of one that is not there
    SplitCores(Function<NodeName, @Nullable Cores> cores) {
        this.cores = cores;
    }

    /// A run holds that until then, at the latest. What it had before, it has no more.
    void hold(JobId job, List<Allocation> allocations, long end) {
        leave(job);
        for (Allocation it : allocations) {
            Cores ofNode = cores.apply(it.node());
            BitSet cpus = it.cpus().toBitSet();
            if (ofNode != null && !ofNode.held(cpus).equals(cpus)) {
                nodes.computeIfAbsent(job, _ -> new TreeSet<>()).add(it.node());
                byNode.computeIfAbsent(it.node(), _ -> new TreeMap<>())
                        .put(job, new Part(end, cpus));
            }
        }
    }

    void leave(JobId job) {
        Set<NodeName> its = nodes.remove(job);
        if (its != null) {
            its.forEach(node ->
                    byNode.computeIfPresent(
                            node,
                            (_, parts) -> {
                                parts.remove(job);
                                return parts.isEmpty() ? null : parts;
                            }));
        }
    }

    /// The other runs that hold parts of cores on its nodes.
    Set<JobId> beside(JobId job) {
        var beside = new TreeSet<JobId>();
        nodes.getOrDefault(job, Set.of())
                .forEach(
                        node -> beside.addAll(byNode.getOrDefault(node, new TreeMap<>()).keySet()));
        beside.remove(job);
        return beside;
    }

    /// The CPUs of an allocation that are of no core which counts for another run.
    IndexSet counted(JobId job, Allocation allocation) {
        TreeMap<JobId, Part> parts = byNode.get(allocation.node());
        Part own = parts == null ? null : parts.get(job);
        Cores ofNode = cores.apply(allocation.node());
        if (parts == null || own == null || ofNode == null) {
            return allocation.cpus();
        }
        var later = new BitSet();
        parts.forEach((other, part) -> {
            boolean last = part.end == own.end ? other.compareTo(job) > 0 : part.end > own.end;
            if (last) {
                later.or(part.cpus);
            }
        });
        BitSet counted = allocation.cpus().toBitSet();
        counted.andNot(ofNode.held(later));
        return IndexSet.of(counted);
    }
}
