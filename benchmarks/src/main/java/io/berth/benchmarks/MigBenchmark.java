package io.berth.benchmarks;

import io.berth.contracts.JobId;
import io.berth.core.placement.Placement.Pass;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What it costs to find the GPUs in MIG mode that run empty for waiting jobs, in one thread.
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xmx6g", "-XX:+UseParallelGC"})
@Warmup(iterations = 2, time = 5)
@Measurement(iterations = 3, time = 5)
public class MigBenchmark {

    /// A full fleet, and jobs with an expected start each.
    @State(Scope.Benchmark)
    public static class FullFleet {
        @Param({"1000", "10000"})
        public int nodes;

        @Param({"200"})
        public int waiting;

        MigFleet fleet = new MigFleet(1, 0);

        @Setup
        public void fill() {
            fleet = new MigFleet(nodes, waiting);
        }
    }

    /// One more job waits for a large instance, and a GPU runs empty for it; then it is gone.
    @Benchmark
    public int oneMoreWaits(FullFleet full) {
        JobId job = full.fleet.submitLarge();
        int facts = full.fleet.pass(Pass.START);
        if (!full.fleet.drains(job)) {
            throw new IllegalStateException("no GPU runs empty for job " + job);
        }
        full.fleet.cancel(job);
        return facts;
    }

    /// All who wait are looked for an earlier start; there is none.
    @Benchmark
    public int planPass(FullFleet full) {
        return full.fleet.pass(Pass.PLAN);
    }
}
