package io.berth.agent;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuSample;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The metrics of a node's GPUs, as they were last sampled. What is not known is NaN.
record GpuGauges(MeterRegistry meters, NodeAgent agent) {

    void register() {
        agent.node().inventory().gpus().forEach(this::register);
    }

    private void register(Gpu gpu) {
        gauge("berth.gpu.utilization.percent", gpu, GpuSample::use);
        gauge("berth.gpu.memory.used.mib", gpu, GpuSample::memoryUsedMib);
        gauge("berth.gpu.power.milliwatts", gpu, GpuSample::milliwatts);
        gauge("berth.gpu.energy.millijoules", gpu, GpuSample::millijoules);
        gauge("berth.gpu.temperature.celsius", gpu, GpuSample::celsius);
        gauge("berth.gpu.clock.sm.mhz", gpu, GpuSample::smMhz);
        gauge("berth.gpu.ecc.corrected", gpu, GpuSample::correctedErrors);
        gauge("berth.gpu.ecc.uncorrected", gpu, GpuSample::uncorrectedErrors);
        gauge("berth.gpu.health", gpu, sample -> sample.health().ordinal());
    }

    private void gauge(String name, Gpu gpu, Function<GpuSample, @Nullable Number> value) {
        var tags =
                Tags.of(
                        "node", agent.name().value(),
                        "gpu", Integer.toString(gpu.index()),
                        "uuid", gpu.uuid(),
                        "type", gpu.type());
        meters.gauge(name, tags, agent, it -> read(it, gpu.uuid(), value));
    }

    private static double read(
            NodeAgent agent, String uuid, Function<GpuSample, @Nullable Number> value) {
        for (GpuSample sample : agent.samples()) {
            Number number = sample.uuid().equals(uuid) ? value.apply(sample) : null;
            if (number != null) {
                return number.doubleValue();
            }
        }
        return Double.NaN;
    }
}
