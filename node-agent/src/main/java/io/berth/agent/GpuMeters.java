package io.berth.agent;

import io.berth.agent.launch.RunFiles;
import io.berth.contracts.GpuSample;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// The meters of the runs on one node. Where nobody reads the node's GPUs they measure nothing.
final class GpuMeters {

    private final Set<GpuMeter> running = ConcurrentHashMap.newKeySet();
    private volatile GpuMeter.Counters counters = _ -> CompletableFuture.completedFuture(Map.of());

    private final GpuUse.Rule rule;

    /// @param rule what is low use
    GpuMeters(GpuUse.Rule rule) {
        this.rule = rule;
    }

    /// From now on the counters are read so.
    void read(GpuMeter.Counters others) {
        counters = others;
    }

    /// A meter of GPUs that a run holds, which begins now.
    ///
    /// @param first whether the run's code does so too; it goes on otherwise
    /// @param told of how the run uses them
    /// @param still whether the run stands still
    GpuMeter begin(
            Collection<String> gpus,
            RunFiles files,
            boolean first,
            GpuUse.Told told,
            BooleanSupplier still) {
        var meter =
                new GpuMeter(
                        List.copyOf(gpus),
                        files,
                        uuids -> counters.read(uuids),
                        new GpuUse(rule, files, told),
                        still);
        meter.begin(first, System.nanoTime());
        running.add(meter);
        return meter;
    }

    void over(GpuMeter meter) {
        running.remove(meter);
    }

    /// What the node's GPUs do now.
    void sampled(List<GpuSample> samples) {
        long now = System.nanoTime();
        running.forEach(it -> it.sampled(samples, now));
    }
}
