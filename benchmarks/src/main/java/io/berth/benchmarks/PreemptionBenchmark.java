package io.berth.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

/// What it costs to find who must give way on full nodes, in one thread.
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xmx6g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
public class PreemptionBenchmark {

    /// 10,000 nodes, full of runs of 1, 2, 4 and 8 GPUs.
    @State(Scope.Benchmark)
    public static class LargeFleet {
        FullFleet fleet = new FullFleet(1, 8);

        @Setup
        public void fill() {
            fleet = new FullFleet(10_000, 1, 2, 4, 8);
        }
    }

    /// 500 nodes, full of runs of one GPU.
    @State(Scope.Benchmark)
    public static class ManySmall {
        FullFleet fleet = new FullFleet(1, 8);

        @Setup(Level.Invocation)
        public void fill() {
            fleet = new FullFleet(500, 1);
        }
    }

    /// A job of one GPU comes, and victims are found for it; then all is as it was.
    @Benchmark
    public int victimsOfOneGpu(LargeFleet large) {
        return victims(large.fleet, 1, 1);
    }

    /// A gang of 64 nodes of 8 GPUs comes.
    @Benchmark
    public int victimsOfGangOf512(LargeFleet large) {
        return victims(large.fleet, 64, 8);
    }

    private static int victims(FullFleet fleet, int nodes, int gpus) {
        long job = fleet.submit(nodes, gpus);
        fleet.startPass();
        fleet.undo(job);
        return fleet.started;
    }

    /// 4,000 jobs of one GPU come at once, 4,000 give way, and when they are gone all have started.
    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    @Warmup(iterations = 2)
    @Measurement(iterations = 5)
    public int preemptionsOf4000(ManySmall many) {
        List<Long> urgent = new ArrayList<>();
        for (int i = 0; i < 4_000; i++) {
            urgent.add(many.fleet.submit(1, 1));
        }
        many.fleet.startPass();
        urgent.forEach(many.fleet::vacate);
        many.fleet.startPass();
        if (many.fleet.started != 4_000) {
            throw new IllegalStateException("%d of 4000 started".formatted(many.fleet.started));
        }
        return many.fleet.started;
    }
}
