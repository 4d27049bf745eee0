package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Demand;
import io.berth.core.engine.Drain;
import io.berth.core.engine.Drain.Emptied;
import io.berth.core.engine.Drain.Hold;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.state.Draft;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The GPUs in MIG mode that run empty for jobs and are then divided anew for them, in the engine's
/// terms.
final class MigDrains {

    private final ClusterModel model;

    MigDrains(ClusterModel model) {
        this.model = model;
    }

    /// Those GPUs of a node of which nothing is given out in parts, as they could run empty.
    List<Emptied> emptied(NodeStatus status, Collection<MigGpu> gpus, Draft draft) {
        Map<String, JobStatus> holders = holders(status.node(), draft);
        var lanes = new Lanes(status.node());
        return gpus.stream()
                .map(gpu -> emptied(status, gpu, holders, lanes))
                .filter(Objects::nonNull)
                .toList();
    }

    /// By GPU, who holds it on a node.
    private static Map<String, JobStatus> holders(NodeName node, Draft draft) {
        var jobs = new TreeSet<>(draft.state().jobsOn(node));
        jobs.addAll(draft.jobs().keySet());
        var holders = new TreeMap<String, JobStatus>();
        for (JobId id : jobs) {
            JobStatus job = draft.job(id);
            Run run = job.run();
            for (Allocation it : run == null ? List.<Allocation>of() : run.allocations()) {
                if (it.node().equals(node)) {
                    it.gpus().forEach(gpu -> holders.put(gpu, job));
                }
            }
        }
        return holders;
    }

    private static @Nullable Emptied emptied(
            NodeStatus status, MigGpu gpu, Map<String, JobStatus> holders, Lanes lanes) {
        Division last = status.division(gpu.uuid());
        if (last != null && last.inProgress()) {
            return new Emptied(gpu.uuid(), List.of(), List.of(), last.since());
        }
        List<Gpu> instances = status.seen().inventory().instancesOf(gpu.uuid());
        var held = new TreeMap<Long, List<Gpu>>();
        for (Gpu instance : instances) {
            if (lanes.of(instance) < 0) {
                return null;
            }
            JobStatus holder = holders.get(instance.uuid());
            if (holder != null) {
                held.computeIfAbsent(holder.job().value(), _ -> new ArrayList<>()).add(instance);
            }
        }
        return new Emptied(
                gpu.uuid(),
                lanes.count(instances),
                held.entrySet().stream()
                        .map(it -> new Hold(it.getKey(), lanes.count(it.getValue())))
                        .toList(),
                0);
    }

    /// How the engine counts the GPUs of a node that are given out whole.
    private final class Lanes {

        private final NodeKind kind;
        private final Set<Gpu> whole;

        Lanes(NodeName node) {
            kind = model.nodes.kindOf(node);
            whole = new HashSet<>(model.nodes.gpus(node, false));
        }

        /// -1 for one of another kind.
        int of(Gpu instance) {
            return whole.contains(instance) ? kind.lane(instance) : -1;
        }

        List<Demand> count(Collection<Gpu> instances) {
            var counts = new TreeMap<Integer, Integer>();
            instances.forEach(it -> counts.merge(of(it), 1, Integer::sum));
            return counts.entrySet().stream()
                    .map(it -> new Demand(0, 0, it.getValue(), it.getKey()))
                    .toList();
        }
    }

    /// Tells the engine what a run holds of GPUs that run empty.
    void hold(JobStatus job, List<Allocation> allocations) {
        if (model.engine.drained().isEmpty()) {
            return;
        }
        for (Allocation it : allocations) {
            model.state
                    .node(it.node())
                    .ifPresent(status -> hold(job, it, status.seen().inventory()));
        }
    }

    private void hold(JobStatus job, Allocation allocation, Inventory inventory) {
        for (MigGpu gpu : inventory.migGpus()) {
            if (!model.engine.drains(gpu.uuid())) {
                continue;
            }
            List<Gpu> held =
                    inventory.instancesOf(gpu.uuid()).stream()
                            .filter(instance -> allocation.gpus().contains(instance.uuid()))
                            .toList();
            if (!held.isEmpty()) {
                List<Demand> instances = new Lanes(allocation.node()).count(held);
                model.engine.holds(job.job().value(), gpu.uuid(), instances);
            }
        }
    }

    /// The GPUs that ran empty for a job by its plan; null if they do not any more: they have been
    /// divided, or could not be.
    @Nullable Drain of(JobStatus job, Planned planned, long now) {
        NodeName node = planned.nodes().getFirst();
        NodeStatus status = model.state.node(node).orElse(null);
        MigGpus rule = model.mig.rules().get(node);
        Demand rest =
                status == null || planned.drains().isEmpty()
                        ? null
                        : MigChoices.rest(model, job.description(), node);
        if (rule == null || status == null || rest == null) {
            return null;
        }
        var gpus = new ArrayList<MigGpu>();
        for (var entry : planned.drains().entrySet()) {
            MigGpu gpu = status.seen().inventory().migGpu(entry.getKey()).orElse(null);
            if (gpu == null || !runsEmpty(status, rule, gpu, entry.getValue(), now)) {
                return null;
            }
            gpus.add(gpu);
        }
        List<Emptied> emptied = emptied(status, gpus, new Draft(model.state));
        return emptied.size() < gpus.size()
                ? null
                : new Drain(model.nodes.index(node), emptied, rest, rule.costSeconds() * 1000);
    }

    /// Whether the GPUs that ran empty for a job by its plan have become what it wants.
    boolean brought(JobStatus job, Planned planned) {
        NodeStatus status = model.state.node(planned.nodes().getFirst()).orElse(null);
        return status != null
                && MigChoices.has(status, job.description().request(), planned.drains().keySet());
    }

    private static boolean runsEmpty(
            NodeStatus status, MigGpus rule, MigGpu gpu, String geometry, long now) {
        Division last = status.division(gpu.uuid());
        return (last != null && last.inProgress())
                || (rule.gives(gpu)
                        && (last == null || last.until() <= now)
                        && MigPlacement.words(gpu.instances()).equals(geometry));
    }

    /// Whether the GPUs of a node that run empty are being divided as far as the engine was told.
    boolean cover(NodeStatus node) {
        for (long job : model.engine.drained()) {
            Expected plan = Objects.requireNonNull(model.engine.expected(job));
            Drain drain = Objects.requireNonNull(plan.drain());
            for (Emptied gpu :
                    model.nodes.name(drain.node()).equals(node.node())
                            ? drain.gpus()
                            : List.<Emptied>of()) {
                Division last = node.division(gpu.name());
                if (gpu.since() != (last != null && last.inProgress() ? last.since() : 0)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Of the GPUs that run empty what each is divided into now, by UUID.
    Map<String, String> geometries(@Nullable Drain drain) {
        var geometries = new TreeMap<String, String>();
        if (drain != null) {
            NodeStatus status = model.state.node(model.nodes.name(drain.node())).orElseThrow();
            for (Emptied gpu : drain.gpus()) {
                status.seen()
                        .inventory()
                        .migGpu(gpu.name())
                        .ifPresent(it ->
                                geometries.put(it.uuid(), MigPlacement.words(it.instances())));
            }
        }
        return geometries;
    }
}
