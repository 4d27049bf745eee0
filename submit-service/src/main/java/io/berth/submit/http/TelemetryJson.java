package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.Consumption;
import io.berth.contracts.TasksUsage;
import io.berth.submit.JobUsage;
import io.berth.submit.Telemetry.OfGpu;
import io.berth.submit.Telemetry.Point;
import java.util.List;
import java.util.function.ToLongFunction;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// What a job uses, as it is answered.
///
/// @param gpus what its GPUs did over time
/// @param nodes what its processes have used so far on each node; empty if nobody counts it there
@Schema(name = "Telemetry")
record TelemetryJson(List<GpuJson> gpus, List<UsageJson> nodes) {

    /// What the processes of a job have used on a node since its run began.
    ///
    /// @param at when the node told it, in epoch milliseconds
    /// @param cpuMillis CPU time
    /// @param maxMemoryMib the peak of memory
    /// @param readMib read from block devices
    /// @param writtenMib written to block devices
    /// @param gpuMemoryMib the peak of memory that its processes had in use on the GPU of which it
    ///   holds a part; left out of a job that holds none
    /// @param steps those of its steps that run there
    @Schema(name = "NodeUsage")
    record UsageJson(
            String node,
            long at,
            long cpuMillis,
            long maxMemoryMib,
            @Nullable Long readMib,
            @Nullable Long writtenMib,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long gpuMemoryMib,
            List<StepUsageJson> steps) {

        static UsageJson of(JobUsage usage) {
            Consumption used = usage.used();
            return new UsageJson(
                    usage.node().value(),
                    usage.at(),
                    used.cpuMillis(),
                    used.maxMemoryMib(),
                    used.readMib(),
                    used.writtenMib(),
                    used.gpu() == null ? null : used.gpu().maxMemoryMib(),
                    usage.steps().stream()
                            .map(it ->
                                    new StepUsageJson(
                                            it.number(),
                                            it.tasks(),
                                            it.cpuMillis(),
                                            it.maxMemoryMib(),
                                            it.each()))
                            .toList());
        }
    }

    /// What the processes of a step have used on the node.
    ///
    /// @param byTask what its tasks have used one by one; left out if nobody counts that
    @Schema(name = "StepUsage")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record StepUsageJson(
            int step, int tasks, long cpuMillis, long maxMemoryMib, @Nullable TasksUsage byTask) {}

    /// One GPU: lists of the same length, in which null is what was not told.
    ///
    /// @param at epoch milliseconds
    /// @param use in percent
    /// @param milliwatts power that it drew
    @Schema(name = "GpuTelemetry")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record GpuJson(
            String node,
            String uuid,
            List<Long> at,
            List<@Nullable Long> use,
            List<@Nullable Long> memoryUsedMib,
            List<@Nullable Long> milliwatts) {}

    static TelemetryJson of(List<OfGpu> gpus, List<JobUsage> nodes) {
        return new TelemetryJson(
                gpus.stream().map(TelemetryJson::of).toList(),
                nodes.stream().map(UsageJson::of).toList());
    }

    private static GpuJson of(OfGpu gpu) {
        return new GpuJson(
                gpu.node().value(),
                gpu.uuid(),
                gpu.points().stream().map(Point::at).toList(),
                values(gpu, Point::use),
                values(gpu, Point::memoryUsedMib),
                values(gpu, Point::milliwatts));
    }

    private static List<@Nullable Long> values(OfGpu gpu, ToLongFunction<Point> value) {
        return gpu.points().stream()
                .<@Nullable Long>map(it -> value.applyAsLong(it) < 0 ? null : value.applyAsLong(it))
                .toList();
    }
}
