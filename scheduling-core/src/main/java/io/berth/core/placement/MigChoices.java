package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Demand;
import io.berth.core.engine.Drain;
import io.berth.core.engine.Drain.Emptied;
import io.berth.core.engine.Outlook;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Tenant;
import io.berth.core.state.Draft;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The GPUs in MIG mode that could run empty for a job and be divided anew for it, as one pass sees
/// them. Which of them does, and whether any, is the engine's to say.
///
/// A GPU that has what the job wants as it is divided now, though others hold it, is none: the job
/// waits for that. Nor is one that has been divided a short while ago, or could not be.
///
/// *Cost*: for a job [#STEPS] nodes are looked at, those first on which a GPU is empty first, and
/// no more than give as many choices as the engine looks at before any other could: on a large
/// cluster an earlier start may be missed. A node is looked at once, and again when the pass has
/// placed somebody there, or others have its GPUs run empty than at the last look. Jobs that want
/// the same are told the same.
final class MigChoices {

    /// Nodes looked at for one job.
    static final int STEPS = 512;

    /// A job that is given what it needs of GPUs that run empty for it.
    private record Given(long job, Drain drain) {}

    /// What matters of a job.
    private record Want(String partition, ResourceRequest request, Tenant tenant) {}

    /// @param empty when the last run has left the GPUs at the earliest, in epoch milliseconds; 0
    ///   if none is there
    /// @param has whether they have what the job wants as they are divided now
    private record Choice(Drain drain, long empty, boolean has) {

        /// When they could have been divided at the earliest.
        long divided() {
            return empty + drain.millis();
        }
    }

    /// A GPU and when the last run has left it at the earliest.
    private record Emptying(Emptied gpu, long empty) {}

    /// A node as it is in the pass, beside those who are given something of it.
    ///
    /// @param site null if nothing can be divided there
    /// @param gpus the one that is empty first before all
    private record Look(
            NodeStatus status, List<Given> given, @Nullable MigSite site, List<Emptying> gpus) {}

    private final ClusterModel model;
    private final Draft draft;
    private final long now;
    private final Map<NodeName, Look> looks = new HashMap<>();

    /// What jobs that want the same were told of nodes as they were when they were looked at.
    private final Map<Want, Map<Look, List<Choice>>> known = new HashMap<>();

    MigChoices(ClusterModel model, Draft draft, long now) {
        this.model = model;
        this.draft = draft;
        this.now = now;
        model.soonest.refresh(new Outlook(model.engine));
    }

    /// What could run empty for a job: any one GPU that has enough for it then, else the first that
    /// will be empty of a node's.
    ///
    /// @param beside jobs that are given what they need of GPUs that run empty for them
    /// @param before nothing that is divided then or later, in epoch milliseconds
    List<Drain> of(JobStatus job, List<Long> beside, long before) {
        JobDescription description = job.description();
        BitSet only = model.only(description.request());
        var want =
                new Want(
                        description.partition(),
                        description.request(),
                        model.tenants.of(description));
        Map<Look, List<Choice>> told = known.computeIfAbsent(want, _ -> new IdentityHashMap<>());
        Map<Integer, List<Given>> given = given(beside);
        var drains = new ArrayList<Drain>();
        var ready = new PriorityQueue<Long>();
        int steps = 0;
        int sooner = 0;
        for (MigOrder.Site site : model.soonest.all()) {
            for (; !ready.isEmpty() && ready.element() < site.divided(); sooner++) {
                ready.remove();
            }
            if (steps == STEPS || sooner >= Drain.STEPS || site.divided() >= before) {
                break;
            }
            if (!model.mig.mayUse(site.node(), want.partition, only)) {
                continue;
            }
            steps++;
            Look look = look(site, given.getOrDefault(site.node(), List.of()));
            for (Choice it : told.computeIfAbsent(look, _ -> choices(description, look))) {
                if (it.divided() < before && (!it.has || drained(it.drain))) {
                    drains.add(it.drain);
                    ready.add(it.divided());
                }
            }
        }
        drains.sort(Comparator.comparingInt(Drain::node));
        return drains;
    }

    private boolean drained(Drain drain) {
        return drain.gpus().stream().allMatch(gpu -> model.engine.drains(gpu.name()));
    }

    private Map<Integer, List<Given>> given(List<Long> beside) {
        var given = new HashMap<Integer, List<Given>>();
        for (long other : beside) {
            Expected plan = Objects.requireNonNull(model.engine.expected(other));
            Drain drain = plan.drain();
            if (drain != null) {
                given.computeIfAbsent(drain.node(), _ -> new ArrayList<>())
                        .add(new Given(other, drain));
            }
        }
        return given;
    }

    private Look look(MigOrder.Site at, List<Given> given) {
        NodeStatus status = draft.node(at.name());
        Look last = looks.get(at.name());
        // Whoever is placed there, or told to go, changes the node: it has an order for that.
        boolean same = last != null && last.status.equals(status);
        if (last != null && same && last.given.equals(given)) {
            return last;
        }
        MigSite site =
                MigSite.of(
                                status,
                                model.nodes.kindOf(status.node()),
                                at.rule(),
                                _ -> false,
                                Holding::new,
                                now)
                        .orElse(null);
        List<Emptying> gpus = List.of();
        if (site != null) {
            given.forEach(it -> site.give(request(it.job), names(it.drain.gpus())));
            gpus = last != null && same ? last.gpus : gpus(status, site);
        }
        var look = new Look(status, given, site, gpus);
        looks.put(at.name(), look);
        return look;
    }

    private ResourceRequest request(long job) {
        return model.state.knownJob(new JobId(job)).description().request();
    }

    private List<Emptying> gpus(NodeStatus status, MigSite site) {
        return model.drains.emptied(status, site.gpus(), draft).stream()
                .map(gpu -> new Emptying(gpu, empty(gpu)))
                .sorted(Comparator.comparingLong(Emptying::empty))
                .toList();
    }

    private long empty(Emptied gpu) {
        var outlook = new Outlook(model.engine);
        return gpu.held().stream().mapToLong(hold -> outlook.ends(hold.job(), now)).max().orElse(0);
    }

    private List<Choice> choices(JobDescription job, Look look) {
        MigSite site = look.site;
        Demand rest = site == null ? null : rest(model, job, site.node());
        if (site == null || rest == null) {
            return List.of();
        }
        var choices = new ArrayList<Choice>();
        var together = new ArrayList<Emptied>();
        boolean enough = false;
        for (Emptying next : look.gpus) {
            together.add(next.gpu);
            List<Emptied> alone = List.of(next.gpu);
            boolean gives = gives(site, job.request(), alone);
            if (gives || (!enough && gives(site, job.request(), together))) {
                enough |= !gives;
                List<Emptied> gpus = gives ? alone : together;
                choices.add(
                        new Choice(
                                new Drain(
                                        model.nodes.index(site.node()),
                                        gpus,
                                        rest,
                                        site.rule().costSeconds() * 1000),
                                next.empty,
                                has(look.status, job.request(), names(gpus))));
            }
        }
        return choices;
    }

    private static boolean gives(MigSite site, ResourceRequest request, List<Emptied> gpus) {
        return site.copy().give(request, names(gpus));
    }

    private static List<String> names(List<Emptied> gpus) {
        return gpus.stream().map(Emptied::name).toList();
    }

    /// Whether GPUs have what a request wants as they are divided now.
    static boolean has(NodeStatus status, ResourceRequest request, Collection<String> gpus) {
        return status.usableGpus().stream()
                        .filter(gpu -> gpu.parent() != null && gpus.contains(gpu.parent()))
                        .filter(request.gpus()::admits)
                        .count()
                >= request.gpusOn(0);
    }

    /// What a job takes of a node beside GPUs; null if it cannot run there.
    static @Nullable Demand rest(ClusterModel model, JobDescription job, NodeName node) {
        NodeKind kind = model.nodes.kindOf(node);
        int cpus = kind.cpusOn(job.request(), 0);
        boolean allowed = model.tenants.allows(job.partition(), cpus);
        Demand rest = allowed ? kind.rest(job.request(), 0) : null;
        return rest == null ? null : rest.of(model.tenants.of(job));
    }
}
