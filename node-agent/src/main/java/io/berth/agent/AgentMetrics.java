package io.berth.agent;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuSample;
import io.berth.contracts.event.RunReport.Cause;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The agents' metrics, as Prometheus reads them.
///
/// Source: Prometheus, "Text-based format", 0.0.4.
final class AgentMetrics {

    static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /// What a GPU that is really there tells. What is not known is NaN.
    private record OfGpu(String name, Function<GpuSample, @Nullable Number> value) {

        static final List<OfGpu> ALL =
                List.of(
                        new OfGpu("berth_gpu_utilization_percent", GpuSample::use),
                        new OfGpu("berth_gpu_memory_used_mib", GpuSample::memoryUsedMib),
                        new OfGpu("berth_gpu_power_milliwatts", GpuSample::milliwatts),
                        new OfGpu("berth_gpu_energy_millijoules", GpuSample::millijoules),
                        new OfGpu("berth_gpu_temperature_celsius", GpuSample::celsius),
                        new OfGpu("berth_gpu_clock_sm_mhz", GpuSample::smMhz),
                        new OfGpu("berth_gpu_ecc_corrected", GpuSample::correctedErrors),
                        new OfGpu("berth_gpu_ecc_uncorrected", GpuSample::uncorrectedErrors),
                        new OfGpu("berth_gpu_health", sample -> sample.health().ordinal()));

        /// Of the GPU with that UUID.
        double of(List<GpuSample> samples, String uuid) {
            for (GpuSample sample : samples) {
                Number number = sample.uuid().equals(uuid) ? value.apply(sample) : null;
                if (number != null) {
                    return number.doubleValue();
                }
            }
            return Double.NaN;
        }
    }

    private final Map<Cause, LongAdder> ends = new ConcurrentSkipListMap<>();

    /// A run has ended.
    void count(RunEnd end) {
        ends.computeIfAbsent(end.cause(), _ -> new LongAdder()).increment();
    }

    String text(List<NodeAgent> agents) {
        var text = new Text();
        text.type("berth_agent_runs", "gauge");
        for (NodeAgent agent : agents) {
            text.sample("berth_agent_runs", agent.runCount(), "node", agent.name().value());
        }
        text.type("berth_agent_ends_total", "counter");
        ends.forEach((cause, count) ->
                text.sample(
                        "berth_agent_ends_total",
                        count.doubleValue(),
                        "cause",
                        cause.name().toLowerCase(Locale.ROOT)));
        List<NodeAgent> real =
                agents.stream().filter(it -> !it.node().inventory().simulated()).toList();
        for (OfGpu what : OfGpu.ALL) {
            text.type(what.name(), "gauge");
            for (NodeAgent agent : real) {
                List<GpuSample> samples = agent.samples();
                for (Gpu gpu : agent.node().inventory().gpus()) {
                    text.sample(
                            what.name(),
                            what.of(samples, gpu.uuid()),
                            "node",
                            agent.name().value(),
                            "gpu",
                            Integer.toString(gpu.index()),
                            "uuid",
                            gpu.uuid(),
                            "type",
                            gpu.type());
                }
            }
        }
        return text.toString();
    }

    /// What was said of so far. A metric that no sample followed is left out.
    private static final class Text {

        private final StringBuilder said = new StringBuilder();
        private String type = "";

        void type(String name, String type) {
            this.type = "# TYPE %s %s\n".formatted(name, type);
        }

        /// @param labels names and values in turn
        void sample(String name, double value, String... labels) {
            said.append(type).append(name);
            type = "";
            for (int i = 0; i < labels.length; i += 2) {
                said.append(i == 0 ? '{' : ',').append(labels[i]);
                said.append("=\"").append(escaped(labels[i + 1])).append('"');
            }
            said.append("} ").append(value).append('\n');
        }

        private static String escaped(String value) {
            return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        }

        @Override
        public String toString() {
            return said.toString();
        }
    }
}
