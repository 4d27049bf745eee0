package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.mig.Geometry;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What one node's GPUs in MIG mode could be divided into, and who could then run there: CPUs and
/// memory that are free now go to those who were [taken][#take] first. Confined to one decision.
final class MigSite {

    /// A GPU that is being divided, or that could be.
    ///
    /// @param geometry what it could become; null if it is being divided already
    /// @param left what the division that is in progress brings and nobody was given yet
    private record Split(
            MigGpu gpu,
            List<MigProfile> table,
            @Nullable Geometry geometry,
            List<MigPlacement> left) {

        boolean untouched() {
            return geometry != null && geometry.places().isEmpty();
        }

        /// With one more instance given out; null if it has none left that would do.
        @Nullable Split give(GpuRequest request) {
            for (MigProfile profile : table) {
                Split given = request.admits(gpu, profile) ? give(profile) : null;
                if (given != null) {
                    return given;
                }
            }
            return null;
        }

        private @Nullable Split give(MigProfile profile) {
            if (geometry != null) {
                Geometry more = geometry.with(profile, 1);
                return more == null ? null : new Split(gpu, table, more, left);
            }
            var rest = new ArrayList<>(left);
            for (int i = 0; i < rest.size(); i++) {
                if (rest.get(i).profile().equals(profile.name())) {
                    rest.remove(i);
                    return new Split(gpu, table, null, rest);
                }
            }
            return null;
        }
    }

    private final NodeStatus status;
    private final NodeKind kind;
    private final MigGpus rule;
    private List<Split> splits;
    private int cpus;
    private long memoryMib;

    private MigSite(
            NodeStatus status,
            NodeKind kind,
            MigGpus rule,
            List<Split> splits,
            int cpus,
            long memoryMib) {
        this.status = status;
        this.kind = kind;
        this.rule = rule;
        this.splits = splits;
        this.cpus = cpus;
        this.memoryMib = memoryMib;
    }

    /// A node that is open and has a GPU that is being divided, or could be; nothing of another.
    ///
    /// @param kept whether a run holds an instance that there is, or is expected to
    /// @param holding what is held on the node
    static Optional<MigSite> of(
            NodeStatus status,
            NodeKind kind,
            MigGpus rule,
            Predicate<Gpu> kept,
            Supplier<Holding> holding,
            long now) {
        if (!status.open()) {
            return Optional.empty();
        }
        var splits = new ArrayList<Split>();
        for (MigGpu gpu : status.seen().inventory().migGpus()) {
            Division last = status.division(gpu.uuid());
            List<MigPlacement> wanted = last == null ? null : last.wanted();
            if (last != null && wanted != null) {
                if (last.expected(now)) {
                    splits.add(new Split(gpu, gpu.profiles(), null, wanted));
                }
            } else if (rule.gives(gpu)
                    && (last == null || last.until() <= now)
                    && status.seen().inventory().instancesOf(gpu.uuid()).stream().noneMatch(kept)) {
                List<MigProfile> table = rule.table(gpu);
                splits.add(new Split(gpu, table, Geometry.empty(table), List.of()));
            }
        }
        // First what is divided in any case, then the GPU that has least to lose.
        splits.sort(
                Comparator.comparing((Split it) -> it.geometry() != null)
                        .thenComparing(it -> !it.gpu().instances().isEmpty())
                        .thenComparing(it -> it.gpu().index()));
        if (splits.isEmpty()) {
            return Optional.empty();
        }
        Holding held = holding.get();
        Inventory inventory = status.seen().inventory();
        return Optional.of(
                new MigSite(
                        status,
                        kind,
                        rule,
                        splits,
                        kind.freeCpus(inventory, held),
                        inventory.memoryMib() - held.memoryMib()));
    }

    NodeName node() {
        return status.node();
    }

    MigGpus rule() {
        return rule;
    }

    /// Whether some GPU could be divided.
    boolean open() {
        return splits.stream().anyMatch(it -> it.geometry() != null);
    }

    /// The same, for another look.
    MigSite copy() {
        return new MigSite(status, kind, rule, splits, cpus, memoryMib);
    }

    /// The GPUs that are being divided, or could be.
    List<MigGpu> gpus() {
        return splits.stream().map(Split::gpu).toList();
    }

    /// Gives a job what it wants, if there is room for it, of GPUs that do not run empty for
    /// others.
    ///
    /// @param anew whether a GPU may be divided for it that is not for another one yet
    /// @param drains whether a GPU, by its UUID, runs empty for somebody
    boolean take(ResourceRequest request, boolean anew, Predicate<String> drains) {
        return room(request)
                && give(request, anew, it -> !it.untouched() || !drains.test(it.gpu().uuid()))
                && taken(request);
    }

    /// Gives a job what it wants of GPUs that run empty for it, if there is room for it.
    boolean take(ResourceRequest request, Collection<String> gpus) {
        return room(request) && give(request, gpus) && taken(request);
    }

    /// Gives a job what it wants of these GPUs alone, whatever else is free. False: they have not
    /// as much left.
    boolean give(ResourceRequest request, Collection<String> gpus) {
        return give(request, true, it -> gpus.contains(it.gpu().uuid()));
    }

    /// Whether one of these GPUs is divided for somebody.
    boolean divides(Collection<String> gpus) {
        return splits.stream().anyMatch(it -> !it.untouched() && gpus.contains(it.gpu().uuid()));
    }

    private boolean room(ResourceRequest request) {
        long memory = request.memoryMibOn(0, status.seen().inventory().memoryMib());
        return cpus >= kind.cpusOn(request, 0) && memoryMib >= memory;
    }

    private boolean taken(ResourceRequest request) {
        cpus -= kind.cpusOn(request, 0);
        memoryMib -= request.memoryMibOn(0, status.seen().inventory().memoryMib());
        return true;
    }

    private boolean give(ResourceRequest request, boolean anew, Predicate<Split> of) {
        var after = new ArrayList<>(splits);
        for (int given = 0; given < request.gpusOn(0); given++) {
            if (!giveOne(after, request.gpus(), anew, of)) {
                return false;
            }
        }
        splits = after;
        return true;
    }

    private static boolean giveOne(
            List<Split> splits, GpuRequest request, boolean anew, Predicate<Split> of) {
        for (boolean untouched : anew ? new boolean[] {false, true} : new boolean[] {false}) {
            for (int i = 0; i < splits.size(); i++) {
                Split split = splits.get(i);
                boolean may = split.untouched() == untouched && of.test(split);
                Split given = may ? split.give(request) : null;
                if (given != null) {
                    splits.set(i, given);
                    return true;
                }
            }
        }
        return false;
    }

    /// A GPU and what it is to be divided into.
    record Divided(MigGpu gpu, List<MigPlacement> into) {}

    /// The GPUs that were divided for somebody, filled with what is useful.
    ///
    /// @param wanted what jobs wait for
    List<Divided> divided(List<GpuRequest> wanted) {
        var divided = new ArrayList<Divided>();
        for (Split split : splits) {
            Geometry geometry = split.geometry();
            if (geometry == null || split.untouched()) {
                continue;
            }
            List<String> useful =
                    split.table().stream()
                            .filter(profile ->
                                    wanted.stream().anyMatch(it -> it.admits(split.gpu(), profile)))
                            .map(MigProfile::name)
                            .toList();
            List<MigPlacement> into = geometry.filled(useful).places();
            if (!into.equals(split.gpu().instances())) {
                divided.add(new Divided(split.gpu(), into));
            }
        }
        return divided;
    }
}
