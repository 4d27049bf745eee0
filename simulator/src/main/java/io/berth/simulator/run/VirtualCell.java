package io.berth.simulator.run;

import io.berth.contracts.JobId;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.SpecReference;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.FairShares.Factor;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest.FeaturesSet;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.engine.Waiting;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Jobs of a trace on virtual time, through the whole of what placement decides with: they are
/// submitted, agents obey orders and report, and the live cell's own code says all else, who gives
/// way and how among it.
///
/// Where nobody gives way, [Simulation] starts the same jobs at the same times, and is quicker.
/// Limits are whole seconds here, as they are for people, and no job is ended for its own.
final class VirtualCell {

    private static final long NEVER = Long.MAX_VALUE;

    /// Cell time at the trace's beginning: no time of a run is 0.
    private static final long BEGINNING = 1_000_000_000_000L;

    private final List<TraceJob> jobs;
    private final Rules rules;
    private final CellShapes shapes;
    private final Configuration configuration;
    private final CellState state = new CellState();
    private final Placement placement;
    private final VirtualAgents agents;
    private final CellRecord record;
    private final RunTimes runTimes = new RunTimes();
    private final @Nullable FairUse fairUse;
    private final ArrayDeque<Order> orders = new ArrayDeque<>();
    private final List<JobStatus> placed = new ArrayList<>();
    private int arrived;
    private long now = BEGINNING;
    private long planFrom;
    private long shares;

    /// @param jobs with known times of submission and of running
    VirtualCell(List<TraceJob> jobs, List<TraceNode> nodes, Rules rules) {
        if (rules.estimates().source() == Estimates.Source.PREDICTED) {
            throw new IllegalArgumentException("no limit of people is predicted");
        }
        this.jobs = jobs.stream().sorted(Comparator.comparingLong(TraceJob::submitMillis)).toList();
        this.rules = rules;
        this.shapes = new CellShapes(rules.givingWay(), nodes);
        this.configuration =
                rules.givingWay()
                        .configuration(
                                jobs.stream()
                                        .map(TraceJob::group)
                                        .collect(Collectors.toCollection(TreeSet::new)),
                                rules.packing());
        this.placement = new Placement(state, rules.settings());
        this.agents = new VirtualAgents(run -> job(run.job()).durationMillis());
        this.record = new CellRecord(this.jobs, BEGINNING);
        this.fairUse =
                rules.fairShare()
                        ? new FairUse(new Accounts(jobs, nodes), rules.halfLife(), this::reshare)
                        : null;
        take(new Input.Configured(configuration));
        for (int i = 0; i < nodes.size(); i++) {
            List<String> features = CellShapes.features(nodes.get(i));
            take(new Input.Registered(CellShapes.node(nodes.get(i), i)));
            take(new Input.NodeAsked(new FeaturesSet(CellShapes.name(i), "root", features)));
        }
    }

    private TraceJob job(JobId id) {
        return jobs.get(CellRecord.number(id));
    }

    /// Runs until all jobs have ended, or nothing happens any more.
    ///
    /// @param progress is told now and then how many jobs have ended
    List<Outcome> run(IntConsumer progress) {
        for (int step = 1; record.finished() < jobs.size() && advance(); step++) {
            reported(agents.ended(now));
            while (arrived < jobs.size() && arrival() <= now) {
                submit(arrived++);
            }
            decide();
            if (step % 1000 == 0) {
                progress.accept(record.finished());
            }
        }
        return record.outcomes();
    }

    private long arrival() {
        return BEGINNING + jobs.get(arrived).submitMillis();
    }

    /// Goes to the next moment. False: nothing happens any more.
    private boolean advance() {
        if (next() == NEVER && placement.stale()) {
            place(Pass.PLAN);
        }
        long next = next();
        if (next != NEVER) {
            long soonest = now + (arrived == 0 ? 0 : 1);
            now =
                    Math.max(
                            soonest,
                            placement.stale() ? Math.min(next, Math.max(planFrom, soonest)) : next);
        }
        return next != NEVER;
    }

    private long next() {
        long next = Math.min(placement.next(now), agents.next());
        next = Math.min(next, Engine.nextDue(state, now));
        if (fairUse != null && !state.waitingFor(Reason.RESOURCES).isEmpty()) {
            next = Math.min(next, fairUse.next());
        }
        return arrived == jobs.size() ? next : Math.min(next, arrival());
    }

    private void submit(int number) {
        TraceJob job = jobs.get(number);
        JobId id = CellRecord.id(number);
        Waiting.Rank rank = rules.order().rank(job, number, runTimes.expectedMillis(job));
        long qos = rules.givingWay().priority(job);
        var given = new Rank(1, rank.constant(), 0, qos, 0, rank.slope(), rank.cap());
        take(new Input.RankingRead(new Ranked(id, given)));
        take(
                new Input.Asked(
                        new Submitted(
                                id,
                                shapes.job(job, limitSeconds(job)),
                                job.user(),
                                new SpecReference(0, 0, ""),
                                null),
                        number));
    }

    /// 0 is none.
    private long limitSeconds(TraceJob job) {
        long millis =
                switch (rules.estimates().source()) {
                    case ACTUAL -> Math.max(1, job.durationMillis() * rules.estimates().factor());
                    case LIMIT ->
                            job.limitMillis() <= 0
                                    ? 0
                                    : Math.max(job.limitMillis(), job.durationMillis());
                    case NONE, PREDICTED -> 0;
                };
        return Math.ceilDiv(millis, 1000);
    }

    private void decide() {
        placed.clear();
        if (fairUse != null) {
            fairUse.calculate(now);
        }
        replay(Engine.due(state, now));
        if (!planned()) {
            place(Pass.START);
            planned();
        }
        while (obeyed()) {
            replay(Engine.due(state, now));
            place(Pass.START);
        }
        for (JobId ahead : placed.isEmpty() ? List.<JobId>of() : waiting()) {
            JobStatus head = state.knownJob(ahead);
            placed.stream().filter(it -> order().compare(head, it) < 0).forEach(record::backfilled);
        }
    }

    private List<JobId> waiting() {
        return List.copyOf(state.waitingFor(Reason.RESOURCES));
    }

    private Comparator<JobStatus> order() {
        return Comparator.comparingInt((JobStatus it) -> -tier(it))
                .thenComparingLong(it -> -Placement.priority(state, it, now))
                .thenComparingLong(JobStatus::submission);
    }

    private int tier(JobStatus job) {
        var partition = configuration.partitions().get(job.description().partition());
        return partition == null ? 0 : partition.tier();
    }

    /// Puts the plan in order, if that is wanted and may be. Whether it did.
    private boolean planned() {
        boolean plan = placement.stale() && now >= planFrom;
        if (plan) {
            planFrom = now + rules.planIntervalMillis();
            place(Pass.PLAN);
        }
        return plan;
    }

    private void place(Pass pass) {
        replay(Engine.place(state, placement, now, pass));
    }

    /// Has agents obey what they were told. Whether anything came free by that.
    private boolean obeyed() {
        boolean freed = false;
        while (!orders.isEmpty()) {
            List<RunReport> reports = agents.obey(orders.remove(), now);
            freed |= reports.stream().anyMatch(RunReport.Suspended.class::isInstance);
            reported(reports);
            List<RunReport> ended = agents.ended(now);
            freed |= !ended.isEmpty();
            reported(ended);
        }
        return freed;
    }

    private void reported(List<RunReport> reports) {
        reports.forEach(it -> take(new Input.Reported(it)));
    }

    private void take(Input input) {
        replay(Engine.decide(state, input, now));
    }

    private void replay(List<Fact> facts) {
        for (Fact fact : facts) {
            state.replay(fact);
            placement.note(fact);
            record.see(fact);
            if (fact instanceof Fact.Ordered(Order order)) {
                orders.add(order);
            } else if (fact instanceof Fact.Announced(JobEvent event)) {
                said(event);
            }
        }
    }

    private void said(JobEvent event) {
        switch (event) {
            case JobEvent.Placed it -> {
                placed.add(state.knownJob(it.job()));
                hold(it.job(), 1);
            }
            case JobEvent.Requeued it -> hold(it.job(), -1);
            case JobEvent.Ended it -> {
                hold(it.job(), it.runs().isEmpty() ? 0 : -1);
                runTimes.ended(job(it.job()));
            }
            default -> {}
        }
    }

    private void hold(JobId id, int times) {
        if (fairUse != null) {
            fairUse.hold(job(id), times * job(id).gpus(), now);
        }
    }

    private void reshare(List<Factor> factors) {
        long weight = FairUse.WEIGHT * 1_000_000;
        take(new Input.SharesRead(new FairShares(++shares, now, weight, factors)));
    }
}
