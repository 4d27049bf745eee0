package io.berth.benchmarks;

import io.berth.benchmarks.Fleet.Mix;
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

/// What a pass costs on a large fleet, in one thread. Percentiles are over single passes.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xmx6g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
public class EngineBenchmark {

    @Param({"PLAIN", "WILD"})
    public String mix = "PLAIN";

    @Param("10000")
    public int nodes;

    @Param("100000")
    public int pending;

    @Param("5000")
    public int depth;

    private Fleet fleet = new Fleet(Mix.PLAIN, 1, 0, 1);

    @Setup
    public void fill() {
        long before = heap();
        fleet = new Fleet(Mix.valueOf(mix), nodes, pending, depth);
        fleet.begin();
        System.out.printf("# heap of the fleet: %d MiB%n", (heap() - before) >> 20);
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /// One run ends, one job comes, and what can start does.
    @Benchmark
    public long startPassAfterAnEnd() {
        fleet.end();
        fleet.submit();
        fleet.engine.startPass(fleet.now, fleet);
        return fleet.started;
    }

    /// All fair shares change, and the whole plan is made anew.
    @Benchmark
    public long planMadeAnew() {
        fleet.reshare();
        fleet.engine.planPass(fleet.now, fleet);
        return fleet.started;
    }

    /// The plan stands, and each of its jobs is looked at for an earlier start.
    @Benchmark
    public long planCompressed() {
        fleet.end();
        fleet.engine.planPass(fleet.now, fleet);
        return fleet.started;
    }
}
