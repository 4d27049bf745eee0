package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Dependency;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Clearing;
import io.berth.core.engine.DecisionFailed;
import io.berth.core.engine.Decisions;
import io.berth.core.engine.Drain;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Outlook;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Shared;
import io.berth.core.engine.Waiting;
import io.berth.core.placement.Placement.GivingWay;
import io.berth.core.request.Dependencies;
import io.berth.core.request.Dependencies.Standing;
import io.berth.core.request.Eligibility;
import io.berth.core.request.Known;
import io.berth.core.request.Throttles;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The facts of one pass as they come together.
final class Round implements Decisions {

    private final CellState state;
    private final Configuration configuration;
    private final ClusterModel model;
    private final GivingWay givingWay;
    private final long now;
    private final FreeNodes free;
    private final Draft draft;
    private final MigChoices choices;
    private final Throttles throttles;
    private final Keeping keeping;
    private final TreeSet<JobId> planned = new TreeSet<>();
    private final TreeSet<JobId> startedJobs = new TreeSet<>();

    /// A job that stands first in a partition.
    private record Head(JobId job, String partition) {

        static Head of(JobStatus job) {
            return new Head(job.job(), job.description().partition());
        }
    }

    /// In seconds, of jobs that start with a lower limit than they ask for.
    private final TreeMap<JobId, Long> lowered = new TreeMap<>();

    /// Why components of sets wait, each by itself, when all has started that does.
    private final Map<JobId, Reason> ofComponents = new HashMap<>();

    /// The limits that keep sets back then, by first component.
    private final Map<JobId, Optional<Reason>> ofSets = new HashMap<>();

    Round(
            CellState state,
            Configuration configuration,
            ClusterModel model,
            GivingWay givingWay,
            long now) {
        this.state = state;
        this.configuration = configuration;
        this.model = model;
        this.givingWay = givingWay;
        this.now = now;
        this.free = new FreeNodes(state, model.nodes, model.layouts, model.engine::drains);
        this.draft = new Draft(state);
        this.choices = new MigChoices(model, draft, now);
        this.throttles = new Throttles(state);
        this.keeping = new Keeping(model, now);
    }

    /// The job in the partition for which it waits there.
    private JobStatus status(Waiting job) {
        JobStatus status = state.knownJob(new JobId(job.job()));
        return Transitions.in(status, status.description().partitions().get(job.choice()));
    }

    @Override
    public boolean admits(Waiting job) {
        return admits(status(job));
    }

    private boolean admits(JobStatus job) {
        return throttles.admits(job) && mayBegin(job) && limit(job) == null;
    }

    @Override
    public long allowedFrom(Waiting job, @Nullable LongPredicate without, long from) {
        JobStatus status = status(job);
        Predicate<JobId> others = without == null ? null : it -> without.test(it.value());
        return throttles.admits(status) && mayBegin(status)
                ? model.quotas.allowedFrom(together(status), others, from)
                : Long.MAX_VALUE;
    }

    @Override
    public boolean leaves(Waiting job, long until) {
        return model.quotas.none() || kept(status(job), until) == null;
    }

    /// The limit that keeps a job back for the expected start of another one.
    private @Nullable Reason kept(JobStatus job, long until) {
        return model.quotas.kept(together(job), until);
    }

    private @Nullable Reason limit(JobStatus job) {
        return model.quotas.met(together(job), now);
    }

    /// The job and those that start with it.
    private List<JobStatus> together(JobStatus job) {
        return job.description().het() == null
                ? List.of(job)
                : Eligibility.together(job).stream().map(state::knownJob).toList();
    }

    /// Whether what the job depends on still holds beside all that this pass has started: no
    /// singleton begins when a job of its name just has.
    private boolean mayBegin(JobStatus job) {
        return job.description().het() == null
                ? mayBeginAlone(job)
                : Eligibility.together(job).stream()
                        .map(state::knownJob)
                        .allMatch(this::mayBeginAlone);
    }

    private boolean mayBeginAlone(JobStatus job) {
        Dependency dependency = job.description().conditions().dependency();
        return dependency == null
                || startedJobs.isEmpty()
                || Dependencies.standing(job, dependency, new Known(state, draft.jobs()), now)
                        == Standing.MET;
    }

    @Override
    public boolean covers(Waiting job, int queue) {
        return model.queues.covers(queue, status(job).description());
    }

    @Override
    public boolean yields(Waiting ahead, Waiting job) {
        return model.grounds.yields(status(ahead), status(job), now);
    }

    @Override
    public int most(Waiting job, int wanted) {
        JobDescription asked = status(job).description();
        int fits = asked.request().nodes();
        int tooMany = wanted + 1;
        while (tooMany - fits > 1) {
            int middle = (fits + tooMany) >>> 1;
            if (admits(asked.with(asked.request().onNodes(middle)))) {
                fits = middle;
            } else {
                tooMany = middle;
            }
        }
        return fits;
    }

    private boolean admits(JobDescription job) {
        return Partitions.refusal(configuration, job) == null && model.quotas.met(job, now) == null;
    }

    @Override
    public List<Drain> drains(Waiting job, List<Long> beside, long before) {
        return choices.of(status(job), beside, before);
    }

    @Override
    public void shortened(Waiting job, long length) {
        lowered.put(new JobId(job.job()), (length - Scheduling.SLACK_MILLIS) / 1000);
    }

    @Override
    public void started(Waiting job, int[] nodes, int lane) {
        JobStatus asked = status(job);
        Long limit = lowered.get(asked.job());
        JobStatus status =
                Transitions.onNodes(
                        limit == null ? asked : Transitions.limited(asked, limit), nodes.length);
        JobDescription before = state.knownJob(asked.job()).description();
        if (limit != null || !status.description().partition().equals(before.partition())) {
            draft.announce(
                    new JobEvent.Amended(
                            asked.job(), now, status.description(), asked.submittedBy()));
        }
        boolean shares = model.tenants.shared(status.description()) != null;
        List<Allocation> allocations = new ArrayList<>();
        for (int part = 0; part < nodes.length; part++) {
            Allocation allocation = allocation(status, part, model.nodes.name(nodes[part]), lane);
            free.take(status.description(), allocation, shares);
            allocations.add(allocation);
        }
        model.seat(status, allocations, shares);
        startedJobs.add(status.job());
        throttles.started(status);
        long rate = Billing.rate(configuration, status.description(), state, allocations);
        List<Part> parts =
                allocations.stream().map(it -> new Part(it, Part.Phase.ORDERED, 0, 0)).toList();
        int lease = status.ended().isEmpty() ? 1 : status.ended().getLast().lease() + 1;
        var run =
                new Run(
                        lease,
                        now,
                        0,
                        false,
                        rate,
                        null,
                        parts,
                        null,
                        null,
                        model.nodes.gpusByType(allocations),
                        shares,
                        model.queues.guarantees.claim(status.job()));
        draft.change(Transitions.placed(status, run));
        model.count(status, run);
        draft.announce(new JobEvent.Placed(status.job(), now, lease, allocations, rate));
        List<JobId> together = Eligibility.together(status);
        if (startedJobs.containsAll(together)) {
            together.forEach(this::launch);
        }
    }

    private void launch(JobId job) {
        int parts = Objects.requireNonNull(draft.job(job).run()).parts().size();
        for (int part = 0; part < parts; part++) {
            Launching.order(draft, draft.job(job), part);
        }
    }

    private Allocation allocation(JobStatus job, int part, NodeName node, int lane) {
        ResourceRequest request = job.description().request();
        ShareRequest share = request.gpus().share();
        String partition = job.description().partition();
        NodeStatus status = state.node(node).orElseThrow();
        Shared.Choice together =
                model.engine.choice(job.job().value(), model.nodes.index(node), now);
        return Objects.requireNonNull(
                share == null
                        ? free.fit(status, request, part, partition, together)
                        : free.fit(
                                status,
                                request,
                                model.nodes.share(node, lane, share),
                                partition,
                                together),
                () ->
                        "place part %d of job %s on %s: the engine found room, the node has none"
                                .formatted(part, job.job(), node));
    }

    @Override
    public void planned(Waiting job, long start, int[] nodes, long place) {
        planned.add(new JobId(job.job()));
        model.quotas.plans(status(job), start);
    }

    @Override
    public void unplanned(Waiting job) {
        var id = new JobId(job.job());
        planned.add(id);
        model.quotas.unplans(id);
    }

    @Override
    public void cleared(Waiting job, Clearing clearing, long until) {
        JobStatus asked = status(job);
        JobStatus status = draft.job(asked.job());
        var victims = new ArrayList<RunId>();
        for (long id : clearing.victims()) {
            JobStatus victim = draft.job(new JobId(id));
            Run run = Objects.requireNonNull(victim.run());
            victims.add(new RunId(victim.job(), run.lease()));
            if (!model.grounds.told(victim, run)) {
                givingWay.giveWay(draft, model.grounds.preempted(victim, asked, now));
            }
        }
        List<NodeName> nodes = Arrays.stream(clearing.nodes()).mapToObj(model.nodes::name).toList();
        JobStatus cleared =
                Transitions.cleared(
                        status,
                        new JobStatus.Clearing(
                                now,
                                until,
                                nodes,
                                victims,
                                ClusterModel.named(status.description(), job.choice())));
        throttles.started(status);
        draft.change(cleared);
        model.count(Transitions.in(cleared, asked.description().partition()));
        planned.add(status.job());
    }

    @Override
    public void abandoned(Waiting job) {
        var id = new JobId(job.job());
        planned.add(id);
        model.queues.forget(id);
        model.quotas.waits(state.knownJob(id));
    }

    /// All facts, with those on reasons and expected starts.
    ///
    /// @param unsettled jobs to look at, beside those that this pass has changed
    List<Fact> facts(Set<JobId> unsettled) {
        var look = new TreeSet<>(unsettled);
        look.addAll(planned);
        look.addAll(state.waitingFor(Reason.RESOURCES));
        look.addAll(throttles.changed(unsettled, model.roomy));
        look.addAll(model.quotas.changed(now));
        look.addAll(model.licenseWaits.changed(new Outlook(model.engine), now));
        var heads = new HashSet<Head>();
        model.engine.heads(now, this).values().forEach(head -> heads.add(Head.of(status(head))));
        heads.forEach(head -> look.add(head.job()));
        look.addAll(withTheirSets(look));
        look.removeAll(startedJobs);
        for (JobId id : look) {
            JobStatus job = state.job(id).orElse(null);
            if (job != null && job.eligible()) {
                try {
                    settle(job, heads);
                } catch (RuntimeException e) {
                    throw DecisionFailed.on(id.value(), e);
                }
            }
        }
        new Divisions(state, configuration, model, free, draft, now)
                .decide(job -> !startedJobs.contains(job.job()) && admits(job));
        return draft.facts();
    }

    /// The components of heterogeneous jobs that wait: a reason of one is one of all.
    private Set<JobId> withTheirSets(Set<JobId> look) {
        var sets = new TreeSet<JobId>();
        model.engine.together().forEach(job -> sets.add(new JobId(job)));
        for (JobId id : look) {
            state.job(id)
                    .filter(job -> job.description().het() != null)
                    .ifPresent(job -> sets.addAll(Eligibility.together(job)));
        }
        return sets;
    }

    private void settle(JobStatus job, Set<Head> heads) {
        if (job.clearing() != null && !model.clears(job.job())) {
            draft.change(Transitions.cleared(draft.job(job.job()), null));
        }
        Planned plan = model.planned(job.job());
        if (!Objects.equals(plan, job.planned())) {
            draft.change(Transitions.planned(draft.job(job.job()), plan));
        }
        Reason reason = job.description().het() == null ? ofJob(job, heads) : ofSet(job, heads);
        if (reason != job.reason()) {
            draft.change(Transitions.reasoned(draft.job(job.job()), reason));
        }
    }

    /// That of the first of its partitions in which it waits for room or for its turn; if it does
    /// in none, of the first of all.
    private Reason ofJob(JobStatus job, Set<Head> heads) {
        Reason told = null;
        for (JobStatus it : model.inOrder(job)) {
            Reason reason = reason(it, heads.contains(Head.of(it)));
            if (reason == Reason.RESOURCES || reason == Reason.PRIORITY) {
                return reason;
            }
            told = told == null ? reason : told;
        }
        return Objects.requireNonNull(told);
    }

    /// Of the component of a set: its own, or that of another one which keeps all from starting.
    private Reason ofSet(JobStatus job, Set<Head> heads) {
        boolean first = together(job).stream().anyMatch(it -> heads.contains(Head.of(it)));
        Reason reason = ofComponent(job.job(), first);
        for (JobId other : Eligibility.together(job)) {
            if (reason == Reason.PRIORITY || reason == Reason.RESOURCES) {
                Reason its = ofComponent(other, first);
                reason = its == Reason.PRIORITY ? reason : its;
            }
        }
        return reason;
    }

    private Reason ofComponent(JobId id, boolean first) {
        Reason known = ofComponents.get(id);
        Reason reason = known == null ? reason(state.knownJob(id), first) : known;
        ofComponents.put(id, reason);
        return reason;
    }

    /// The limit that keeps a job back when all has started that does.
    private @Nullable Reason lastLimit(JobStatus job) {
        return job.description().het() == null
                ? anyLimit(job)
                : ofSets.computeIfAbsent(
                                Eligibility.together(job).getFirst(),
                                _ -> Optional.ofNullable(anyLimit(job)))
                        .orElse(null);
    }

    private @Nullable Reason anyLimit(JobStatus job) {
        Reason met = limit(job);
        return met == null ? kept(job, model.engine.until(job.job().value(), now)) : met;
    }

    private Reason reason(JobStatus job, boolean first) {
        Reason refusal = Partitions.refusal(configuration, job.description());
        if (refusal != null) {
            return refusal;
        }
        Reason hindrance = model.hindrance(job.description().request());
        if (hindrance != null) {
            return hindrance;
        }
        if (!throttles.admits(job)) {
            return Reason.JOB_ARRAY_TASK_LIMIT;
        }
        Reason limit = lastLimit(job);
        if (limit != null) {
            return limit;
        }
        FitClass fit = model.fit(job);
        if (!fit.able() && (model.fitLater(job).able() || model.divisible(job, true))) {
            return Reason.RESOURCES;
        }
        if (!fit.capable() && !model.divisible(job, false)) {
            return Reason.BAD_CONSTRAINTS;
        }
        if (!fit.able()) {
            return Reason.REQ_NODE_NOT_AVAIL;
        }
        Reason kept = keeping.reason(job, fit);
        if (kept != null) {
            return kept;
        }
        return first || model.clears(job.job()) ? Reason.RESOURCES : Reason.PRIORITY;
    }
}
