package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Demand;
import io.berth.core.engine.Drain;
import io.berth.core.engine.Drain.Emptied;
import io.berth.core.engine.Drain.Hold;
import io.berth.core.engine.Outlook;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.state.Draft;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The GPUs in MIG mode that could run empty for a job and be divided anew for it, in the engine's
/// terms. Which of them does, and whether any, is the engine's to say.
///
/// A GPU that has what the job wants as it is divided now, though others hold it, is none: the job
/// waits for that. Nor is one that has been divided a short while ago, or could not be.
final class MigDrains {

    private final ClusterModel model;

    MigDrains(ClusterModel model) {
        this.model = model;
    }

    /// What could run empty for a job: any one GPU that has enough for it then, else the first that
    /// will be empty of a node's.
    ///
    /// @param beside jobs that are given what they need of GPUs that run empty for them
    List<Drain> of(JobStatus job, List<Long> beside, Draft draft, long now) {
        JobDescription description = job.description();
        ResourceRequest request = description.request();
        BitSet only = model.only(request);
        var drains = new ArrayList<Drain>();
        model.mig
                .rules()
                .forEach((node, rule) -> {
                    if (model.mig.mayUse(node, description.partition(), only)) {
                        MigSite.of(draft.node(node), rule, _ -> false, Holding::new, now)
                                .ifPresent(site -> {
                                    beside.forEach(other -> give(other, site));
                                    add(drains, job, site, draft, now);
                                });
                    }
                });
        return drains;
    }

    private void give(long other, MigSite site) {
        Expected plan = Objects.requireNonNull(model.engine.expected(other));
        Drain drain = plan.drain();
        if (drain != null && model.nodes.name(drain.node()).equals(site.node())) {
            site.give(request(other), drain.gpus().stream().map(Emptied::name).toList());
        }
    }

    private ResourceRequest request(long job) {
        return model.state.knownJob(new JobId(job)).description().request();
    }

    private void add(List<Drain> drains, JobStatus job, MigSite site, Draft draft, long now) {
        NodeStatus status = draft.node(site.node());
        Demand rest = rest(job, site.node());
        if (rest == null) {
            return;
        }
        Map<String, JobStatus> holders = holders(site.node(), draft);
        var outlook = new Outlook(model.engine);
        var gpus = new ArrayList<Emptied>();
        for (MigGpu gpu : site.gpus()) {
            Emptied emptied = emptied(status, gpu, holders);
            if (emptied != null) {
                gpus.add(emptied);
            }
        }
        gpus.sort(
                Comparator.comparingLong(gpu ->
                        gpu.held().stream()
                                .mapToLong(hold -> outlook.ends(hold.job(), now))
                                .max()
                                .orElse(0)));
        ResourceRequest request = job.description().request();
        var together = new ArrayList<Emptied>();
        boolean enough = false;
        for (Emptied gpu : gpus) {
            together.add(gpu);
            if (gives(site, request, List.of(gpu))) {
                add(drains, status, request, site, List.of(gpu), rest);
            } else if (!enough && gives(site, request, together)) {
                enough = true;
                add(drains, status, request, site, together, rest);
            }
        }
    }

    private static boolean gives(MigSite site, ResourceRequest request, List<Emptied> gpus) {
        return site.copy().give(request, gpus.stream().map(Emptied::name).toList());
    }

    private void add(
            List<Drain> drains,
            NodeStatus status,
            ResourceRequest request,
            MigSite site,
            List<Emptied> gpus,
            Demand rest) {
        if (gpus.stream().allMatch(gpu -> model.engine.drains(gpu.name()))
                || !has(status, request, gpus)) {
            drains.add(
                    new Drain(
                            model.nodes.index(status.node()),
                            gpus,
                            rest,
                            site.rule().costSeconds() * 1000));
        }
    }

    /// Whether GPUs have what a request wants as they are divided now.
    private static boolean has(NodeStatus status, ResourceRequest request, List<Emptied> gpus) {
        List<String> names = gpus.stream().map(Emptied::name).toList();
        return status.usableGpus().stream()
                        .filter(gpu -> gpu.parent() != null && names.contains(gpu.parent()))
                        .filter(request.gpus()::admits)
                        .count()
                >= request.gpusOn(0);
    }

    private @Nullable Demand rest(JobStatus job, NodeName node) {
        JobDescription description = job.description();
        boolean allowed =
                model.tenants.allows(description.partition(), description.request().cpusOn(0));
        Demand rest = allowed ? model.nodes.kindOf(node).rest(description.request(), 0) : null;
        return rest == null ? null : rest.of(model.tenants.of(description));
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

    /// Null for a GPU of which something is given out in parts.
    private @Nullable Emptied emptied(
            NodeStatus status, MigGpu gpu, Map<String, JobStatus> holders) {
        Division last = status.division(gpu.uuid());
        if (last != null && last.inProgress()) {
            return new Emptied(gpu.uuid(), List.of(), List.of(), last.since());
        }
        List<Gpu> instances = status.seen().inventory().instancesOf(gpu.uuid());
        var held = new TreeMap<Long, List<Gpu>>();
        for (Gpu instance : instances) {
            if (lane(status.node(), instance) < 0) {
                return null;
            }
            JobStatus holder = holders.get(instance.uuid());
            if (holder != null) {
                held.computeIfAbsent(holder.job().value(), _ -> new ArrayList<>()).add(instance);
            }
        }
        return new Emptied(
                gpu.uuid(),
                byLane(status.node(), instances),
                held.entrySet().stream()
                        .map(it -> new Hold(it.getKey(), byLane(status.node(), it.getValue())))
                        .toList(),
                0);
    }

    private int lane(NodeName node, Gpu instance) {
        return model.nodes.gpus(node, false).contains(instance)
                ? model.nodes.kindOf(node).lane(instance)
                : -1;
    }

    private List<Demand> byLane(NodeName node, Collection<Gpu> instances) {
        var counts = new TreeMap<Integer, Integer>();
        instances.forEach(it -> counts.merge(lane(node, it), 1, Integer::sum));
        return counts.entrySet().stream()
                .map(it -> new Demand(0, 0, it.getValue(), it.getKey()))
                .toList();
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
            List<Gpu> held =
                    inventory.instancesOf(gpu.uuid()).stream()
                            .filter(instance -> allocation.gpus().contains(instance.uuid()))
                            .toList();
            if (!held.isEmpty() && model.engine.drains(gpu.uuid())) {
                model.engine.holds(job.job().value(), gpu.uuid(), byLane(allocation.node(), held));
            }
        }
    }

    /// The GPUs that ran empty for a job by its plan; null if they do not any more: they have been
    /// divided, or could not be.
    @Nullable Drain of(JobStatus job, Planned planned, long now) {
        NodeName node = planned.nodes().getFirst();
        NodeStatus status = model.state.node(node).orElse(null);
        MigGpus rule = model.mig.rules().get(node);
        Demand rest = status == null || planned.drains().isEmpty() ? null : rest(job, node);
        if (rule == null || status == null || rest == null) {
            return null;
        }
        Map<String, JobStatus> holders = holders(node, new Draft(model.state));
        var gpus = new ArrayList<Emptied>();
        for (var entry : planned.drains().entrySet()) {
            MigGpu gpu = status.seen().inventory().migGpu(entry.getKey()).orElse(null);
            Emptied emptied =
                    gpu != null && runsEmpty(status, rule, gpu, entry.getValue(), now)
                            ? emptied(status, gpu, holders)
                            : null;
            if (emptied == null) {
                return null;
            }
            gpus.add(emptied);
        }
        return new Drain(model.nodes.index(node), gpus, rest, rule.costSeconds() * 1000);
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
