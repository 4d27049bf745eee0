package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobId;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Outlook;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Decides which GPUs in MIG mode are divided anew, and into what.
///
/// *Goals*, ranked: no start is put off that is expected; the job that is first by priority starts
/// sooner than it would; as many as possible of those behind it do.
///
/// *Constraints*: a GPU is divided only while no run holds an instance of it and no expected start
/// is on its node that would do with one; not before what was divided has been so for a while, nor
/// soon after it failed; and only if a waiting job starts by it that otherwise would not by the
/// time that a division takes. So two kinds of jobs do not make a GPU flap.
///
/// *Method*: the jobs that wait for instances of one node are gone through in the order of
/// priority. Each is given what is being divided already, else what would be left of a GPU that is
/// divided for one before it, else a GPU that can be divided, on a node with CPUs and memory for
/// it. What is left of a GPU is filled with the largest profiles that jobs wait for ([Geometry]).
///
/// *Example*: GPU 0 of n1 is empty, split in two halves. Three jobs wait for `1g.10gb`. It is
/// divided into `7x1g.10gb`.
final class Divisions {

    /// Looked at in one pass: of those that nothing but room keeps, the first submitted.
    static final int MOST_JOBS = 1000;

    private final CellState state;
    private final Configuration configuration;
    private final ClusterModel model;
    private final FreeNodes free;
    private final Draft draft;
    private final Outlook outlook;
    private final long now;
    private @Nullable Map<NodeName, List<GpuRequest>> planned;

    Divisions(
            CellState state,
            Configuration configuration,
            ClusterModel model,
            FreeNodes free,
            Draft draft,
            long now) {
        this.state = state;
        this.configuration = configuration;
        this.model = model;
        this.free = free;
        this.draft = draft;
        this.outlook = new Outlook(model.engine);
        this.now = now;
    }

    /// Orders what is to be divided now.
    ///
    /// @param admits whether nothing but room keeps a job from starting
    void decide(Predicate<JobStatus> admits) {
        List<MigSite> sites = model.mig.waiting().isEmpty() ? List.of() : sites();
        if (sites.stream().noneMatch(MigSite::open)) {
            return;
        }
        var wanted = new ArrayList<GpuRequest>();
        var given = new TreeSet<JobId>();
        for (boolean begun : new boolean[] {false, true}) {
            for (JobId job : model.engine.drained().stream().map(JobId::new).toList()) {
                if (!given.contains(job) && takeDrained(job, sites, begun)) {
                    given.add(job);
                    wanted.add(state.knownJob(job).description().request().gpus());
                }
            }
        }
        for (JobStatus job : inOrder(it -> !given.contains(it.job()) && admits.test(it))) {
            wanted.add(job.description().request().gpus());
            for (JobStatus it : ways(job).filter(admits).toList()) {
                if (take(it, sites)) {
                    break;
                }
            }
        }
        for (MigSite site : sites) {
            site.divided(wanted).forEach(it -> order(site, it));
        }
    }

    private List<MigSite> sites() {
        var sites = new ArrayList<MigSite>();
        for (MigOrder.Site open : model.soonest.open()) {
            NodeName node = open.name();
            Predicate<Gpu> kept = gpu -> free.holdsGpu(node, gpu.uuid()) || awaited(node, gpu);
            MigSite.of(
                            draft.node(node),
                            model.nodes.kindOf(node),
                            open.rule(),
                            kept,
                            () -> free.holding(node),
                            now)
                    .ifPresent(sites::add);
        }
        return sites;
    }

    /// Whether somebody is expected to start on a node who would do with that GPU. Nobody counts on
    /// one that runs empty.
    private boolean awaited(NodeName node, Gpu gpu) {
        String parent = gpu.parent();
        if (parent != null && model.engine.drains(parent)) {
            return false;
        }
        if (planned == null) {
            planned = planned();
        }
        return planned.getOrDefault(node, List.of()).stream().anyMatch(it -> it.admits(gpu));
    }

    /// By node, the GPUs of those that are expected to start there or that it is being cleared for.
    private Map<NodeName, List<GpuRequest>> planned() {
        var planned = new TreeMap<NodeName, List<GpuRequest>>();
        for (long id : model.engine.planned()) {
            var job = new JobId(id);
            GpuRequest gpus = state.knownJob(job).description().request().gpus();
            for (NodeName node : gpus.none() ? List.<NodeName>of() : nodesOf(job)) {
                planned.computeIfAbsent(node, _ -> new ArrayList<>()).add(gpus);
            }
        }
        return planned;
    }

    private List<NodeName> nodesOf(JobId job) {
        Clearing clearing = draft.job(job).clearing();
        Planned plan = model.planned(job);
        return clearing != null
                ? clearing.nodes()
                : plan != null && plan.drains().isEmpty() ? plan.nodes() : List.of();
    }

    /// Gives a job the GPUs that have run empty for it, once all have and there are CPUs and memory
    /// for it, or will be when it is expected.
    ///
    /// @param begun whether it is given what is divided for others now, whatever else is free
    private boolean takeDrained(JobId job, List<MigSite> sites, boolean begun) {
        Planned plan = Objects.requireNonNull(model.planned(job));
        Set<String> gpus = plan.drains().keySet();
        ResourceRequest request = state.knownJob(job).description().request();
        for (MigSite site : sites) {
            if (site.node().equals(plan.nodes().getFirst())) {
                boolean due = plan.start() <= now + site.rule().costSeconds() * 1000;
                boolean given = due || (begun && site.divides(gpus));
                return given ? site.give(request, gpus) : site.take(request, gpus);
            }
        }
        return false;
    }

    private List<JobStatus> inOrder(Predicate<JobStatus> admits) {
        var tiers = new HashMap<JobId, Integer>();
        return model.mig.waiting().stream()
                .filter(job -> !model.clears(job))
                .map(state::knownJob)
                .filter(job -> ways(job).anyMatch(admits))
                .limit(MOST_JOBS)
                .sorted(
                        Comparator.comparingInt((JobStatus job) ->
                                        tiers.computeIfAbsent(job.job(), _ -> tier(job)))
                                .thenComparingLong(job -> Placement.priority(state, job, now))
                                .reversed()
                                .thenComparing(JobStatus::submission)
                                .thenComparing(JobStatus::job))
                .toList();
    }

    private int tier(JobStatus job) {
        return ways(job)
                .mapToInt(it -> Partitions.tier(configuration, it.description()))
                .max()
                .orElse(0);
    }

    /// The job in each of its partitions that lets it start, in the order in which it is tried
    /// there.
    private Stream<JobStatus> ways(JobStatus job) {
        return model.inOrder(job).stream().filter(model.openTo(job)::contains);
    }

    /// Whether the job is given something there.
    private boolean take(JobStatus job, List<MigSite> sites) {
        FitClass fit = model.fit(job);
        if (!outlook.shares(fit, now)) {
            return false;
        }
        ResourceRequest request = job.description().request();
        BitSet only = model.only(request);
        Planned plan = model.planned(job.job());
        for (boolean anew : new boolean[] {false, true}) {
            for (MigSite site : sites) {
                if (model.mig.mayUse(site.node(), job.description().partition(), only)
                        && later(plan, site.rule())
                        && openTo(job, fit, site.node())
                        && site.take(request, anew, model.engine::drains)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Whether a job starts later than it would on a GPU that is divided now.
    private boolean later(@Nullable Planned plan, MigGpus rule) {
        return plan == null || plan.start() > now + rule.costSeconds() * 1000 || hangs(plan);
    }

    /// Whether a GPU that a plan counts on is being divided for too long.
    private boolean hangs(Planned plan) {
        return plan.drains().keySet().stream()
                .map(draft.node(plan.nodes().getFirst())::division)
                .anyMatch(it -> it != null && it.inProgress() && !it.expected(now));
    }

    private boolean openTo(JobStatus job, FitClass fit, NodeName node) {
        long limit = job.description().timeLimitSeconds() * 1000;
        return outlook.open(fit, model.nodes.index(node), limit, now);
    }

    private void order(MigSite site, MigSite.Divided divided) {
        String gpu = divided.gpu().uuid();
        NodeName node = site.node();
        draft.order(
                node,
                (epoch, number) -> new Order.Partition(node, epoch, number, gpu, divided.into()));
        NodeStatus ordered = draft.node(node);
        Division before = ordered.division(gpu);
        long seconds = site.rule().costSeconds() + site.rule().holdSeconds();
        draft.change(
                ordered.divided(
                        new Division(
                                gpu,
                                now,
                                divided.into(),
                                now + seconds * 1000,
                                before == null ? 0 : before.failures())));
    }
}
