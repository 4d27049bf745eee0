package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.submit.Telemetry.OfGpu;
import io.berth.submit.Telemetry.Point;
import java.util.List;
import java.util.function.ToLongFunction;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// What the GPUs of a job did over time, as it is answered: lists of the same length, in which null
/// is what was not told.
@Schema(name = "Telemetry")
record TelemetryJson(List<GpuJson> gpus) {

    /// One GPU.
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

    static TelemetryJson of(List<OfGpu> gpus) {
        return new TelemetryJson(gpus.stream().map(TelemetryJson::of).toList());
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
