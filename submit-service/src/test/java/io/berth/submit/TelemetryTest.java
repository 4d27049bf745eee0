package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.submit.Telemetry.Point;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TelemetryTest {
    private static final JobId JOB = new JobId(7);
    private static final NodeName NODE = new NodeName("gpu-01");

    private final Telemetry telemetry = new Telemetry(2);

    private void add(long job, String uuid, long at, @Nullable Integer use) {
        telemetry.add(
                new JobId(job),
                NODE,
                new GpuSample(
                        uuid,
                        use,
                        null,
                        300_000L,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        List.of(),
                        Hardware.Health.HEALTHY),
                at);
    }

    private List<Point> points() {
        return telemetry.of(JOB).getFirst().points();
    }

    @Test
    void a_curve_keeps_its_moments_and_says_what_was_not_told() {
        add(7, "GPU-1", 1000, 50);
        add(7, "GPU-1", 6000, null);

        assertThat(points())
                .containsExactly(
                        new Point(1000, 50, -1, 300_000), new Point(6000, -1, -1, 300_000));
    }

    @Test
    void a_long_run_has_a_curve_of_few_points_from_its_beginning_to_now() {
        for (int i = 0; i < 100_000; i++) {
            add(7, "GPU-1", 5000L * i, i % 100);
        }

        assertThat(points()).hasSizeBetween(Telemetry.MAX_POINTS / 2 - 1, Telemetry.MAX_POINTS);
        assertThat(points().getFirst().at()).isZero();
        assertThat(points().getLast().at()).isGreaterThan(5000L * 98_000);
        assertThat(points()).extracting(Point::at).isSorted();
    }

    @Test
    void the_curves_that_were_written_last_are_kept_and_a_job_has_its_own() {
        add(7, "GPU-1", 1, 1);
        add(8, "GPU-2", 2, 1);
        add(7, "GPU-1", 3, 1);
        add(9, "GPU-3", 4, 1);

        assertThat(points()).hasSize(2);
        assertThat(telemetry.of(new JobId(8))).isEmpty();
        assertThat(telemetry.of(new JobId(9))).hasSize(1);
    }
}
