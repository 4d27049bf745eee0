package io.berth.benchmarks;

import io.berth.benchmarks.Fleet.Mix;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/// What passes over a [Fleet] cost in processor time of their thread, for machines on which other
/// programs run. The work is the same in each run, so that two editions of the engine can be
/// compared; the sum of started jobs tells whether they decided the same.
///
/// Usage: `EngineCost MIX NODES PENDING [PASSES [PACKING]]`
public final class EngineCost {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int PLAN = 5_000;
    private static final int PLANS = 5;

    private EngineCost() {}

    public static void main(String[] args) {
        var mix = Mix.valueOf(args[0]);
        int nodes = Integer.parseInt(args[1]);
        int pending = Integer.parseInt(args[2]);
        int passes = args.length > 3 ? Integer.parseInt(args[3]) : 1_000;
        long before = heap();
        String packing = args.length > 4 ? args[4] : "tightest";
        var fleet = new Fleet(mix, nodes, pending, PLAN, packing);
        System.out.printf(
                "%s, %d nodes, %d waiting, %d planned at most: heap %d MiB%n",
                mix, nodes, pending, PLAN, heap() - before);
        long begun = THREADS.getCurrentThreadCpuTime();
        long longest = fleet.begin();
        System.out.printf(
                "first pass, until no more can start: %d ms, of which at once %d; %d started%n",
                (THREADS.getCurrentThreadCpuTime() - begun) / 1_000_000,
                longest / 1_000_000,
                fleet.started);
        measure(fleet, passes / 2);
        long[] starts = measure(fleet, passes);
        print("start pass after an end and a submission", starts);
        var plans = new long[PLANS];
        for (int i = 0; i < PLANS; i++) {
            fleet.reshare();
            long since = THREADS.getCurrentThreadCpuTime();
            fleet.engine.planPass(fleet.now, fleet);
            plans[i] = THREADS.getCurrentThreadCpuTime() - since;
        }
        print("plan made anew", plans);
        var lessons = new long[PLANS];
        for (int i = 0; i < PLANS; i++) {
            long since = THREADS.getCurrentThreadCpuTime();
            fleet.learn();
            lessons[i] = THREADS.getCurrentThreadCpuTime() - since;
        }
        print("the policy learns anew", lessons);
        System.out.printf("started in all: %d%n", fleet.started);
    }

    private static long[] measure(Fleet fleet, int passes) {
        var times = new long[passes];
        for (int i = 0; i < passes; i++) {
            fleet.end();
            fleet.submit();
            long since = THREADS.getCurrentThreadCpuTime();
            fleet.engine.startPass(fleet.now, fleet);
            times[i] = THREADS.getCurrentThreadCpuTime() - since;
        }
        return times;
    }

    private static void print(String what, long[] nanos) {
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%s, ms: mean %.2f, p50 %.2f, p99 %.2f%n",
                what,
                Arrays.stream(nanos).average().orElse(0) / 1e6,
                nanos[nanos.length / 2] / 1e6,
                nanos[nanos.length * 99 / 100] / 1e6);
    }

    /// MiB in use.
    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
    }
}
