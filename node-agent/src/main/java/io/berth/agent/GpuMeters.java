package io.berth.agent;

import io.berth.agent.gpu.GpuSensors.Reading;
import io.berth.agent.launch.RunFiles;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

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
    /// @param part those of the run's processes, if it holds a part of a GPU; null if it holds
    ///   whole ones
    /// @param first whether the run's code does so too; it goes on otherwise
    /// @param told of how the run uses them
    /// @param still whether the run stands still
    GpuMeter begin(
            Collection<String> gpus,
            GpuMeter.@Nullable Members part,
            RunFiles files,
            boolean first,
            GpuUse.Told told,
            BooleanSupplier still) {
        var meter =
                new GpuMeter(
                        List.copyOf(gpus),
                        part,
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

    /// What the node's GPUs, or those of one vendor, do now.
    void sampled(List<Reading> readings) {
        long now = System.nanoTime();
        running.forEach(it -> it.sampled(readings, now));
    }
}
