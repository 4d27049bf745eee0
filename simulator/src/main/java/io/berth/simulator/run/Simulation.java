package io.berth.simulator.run;

import io.berth.core.engine.Decisions;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.fairshare.Member;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// Jobs of a trace on virtual time: they come when they came, the live engine decides, they run as
/// long as they ran.
///
/// Time goes from one moment to the next: arrivals and ends, and starts that the engine planned.
/// All that happens at one moment is told to the engine first, then it decides once. The plan is
/// put in order when the engine asks for it, at most once in [Rules#planIntervalMillis]; fair
/// shares are calculated when that is due, if a job waits.
public final class Simulation implements Decisions {

    /// How the cluster is run.
    ///
    /// @param packing the name of the policy by which one of the nodes with room is taken
    /// @param planIntervalMillis as Slurm's `bf_interval`
    /// @param halfLife of usage, for [Order#FAIRSHARE]
    /// @param givingWay where it is any, [VirtualCell] runs the jobs
    public record Rules(
            Settings settings,
            String packing,
            Order order,
            Estimates estimates,
            long planIntervalMillis,
            HalfLife halfLife,
            GivingWay givingWay) {

        boolean fairShare() {
            return order == Order.FAIRSHARE;
        }
    }

    private static final long NEVER = Long.MAX_VALUE;

    /// The end of a run, or the moment at which it outlasts what was expected of it.
    ///
    /// @param nodes where it runs
    /// @param expected how long it was taken to run, in milliseconds
    private record Turn(long time, int job, int[] nodes, long expected) {}

    private final List<TraceJob> jobs;
    private final VirtualCluster cluster;
    private final Scheduling engine;
    private final Association association;
    private final Map<Member, Association> associations = new HashMap<>();
    private final @Nullable FairUse fairUse;
    private final Rules rules;
    private final RunTimes runTimes = new RunTimes();
    private final long[] starts;
    private final long[] promised;
    private final boolean[] backfilled;
    private final long[] estimates;
    private final PriorityQueue<Turn> turns =
            new PriorityQueue<>(Comparator.comparingLong(Turn::time).thenComparingInt(Turn::job));

    private final List<Waiting> startedNow = new ArrayList<>();
    private int arrived;
    private int waiting;
    private int finished;
    private long now;
    private long planFrom;

    /// @param jobs with known times of submission and of running
    public Simulation(List<TraceJob> jobs, List<TraceNode> nodes, Rules rules) {
        this.jobs = jobs.stream().sorted(Comparator.comparingLong(TraceJob::submitMillis)).toList();
        this.cluster = new VirtualCluster(nodes, rules);
        this.engine = cluster.engine;
        this.association = engine.association(0);
        this.fairUse = rules.fairShare() ? fairUse(new Accounts(jobs, nodes), rules) : null;
        this.rules = rules;
        this.starts = new long[jobs.size()];
        this.promised = new long[jobs.size()];
        this.backfilled = new boolean[jobs.size()];
        this.estimates = new long[jobs.size()];
        Arrays.fill(starts, -1);
        Arrays.fill(promised, -1);
    }

    private FairUse fairUse(Accounts accounts, Rules rules) {
        accounts.members().forEach(it -> associations.put(it, engine.association(0)));
        return new FairUse(
                accounts,
                rules.halfLife(),
                factors ->
                        engine.reshare(() ->
                                factors.forEach(it ->
                                        Scheduling.share(
                                                association(new Member(it.account(), it.user())),
                                                FairUse.WEIGHT * it.factor()))));
    }

    /// The one for all, unless fair shares count.
    private Association association(Member member) {
        return associations.getOrDefault(member, association);
    }

    /// Runs until nothing happens any more.
    ///
    /// @param progress is told now and then how many jobs have ended
    public List<Outcome> run(IntConsumer progress) {
        for (int step = 1; advance(); step++) {
            while (!turns.isEmpty() && turns.element().time == now) {
                turn(turns.remove());
            }
            while (arrived < jobs.size() && jobs.get(arrived).submitMillis() <= now) {
                arrive(arrived++);
            }
            decide();
            if (step % 1000 == 0) {
                progress.accept(finished);
            }
        }
        return outcomes();
    }

    /// Goes to the next moment. False: nothing happens any more.
    private boolean advance() {
        if (next() == NEVER && engine.stale()) {
            engine.planPass(now, this);
        }
        long next = next();
        if (next != NEVER) {
            now = engine.stale() ? Math.min(next, Math.max(planFrom, now + 1)) : next;
        }
        return next != NEVER;
    }

    private long next() {
        long next = Math.min(engine.next(now), turns.isEmpty() ? NEVER : turns.element().time);
        if (fairUse != null && waiting > 0) {
            next = Math.min(next, fairUse.next());
        }
        return arrived == jobs.size() ? next : Math.min(next, jobs.get(arrived).submitMillis());
    }

    private void turn(Turn turn) {
        int job = turn.job;
        if (starts[job] + jobs.get(job).durationMillis() <= now) {
            engine.forget(job);
            hold(jobs.get(job), -jobs.get(job).gpus());
            runTimes.ended(jobs.get(job));
            finished++;
        } else {
            long expected = 2 * turn.expected;
            engine.run(
                    job,
                    turn.nodes,
                    cluster.demands(cluster.fit(jobs.get(job)), turn.nodes),
                    starts[job],
                    expected);
            runs(job, turn.nodes, expected);
        }
    }

    /// A run that outlasts what was expected of it is expected to take as long again, as in
    /// Tsafrir, Etsion and Feitelson, "Backfilling Using System-Generated Predictions" (2007).
    private void runs(int job, int[] nodes, long expected) {
        long run = jobs.get(job).durationMillis();
        boolean outlasts = expected > 0 && expected < run;
        long time = starts[job] + (outlasts ? expected : run);
        turns.add(new Turn(time, job, nodes, expected));
    }

    private void arrive(int number) {
        TraceJob job = jobs.get(number);
        FitClass fit = cluster.fit(job);
        cluster.arrived(number, job);
        if (!fit.capable()) {
            finished++;
            return;
        }
        long expected = runTimes.expectedMillis(job);
        estimates[number] = estimate(job, expected);
        waiting++;
        engine.wait(
                number,
                fit,
                association(Accounts.member(job)),
                rules.order().rank(job, number, expected),
                estimates[number]);
    }

    private void hold(TraceJob job, int gpus) {
        if (fairUse != null) {
            fairUse.hold(job, gpus, now);
        }
    }

    /// In milliseconds; 0 is none.
    private long estimate(TraceJob job, long expected) {
        return switch (rules.estimates().source()) {
            case ACTUAL -> Math.max(1, job.durationMillis() * rules.estimates().factor());
            case LIMIT -> Math.max(0, job.limitMillis());
            case PREDICTED -> Math.max(1, expected);
            case NONE -> 0;
        };
    }

    private void decide() {
        startedNow.clear();
        cluster.learn(arrived);
        if (fairUse != null) {
            fairUse.calculate(now);
        }
        if (!planned()) {
            engine.startPass(now, this);
            planned();
        }
        if (!startedNow.isEmpty()) {
            Comparator<Waiting> order = Waiting.order(now);
            for (Waiting head : engine.heads(now, this).values()) {
                for (Waiting job : startedNow) {
                    backfilled[(int) job.job()] |= order.compare(head, job) < 0;
                }
            }
        }
    }

    /// Puts the plan in order, if that is wanted and may be. Whether it did.
    private boolean planned() {
        boolean plan = engine.stale() && now >= planFrom;
        if (plan) {
            planFrom = now + rules.planIntervalMillis();
            engine.planPass(now, this);
        }
        return plan;
    }

    private List<Outcome> outcomes() {
        var outcomes = new ArrayList<Outcome>(jobs.size());
        for (int i = 0; i < jobs.size(); i++) {
            outcomes.add(new Outcome(jobs.get(i), starts[i], promised[i], backfilled[i]));
        }
        return outcomes;
    }

    @Override
    public boolean admits(Waiting job) {
        return true;
    }

    @Override
    public void started(Waiting started, int[] nodes, int lane) {
        int job = (int) started.job();
        starts[job] = now;
        startedNow.add(started);
        waiting--;
        hold(jobs.get(job), jobs.get(job).gpus());
        runs(job, nodes, estimates[job]);
    }

    @Override
    public void planned(Waiting waiting, long start, int[] nodes, long place) {
        int job = (int) waiting.job();
        if (promised[job] < 0) {
            promised[job] = start;
        }
    }

    @Override
    public void unplanned(Waiting job) {}
}
