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
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What single acts of the engine cost, in one thread.
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xmx6g", "-XX:+UseParallelGC"})
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 3, time = 4)
public class CasesBenchmark {

    private static final long NOW = 1_000_000_000_000L;
    private static final long LIMIT = 3_600_000;
    private static final int GPUS = 8;

    /// Nodes of 8 GPUs, and jobs of some of them.
    private static final class Cell implements Decisions {

        final Scheduling engine;
        final Association association;
        int started;
        private long jobs;

        /// @param leaf how many nodes lie under a leaf switch
        Cell(int nodes, int leaf) {
            var leaves = new int[nodes];
            Arrays.setAll(leaves, node -> node / leaf);
            int[] rows = Arrays.stream(leaves).map(it -> it / 25).toArray();
            var network =
                    new Network(
                            List.of(leaves, rows, new int[nodes]),
                            new int[0],
                            List.of(leaves),
                            List.of(rows));
            var kind = new Kind(64, 512 * 1024L, GPUS);
            engine =
                    new Scheduling(
                            new Cluster(List.of(kind), new int[nodes], network), Settings.DEFAULT);
            association = engine.association(0);
        }

        /// @param parts nodes
        /// @param gpus on each of them
        /// @param switches leaf switches at most; 0 is any number
        FitClass fit(int parts, int gpus, int switches) {
            List<@Nullable Demand> on = List.of(new Demand(gpus, 1024, gpus, 0));
            return engine.fitClass(new FitClass.Terms(0, 0, parts, 0, on, on, null, switches));
        }

        /// @return of jobs whose nodes are all in one row of 25 leaf switches
        FitClass inRow(int parts, int gpus) {
            List<@Nullable Demand> on = List.of(new Demand(gpus, 1024, gpus, 0));
            return engine.fitClass(new FitClass.Terms(0, 0, parts, 0, on, on, null, 1).within(1));
        }

        /// @param segment nodes of a segment, which lie in one block: the nodes under a leaf switch
        FitClass inSegments(int parts, int gpus, int segment) {
            List<@Nullable Demand> on = List.of(new Demand(gpus, 1024, gpus, 0));
            return engine.fitClass(
                    new FitClass.Terms(0, 0, parts, 0, on, on, null, 0)
                            .in(
                                    new FitClass.Layout(
                                            false,
                                            segment,
                                            new BitSet(),
                                            parts,
                                            null,
                                            false,
                                            null,
                                            List.of())));
        }

        long submit(FitClass fit, Association of, long points) {
            long job = ++jobs;
            engine.wait(job, fit, of, new Rank(points, 0, 0, job, NOW), LIMIT);
            return job;
        }

        void run(int node, int gpus) {
            engine.run(
                    ++jobs,
                    new int[] {node},
                    new Demand[] {new Demand(gpus, 1024, gpus, 0)},
                    NOW,
                    LIMIT);
        }

        /// @return how many jobs have started in all
        int startPass() {
            engine.startPass(NOW, this);
            return started;
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
    }

    /// 500 empty nodes, and 4,000 jobs of one GPU that wait.
    @State(Scope.Thread)
    public static class EmptyNodes {
        private Cell cell = new Cell(1, 1);

        @Setup(Level.Invocation)
        public void fill() {
            cell = new Cell(500, 50);
            FitClass fit = cell.fit(1, 1, 0);
            for (int i = 0; i < 4_000; i++) {
                cell.submit(fit, cell.association, i);
            }
        }
    }

    /// 4,000 jobs of one GPU start on 500 nodes.
    @Benchmark
    public int fourThousandJobsOnEmptyNodes(EmptyNodes state) {
        return state.cell.startPass();
    }

    /// 10,000 nodes, 80 of them under a leaf switch; four of five nodes are full, but those under
    /// the last switch. Nobody waits.
    @State(Scope.Thread)
    public static class LargeFleet {
        private final Cell cell = new Cell(10_000, 80);
        private final FitClass one = cell.fit(1, 1, 0);
        private final FitClass gang = cell.fit(64, GPUS, 1);
        private final FitClass row = cell.inRow(64, GPUS);
        private final FitClass block = cell.inSegments(64, GPUS, 64);
        private final FitClass segments = cell.inSegments(64, GPUS, 8);

        @Setup
        public void fill() {
            for (int node = 0; node < 9_920; node++) {
                if (node % 5 > 0) {
                    cell.run(node, GPUS);
                }
            }
            cell.startPass();
        }
    }

    /// A job of one GPU of a class that is known comes, starts and is gone.
    @Benchmark
    public int onePlacement(LargeFleet state) {
        return comeAndGo(state.cell, state.one);
    }

    /// A gang of 512 GPUs on 64 nodes under one leaf switch comes, starts and is gone.
    @Benchmark
    public int gangOf512UnderOneSwitch(LargeFleet state) {
        return comeAndGo(state.cell, state.gang);
    }

    /// A gang of 512 GPUs on 64 nodes in one row of 25 leaf switches comes, starts and is gone.
    @Benchmark
    public int gangOf512InOneRow(LargeFleet state) {
        return comeAndGo(state.cell, state.row);
    }

    /// A gang of 512 GPUs on 64 nodes of one block comes, starts and is gone.
    @Benchmark
    public int gangOf512InOneBlock(LargeFleet state) {
        return comeAndGo(state.cell, state.block);
    }

    /// The same in segments of 8 nodes.
    @Benchmark
    public int gangOf512InSegmentsOf8(LargeFleet state) {
        return comeAndGo(state.cell, state.segments);
    }

    private static int comeAndGo(Cell cell, FitClass fit) {
        int before = cell.started;
        long job = cell.submit(fit, cell.association, 0);
        if (cell.startPass() == before) {
            throw new IllegalStateException("job " + job + " did not start");
        }
        cell.engine.forget(job);
        return cell.started;
    }

    /// 10,000 full nodes.
    @State(Scope.Thread)
    public static class FullNodes {
        private Cell cell = new Cell(1, 1);
        private final List<FitClass> classes = new ArrayList<>();
        private final List<Association> associations = new ArrayList<>();
        private final Random random = new Random(42);

        @Setup(Level.Invocation)
        public void fill() {
            cell = new Cell(10_000, 80);
            for (int node = 0; node < 10_000; node++) {
                cell.run(node, GPUS);
            }
            classes.clear();
            associations.clear();
            for (int gpus = 1; gpus <= GPUS; gpus++) {
                classes.add(cell.fit(1, gpus, 0));
            }
            for (int i = 0; i < 1_000; i++) {
                associations.add(cell.engine.association(random.nextInt(1_000_000)));
            }
            cell.startPass();
        }
    }

    /// 50,000 jobs of 1,000 associations come at once; the first 500 get an expected start.
    @Benchmark
    public int fiftyThousandJobsOfThousandAssociations(FullNodes state) {
        for (int i = 0; i < 50_000; i++) {
            state.cell.submit(
                    state.classes.get(i % GPUS),
                    state.associations.get(i % 1_000),
                    state.random.nextInt(1_000));
        }
        return state.cell.startPass();
    }
}
