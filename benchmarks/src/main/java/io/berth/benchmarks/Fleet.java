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
import io.berth.core.engine.Waiting.Entry;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import io.berth.core.packing.Shape;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A fleet under load: nodes that are four fifths full, and a queue. Seeded, so that each run
/// measures the same.
final class Fleet implements Decisions {

    /// What jobs ask for.
    enum Mix {
        /// Nodes of 8 GPUs; 50 fit classes of one node; 10 time limits; 100 associations.
        PLAIN,
        /// Nodes of 15 shapes, a GPU of every third of them shared, 64 under a leaf switch; 5,000
        /// fit classes, three tenths of them for a part of a GPU, a tenth gangs of 2 to 64 nodes, a
        /// half of these under one leaf switch or nowhere; 20,000 time limits; 2,000 associations.
        WILD
    }

    /// CPUs, GiB and GPUs of the shapes of nodes.
    private static final int[][] SHAPES = {
        {64, 512, 8}, {96, 768, 8}, {128, 1024, 8}, {96, 736, 4}, {64, 256, 2},
        {32, 128, 1}, {128, 512, 4}, {48, 384, 4}, {104, 1536, 8}, {64, 384, 2},
        {96, 512, 2}, {128, 768, 8}, {192, 2048, 8}, {32, 256, 4}, {128, 256, 0},
    };

    private static final int NODES_OF_LEAF = 64;
    private static final int UNITS = 1000;

    /// Of whole GPUs, and of the shared one.
    private static final int WHOLE = 0;

    private static final int SHARED = 1;

    private record End(long time, long job) {}

    final Scheduling engine;
    final Random random = new Random(42);
    private final Mix mix;
    private final List<Kind> kinds = new ArrayList<>();
    private final List<FitClass> classes = new ArrayList<>();
    private final List<Shape> shapes = new ArrayList<>();
    private final PackingPolicy policy;
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
        this(mix, nodes, pending, planDepth, "tightest");
    }

    /// @param packing the name of the policy by which one of the nodes with room is taken
    Fleet(Mix mix, int nodes, int pending, int planDepth, String packing) {
        this.mix = mix;
        int shapes = mix == Mix.PLAIN ? 1 : SHAPES.length;
        for (int shape = 0; shape < shapes; shape++) {
            int[] it = SHAPES[shape];
            kinds.add(
                    shares(shape)
                            ? new Kind(
                                    it[0], it[1] * 1024L, new int[] {it[2] - 1}, new int[] {UNITS})
                            : new Kind(it[0], it[1] * 1024L, it[2]));
        }
        int[] kindOf = new int[nodes];
        for (int node = 0; node < nodes; node++) {
            kindOf[node] = random.nextInt(shapes);
            nodesOf.add(kindOf[node]);
        }
        policy = Policies.of(packing, kinds.stream().map(Kind::asEmpty).toList());
        var settings = new Settings(Scheduling.Backfill.CONSERVATIVE, planDepth, policy);
        Network network = mix == Mix.PLAIN ? Network.FLAT : leaves(nodes);
        engine = new Scheduling(new Cluster(kinds, kindOf, network), settings);
        for (int i = 0; i < (mix == Mix.PLAIN ? 50 : 5_000); i++) {
            classes.add(fitClass(i));
        }
        for (int i = 0; i < (mix == Mix.PLAIN ? 100 : 2_000); i++) {
            associations.add(engine.association(random.nextLong(1_000_000_000)));
        }
        learn();
        fill();
        for (int i = 0; i < pending; i++) {
            submit();
        }
    }

    /// The policy learns what as many jobs want as it does in a cell.
    void learn() {
        var drawn = new Random(7);
        policy.learn(
                IntStream.range(0, 1024)
                        .mapToObj(_ -> shapes.get(drawn.nextInt(shapes.size())))
                        .toList());
    }

    /// The first pass, with those that go on where it was cut off, after which all have started
    /// that can.
    ///
    /// @return how long the longest of them took, in nanoseconds of this thread
    long begin() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long since = threads.getCurrentThreadCpuTime();
        engine.planPass(now, this);
        long longest = threads.getCurrentThreadCpuTime() - since;
        while (engine.next(now) <= now) {
            since = threads.getCurrentThreadCpuTime();
            engine.startPass(now, this);
            longest = Math.max(longest, threads.getCurrentThreadCpuTime() - since);
        }
        return longest;
    }

    private static Network leaves(int nodes) {
        var leaf = new int[nodes];
        Arrays.setAll(leaf, node -> node / NODES_OF_LEAF);
        return new Network(List.of(leaf, new int[nodes]));
    }

    /// Whether nodes of a shape have a shared GPU.
    private boolean shares(int shape) {
        return mix == Mix.WILD && shape % 3 == 0 && SHAPES[shape][2] > 1;
    }

    private FitClass fitClass(int number) {
        if (mix == Mix.WILD && number % 10 >= 7) {
            return shareClass();
        }
        boolean gang = mix == Mix.WILD && number % 10 == 0;
        int parts = gang ? 2 << random.nextInt(6) : 1;
        int gpus = number % 9;
        int cpus = 1 + random.nextInt(4 + 6 * gpus);
        long memory = 1024L * (1 + random.nextInt(8 + 32 * gpus));
        var on = new ArrayList<@Nullable Demand>();
        for (int shape = 0; shape < kinds.size(); shape++) {
            boolean fits = holds(shape, cpus, memory) && whole(shape) >= gpus;
            on.add(fits ? new Demand(cpus, memory, gpus, gpus == 0 ? -1 : WHOLE) : null);
        }
        int milli = gpus == 0 ? 0 : Shape.WHOLE;
        shapes.add(new Shape(1000 * cpus, memory, gpus, milli, 1L << WHOLE, false));
        int switches = gang && number % 20 == 0 ? 1 : 0;
        return engine.fitClass(new FitClass.Terms(0, 0, parts, 0, on, on, null, switches));
    }

    /// Jobs that want a part of a GPU.
    private FitClass shareClass() {
        int units = 50 * (1 + random.nextInt(18));
        int cpus = 1 + random.nextInt(8);
        long memory = 1024L * (1 + random.nextInt(32));
        shapes.add(new Shape(1000 * cpus, memory, 1, units, 1L << SHARED, false));
        var on = new ArrayList<@Nullable Demand>();
        var ways = new ArrayList<List<Demand>>();
        for (int shape = 0; shape < kinds.size(); shape++) {
            var way = new Demand(cpus, memory, units, SHARED);
            boolean fits = shares(shape) && holds(shape, cpus, memory);
            on.add(fits ? way : null);
            ways.add(fits ? List.of(way) : List.of());
        }
        return engine.fitClass(new FitClass.Terms(0, 0, 1, 0, on, on, null, 0).sharing(ways));
    }

    private static boolean holds(int shape, int cpus, long memory) {
        return SHAPES[shape][0] >= cpus && SHAPES[shape][1] * 1024L >= memory;
    }

    /// How many GPUs nodes of a shape give out whole.
    private int whole(int shape) {
        return SHAPES[shape][2] - (shares(shape) ? 1 : 0);
    }

    /// Runs of 1, 2, 4 or 8 GPUs, and of parts of a shared one, on four nodes of five.
    private void fill() {
        for (int node = 0; node < nodesOf.size(); node++) {
            int shape = nodesOf.get(node);
            boolean idle = node % 5 == 0;
            for (int left = idle ? 0 : whole(shape); left > 0; ) {
                int take = Math.min(left, 1 << random.nextInt(4));
                left -= take;
                run(node, new Demand(take, 1024, take, WHOLE));
            }
            for (int left = idle || !shares(shape) ? 0 : UNITS; left > 0; ) {
                int take = Math.min(left, 100 * (1 + random.nextInt(9)));
                left -= take;
                run(node, new Demand(1, 1024, take, SHARED));
            }
        }
    }

    private void run(int node, Demand demand) {
        long limit = 60_000L * (1 + random.nextInt(1440));
        long job = ++jobs;
        engine.run(job, new int[] {node}, new Demand[] {demand}, now, limit);
        ends.add(new End(now + random.nextLong(limit), job));
    }

    /// One more job waits.
    void submit() {
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
        FitClass fit = classes.get(random.nextInt(classes.size()));
        Association association = associations.get(random.nextInt(associations.size()));
        engine.wait(job, List.of(new Entry(0, fit, rank, true)), association, limit, 0);
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
