package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Outlook;
import io.berth.core.state.CellState;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The open nodes whose GPUs in MIG mode may be divided anew, those first on which one could be
/// soonest. A node is looked up again when something has changed there.
final class MigOrder {

    /// @param node by index
    /// @param empty when the last run has left one of its GPUs at the earliest, by its limit, in
    ///   epoch milliseconds; 0 if one is empty, or is being divided
    record Site(int node, NodeName name, MigGpus rule, long empty) {

        /// When one of its GPUs could have been divided at the earliest.
        long divided() {
            return empty + rule.costSeconds() * 1000;
        }
    }

    private final CellState state;
    private final @Nullable MigGpus[] rules;
    private final List<NodeName> names;
    private final @Nullable Site[] known;
    private final BitSet changed = new BitSet();

    private final TreeSet<Site> order =
            new TreeSet<>(Comparator.comparingLong(Site::divided).thenComparingInt(Site::node));

    /// @param rules what may be divided on which node
    MigOrder(CellState state, List<NodeName> names, Map<NodeName, MigGpus> rules) {
        this.state = state;
        this.names = names;
        this.rules = names.stream().map(rules::get).toArray(MigGpus[]::new);
        this.known = new Site[names.size()];
        changed(IntStream.range(0, names.size()).toArray());
    }

    /// Nodes, or what is held on them, may be other than before.
    void changed(int... some) {
        for (int node : some) {
            if (rules[node] != null) {
                changed.set(node);
            }
        }
    }

    /// Takes what has changed from the state.
    void refresh(Outlook outlook) {
        for (int node = changed.nextSetBit(0); node >= 0; node = changed.nextSetBit(node + 1)) {
            Site before = known[node];
            if (before != null) {
                order.remove(before);
            }
            NodeStatus status = state.node(names.get(node)).orElseThrow();
            Site site = look(node, status, outlook);
            if (site != null) {
                order.add(site);
            }
            known[node] = site;
        }
        changed.clear();
    }

    /// The one first on which a GPU could have been divided soonest.
    Iterable<Site> all() {
        return order;
    }

    /// Those on which a GPU is held by nobody, or is being divided, in the order of their names.
    List<Site> open() {
        return order.stream()
                .filter(it -> it.empty == 0)
                .sorted(Comparator.comparingInt(Site::node))
                .toList();
    }

    /// Null of a node of which nothing can be divided.
    private @Nullable Site look(int node, NodeStatus status, Outlook outlook) {
        MigGpus rule = Objects.requireNonNull(rules[node]);
        Map<String, Long> ends = ends(status.node(), outlook);
        Inventory inventory = status.seen().inventory();
        OptionalLong empty =
                inventory.migGpus().stream()
                        .filter(gpu -> rule.gives(gpu) || dividing(status, gpu))
                        .mapToLong(gpu ->
                                dividing(status, gpu)
                                        ? 0
                                        : empty(inventory.instancesOf(gpu.uuid()), ends))
                        .min();
        return !status.open() || empty.isEmpty()
                ? null
                : new Site(node, status.node(), rule, empty.getAsLong());
    }

    private static boolean dividing(NodeStatus status, MigGpu gpu) {
        Division last = status.division(gpu.uuid());
        return last != null && last.inProgress();
    }

    private static long empty(List<Gpu> instances, Map<String, Long> ends) {
        return instances.stream().mapToLong(it -> ends.getOrDefault(it.uuid(), 0L)).max().orElse(0);
    }

    /// When who holds it has left, by GPU.
    private Map<String, Long> ends(NodeName node, Outlook outlook) {
        var ends = new HashMap<String, Long>();
        for (JobId job : state.jobsOn(node)) {
            Run run = state.knownJob(job).run();
            long end = outlook.ends(job.value(), 0);
            for (Allocation it : run == null ? List.<Allocation>of() : run.allocations()) {
                if (it.node().equals(node)) {
                    it.gpus().forEach(gpu -> ends.put(gpu, end));
                }
            }
        }
        return ends;
    }
}
