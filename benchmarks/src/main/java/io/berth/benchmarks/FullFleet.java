package io.berth.benchmarks;

import io.berth.core.engine.Clearing;
import io.berth.core.engine.Cluster;
import io.berth.core.engine.Decisions;
import io.berth.core.engine.Demand;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Kind;
import io.berth.core.engine.Network;
import io.berth.core.engine.Preemptor;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Stake;
import io.berth.core.engine.Waiting;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Rank;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Nodes of 8 GPUs without a free one: all are held by runs that give way. Seeded, so that each run
/// measures the same.
final class FullFleet implements Decisions {

    private static final int GPUS = 8;
    private static final long LIMIT = 3_600_000;

    private record Run(int node, Demand demand, long until, Stake stake) {}

    final long now = 1_000_000_000_000L;
    final Map<Long, Clearing> cleared = new HashMap<>();
    int started;
    private final Scheduling engine;
    private final Association association;
    private final Map<Long, Run> runs = new HashMap<>();
    private final Map<Long, FitClass> classes = new HashMap<>();
    private long jobs;

    /// @param sizes GPUs of a run, one of them drawn for each
    FullFleet(int nodes, int... sizes) {
        var kind = new Kind(64, 512 * 1024L, GPUS);
        engine =
                new Scheduling(
                        new Cluster(List.of(kind), new int[nodes], Network.FLAT), Settings.DEFAULT);
        association = engine.association(0);
        var random = new Random(42);
        for (int node = 0; node < nodes; node++) {
            for (int left = GPUS; left > 0; ) {
                int gpus = Math.min(left, sizes[random.nextInt(sizes.length)]);
                left -= gpus;
                long since = now - random.nextInt(36_000_000);
                var stake = new Stake(0, 1, since, 0, gpus, 1000 * gpus, false);
                var demand = new Demand(gpus, 1024, gpus, 0);
                runs.put(++jobs, new Run(node, demand, now + LIMIT, stake));
                hold(jobs);
            }
        }
        engine.planPass(now, this);
    }

    private void hold(long job) {
        Run run = runs.get(job);
        if (run != null) {
            engine.run(job, new int[] {run.node}, new Demand[] {run.demand}, run.until, run.stake);
        }
    }

    /// One more urgent job waits.
    long submit(int nodes, int gpus) {
        long job = ++jobs;
        FitClass fit = classes.computeIfAbsent(nodes * 100L + gpus, _ -> urgent(nodes, gpus));
        engine.wait(job, fit, association, new Rank(0, 0, 0, job, now), LIMIT);
        return job;
    }

    private FitClass urgent(int nodes, int gpus) {
        List<@Nullable Demand> demand = List.of(new Demand(gpus, 1024, gpus, 0));
        var grounds = new BitSet();
        grounds.set(0);
        var preemptor = new Preemptor(grounds, false);
        return engine.fitClass(
                new FitClass.Terms(1, 0, nodes, 0, demand, demand, null, 0, preemptor));
    }

    void startPass() {
        engine.startPass(now, this);
    }

    /// The victims of a job are gone.
    void vacate(long job) {
        Clearing clearing = cleared.get(job);
        if (clearing == null) {
            throw new IllegalStateException("job " + job + " found no victims");
        }
        new ArrayList<>(clearing.victims()).forEach(engine::forget);
    }

    /// The job never came, and its victims run on.
    void undo(long job) {
        Clearing clearing = cleared.remove(job);
        engine.forget(job);
        if (clearing == null) {
            throw new IllegalStateException("job " + job + " found no victims");
        }
        clearing.victims().forEach(this::hold);
    }

    @Override
    public boolean admits(Waiting job) {
        return true;
    }

    @Override
    public void started(Waiting job, int[] nodes, int lane) {
        started++;
    }

    @Override
    public void planned(Waiting job, long start, int[] nodes, long place) {}

    @Override
    public void unplanned(Waiting job) {}

    @Override
    public void cleared(Waiting job, Clearing clearing, long until) {
        cleared.put(job.job(), clearing);
    }
}
