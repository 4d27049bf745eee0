package io.berth.benchmarks;

import io.berth.core.engine.Cluster;
import io.berth.core.engine.Decisions;
import io.berth.core.engine.Demand;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Kind;
import io.berth.core.engine.Network;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Rank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// A fleet under load: nodes that are four fifths full, and a queue. Seeded, so that each run
/// measures the same.
final class Fleet implements Decisions {

    /// What jobs ask for.
    enum Mix {
        /// Nodes of 8 GPUs; 50 fit classes of one node; 10 time limits; 100 associations.
        PLAIN,
        /// Nodes of 15 shapes; 5,000 fit classes, a tenth of them gangs of 2 to 64 nodes; 20,000
        /// time limits; 2,000 associations.
        WILD
    }

    /// CPUs, GiB and GPUs of the shapes of nodes.
    private static final int[][] SHAPES = {
        {64, 512, 8}, {96, 768, 8}, {128, 1024, 8}, {96, 736, 4}, {64, 256, 2},
        {32, 128, 1}, {128, 512, 4}, {48, 384, 4}, {104, 1536, 8}, {64, 384, 2},
        {96, 512, 2}, {128, 768, 8}, {192, 2048, 8}, {32, 256, 4}, {128, 256, 0},
    };

    private record End(long time, long job) {}

    final Scheduling engine;
    final Random random = new Random(42);
    private final Mix mix;
    private final List<Kind> kinds = new ArrayList<>();
    private final List<FitClass> classes = new ArrayList<>();
    private final List<Association> associations = new ArrayList<>();
    private final PriorityQueue<End> ends =
            new PriorityQueue<>((a, b) ->
                    a.time != b.time ? Long.compare(a.time, b.time) : Long.compare(a.job, b.job));
    private final List<Integer> nodesOf = new ArrayList<>();

    /// The time limits of jobs that wait, by job.
    private long[] limits = new long[1024];

    long now = 1_000_000_000_000L;
    long started;
    private long jobs;

    Fleet(Mix mix, int nodes, int pending, int planDepth) {
        this.mix = mix;
        int shapes = mix == Mix.PLAIN ? 1 : SHAPES.length;
        for (int shape = 0; shape < shapes; shape++) {
            int[] it = SHAPES[shape];
            kinds.add(new Kind(it[0], it[1] * 1024L, it[2]));
        }
        int[] kindOf = new int[nodes];
        for (int node = 0; node < nodes; node++) {
            kindOf[node] = random.nextInt(shapes);
            nodesOf.add(kindOf[node]);
        }
        var settings =
                new Settings(Scheduling.Backfill.CONSERVATIVE, planDepth, Settings.DEFAULT.score());
        engine = new Scheduling(new Cluster(kinds, kindOf, Network.FLAT), settings);
        for (int i = 0; i < (mix == Mix.PLAIN ? 50 : 5_000); i++) {
            classes.add(fitClass(i));
        }
        for (int i = 0; i < (mix == Mix.PLAIN ? 100 : 2_000); i++) {
            associations.add(engine.association(random.nextLong(1_000_000_000)));
        }
        fill();
        for (int i = 0; i < pending; i++) {
            submit();
        }
        engine.planPass(now, this);
    }

    private FitClass fitClass(int number) {
        int parts = mix == Mix.WILD && number % 10 == 0 ? 2 << random.nextInt(6) : 1;
        int gpus = number % 9;
        int cpus = 1 + random.nextInt(4 + 6 * gpus);
        long memory = 1024L * (1 + random.nextInt(8 + 32 * gpus));
        var on = new ArrayList<@Nullable Demand>();
        for (int kind = 0; kind < kinds.size(); kind++) {
            int[] shape = SHAPES[kind];
            boolean fits = shape[0] >= cpus && shape[1] * 1024L >= memory && shape[2] >= gpus;
            on.add(fits ? new Demand(cpus, memory, gpus, gpus == 0 ? -1 : 0) : null);
        }
        return engine.fitClass(new FitClass.Terms(0, 0, parts, 0, on, on, null, 0));
    }

    /// Runs of 1, 2, 4 or 8 GPUs on four nodes of five.
    private void fill() {
        for (int node = 0; node < nodesOf.size(); node++) {
            int gpus = SHAPES[nodesOf.get(node)][2];
            for (int left = node % 5 == 0 ? 0 : gpus; left > 0; ) {
                int take = Math.min(left, 1 << random.nextInt(4));
                left -= take;
                long minutes = 1L + random.nextInt(1440);
                long job = ++jobs;
                engine.run(
                        job,
                        new int[] {node},
                        new Demand[] {new Demand(take, 1024, take, 0)},
                        now,
                        minutes * 60_000);
                ends.add(new End(now + random.nextLong(minutes * 60_000), job));
            }
        }
    }

    /// One more job waits.
    Waiting submit() {
        long job = ++jobs;
        int steps = mix == Mix.PLAIN ? 10 : 20_000;
        long limit = 60_000L * 1440 / steps * (1 + random.nextInt(steps));
        while (job >= limits.length) {
            limits = Arrays.copyOf(limits, 2 * limits.length);
        }
        limits[(int) job] = limit;
        var rank =
                new Rank(
                        random.nextLong(1_000_000),
                        1_653,
                        1_000_000_000,
                        job,
                        now - random.nextInt(86_400_000));
        return engine.wait(
                job,
                classes.get(random.nextInt(classes.size())),
                associations.get(random.nextInt(associations.size())),
                rank,
                limit);
    }

    /// The run that ends next ends; time goes on to its end.
    void end() {
        End end = ends.remove();
        now = Math.max(now, end.time);
        engine.forget(end.job);
    }

    /// All fair shares change.
    void reshare() {
        engine.reshare(() ->
                associations.forEach(it -> Scheduling.share(it, random.nextLong(1_000_000_000))));
    }

    @Override
    public boolean admits(Waiting job) {
        return true;
    }

    @Override
    public void started(Waiting job, int[] nodes, int lane) {
        started++;
        ends.add(new End(now + 1 + random.nextLong(limits[(int) job.job()]), job.job()));
    }

    @Override
    public void planned(Waiting job, long start, int[] nodes, long place) {}

    @Override
    public void unplanned(Waiting job) {}
}
