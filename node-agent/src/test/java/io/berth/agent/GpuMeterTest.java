package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.gpu.GpuSensors.Reading;
import io.berth.agent.gpu.ProcessMemory;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.GpuConsumption;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuMeterTest {

    private static final List<String> BOTH = List.of("G0", "G1");

    @TempDir Path folder;
    private final Map<String, Long> counters = new HashMap<>();
    private final List<String> said = new ArrayList<>();
    private final GpuUse.Told told =
            new GpuUse.Told() {
                @Override
                public void underused(int percent, long seconds) {
                    said.add(percent + " %");
                }

                @Override
                public void usedAgain() {
                    said.add("again");
                }
            };
    private boolean still;

    private GpuMeter meter(List<String> gpus) {
        return meter(gpus, null, _ -> CompletableFuture.completedFuture(Map.copyOf(counters)));
    }

    private GpuMeter meter(
            List<String> gpus, GpuMeter.@Nullable Members part, GpuMeter.Counters counters) {
        return new GpuMeter(gpus, part, RunFiles.at(folder), counters, use(), () -> still);
    }

    /// Low is below 10 % in the mean of 300 ns.
    private GpuUse use() {
        var rule = new GpuUse.Rule(10, Duration.ofNanos(300));
        return new GpuUse(rule, RunFiles.at(folder), told);
    }

    private static GpuSample sample(String uuid, @Nullable Integer use, @Nullable Long memory) {
        return new GpuSample(
                uuid,
                use,
                memory,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                Health.HEALTHY);
    }

    private static List<Reading> readings(GpuSample... samples) {
        return Stream.of(samples).map(it -> new Reading(it, List.of(), null)).toList();
    }

    @Test
    void use_is_the_mean_over_time_and_gpus_and_memory_the_peak_of_one() throws Exception {
        GpuMeter meter = meter(BOTH);
        meter.begin(true, 1000);

        meter.sampled(readings(sample("G0", 100, 10L), sample("G1", 0, 700L)), 1100);
        meter.sampled(readings(sample("G0", 20, 5000L), sample("G2", 99, 90_000L)), 1400);

        // G0 worked 40 % of its time, G1 not at all.
        assertThat(meter.end()).contains(new GpuConsumption(2, 20, 5000L, null));
    }

    @Test
    void energy_is_what_the_counters_moved_by_whichever_agent_read_them() throws Exception {
        counters.putAll(Map.of("G0", 5_000_000L, "G1", 100L));
        meter(BOTH).begin(true, 0);
        GpuMeter next = meter(BOTH);
        next.begin(false, 0);

        counters.putAll(Map.of("G0", 5_000_700L, "G1", 130L));

        assertThat(next.end()).contains(new GpuConsumption(2, null, null, 730L));
    }

    @Test
    void a_begin_that_is_still_being_read_at_the_end_counts() throws Exception {
        var answers =
                new ArrayDeque<>(
                        List.of(
                                CompletableFuture.supplyAsync(
                                        () -> Map.of("G0", 100L),
                                        CompletableFuture.delayedExecutor(
                                                50, TimeUnit.MILLISECONDS)),
                                CompletableFuture.completedFuture(Map.of("G0", 107L))));
        GpuMeter meter = meter(List.of("G0"), null, _ -> answers.remove());

        meter.begin(true, 0);

        assertThat(meter.end()).contains(new GpuConsumption(1, null, null, 7L));
    }

    @Test
    void energy_is_not_told_in_part_or_of_a_counter_that_went_back() throws Exception {
        counters.put("G0", 5000L);
        GpuMeter part = meter(BOTH);
        part.begin(true, 0);
        counters.put("G1", 5000L);
        GpuMeter back = meter(BOTH);

        assertThat(part.end()).isEmpty();
        back.begin(true, 0);
        counters.put("G1", 10L);
        assertThat(back.end()).isEmpty();
    }

    @Test
    void a_run_without_gpus_reads_no_counter() throws Exception {
        GpuMeter meter =
                meter(
                        List.of(),
                        null,
                        _ -> {
                            throw new AssertionError("read");
                        });

        meter.begin(true, 0);
        meter.sampled(readings(sample("G0", 100, 10L)), 5);

        assertThat(meter.end()).isEmpty();
    }

    @Test
    void gpus_that_are_hardly_used_are_told_of_once_and_again_when_they_are_used() {
        GpuMeter meter = meter(BOTH);
        meter.begin(true, 0);

        meter.sampled(readings(sample("G0", 10, 1L), sample("G1", 0, 1L)), 299);
        assertThat(said).isEmpty();
        meter.sampled(readings(sample("G0", 10, 1L), sample("G1", 0, 1L)), 400);
        meter.sampled(readings(sample("G0", 0, 1L), sample("G1", 0, 1L)), 500);
        assertThat(said).containsExactly("5 %");

        meter.sampled(readings(sample("G0", 100, 1L), sample("G1", 60, 1L)), 600);

        assertThat(said).containsExactly("5 %", "again");
    }

    @Test
    void samples_of_another_vendors_gpus_take_no_time_from_a_runs_own() {
        GpuMeter meter = meter(List.of("G0"));
        meter.begin(true, 0);

        for (int time = 50; time < 300; time += 50) {
            meter.sampled(readings(sample("AMD", 90, 1L)), time);
        }
        meter.sampled(readings(sample("G0", 3, 1L)), 300);

        assertThat(said).containsExactly("3 %");
    }

    @Test
    void a_run_that_stands_still_does_not_use_them_too_little() throws Exception {
        GpuMeter meter = meter(List.of("G0"));
        meter.begin(true, 0);
        meter.sampled(readings(sample("G0", 80, 1L)), 300);

        still = true;
        meter.sampled(readings(sample("G0", 0, 1L)), 3000);
        still = false;
        meter.sampled(readings(sample("G0", 80, 1L)), 3010);

        assertThat(said).isEmpty();
        assertThat(meter.end()).contains(new GpuConsumption(1, 80, 1L, null));
    }

    @Test
    void the_next_agent_knows_what_was_told() {
        GpuMeter first = meter(List.of("G0"));
        first.begin(true, 0);
        first.sampled(readings(sample("G0", 3, 1L)), 300);

        GpuMeter next = meter(List.of("G0"));
        next.tellUseAgain();
        next.begin(false, 1000);
        next.sampled(readings(sample("G0", 3, 1L)), 1300);
        next.sampled(readings(sample("G0", 90, 1L)), 1600);
        next.tellUseAgain();

        assertThat(said).containsExactly("3 %", "3 %", "again", "again");
    }

    private GpuMeter ofPart() {
        GpuMeter meter =
                meter(
                        List.of("G0"),
                        () -> Set.of(7L, 8L),
                        _ -> CompletableFuture.completedFuture(Map.of()));
        meter.begin(true, 0);
        return meter;
    }

    @Test
    void of_a_part_of_a_gpu_the_memory_is_what_its_own_processes_have() throws Exception {
        GpuMeter meter = ofPart();

        meter.sampled(
                List.of(
                        new Reading(
                                sample("G0", 50, 30_000L),
                                List.of(
                                        new ProcessMemory("G0", 7, 1000L),
                                        new ProcessMemory("G0", 8, 500L),
                                        new ProcessMemory("G0", 9, 20_000L)),
                                null),
                        new Reading(
                                sample("G1", 50, 30_000L),
                                List.of(new ProcessMemory("G1", 7, 4000L)),
                                null)),
                100);
        meter.sampled(
                List.of(
                        new Reading(
                                sample("G0", 50, 30_000L),
                                List.of(new ProcessMemory("G0", 7, null)),
                                null)),
                200);
        meter.sampled(readings(sample("G0", 50, 30_000L)), 300);

        assertThat(meter.end()).hasValue(new GpuConsumption(1, 50, 1500L, null));
    }

    @Test
    void of_a_part_of_a_gpu_the_use_is_that_of_its_own_processes_if_the_driver_tells()
            throws Exception {
        GpuMeter meter = ofPart();

        meter.sampled(
                List.of(
                        new Reading(
                                sample("G0", 90, 1L), List.of(), Map.of(7L, 30, 8L, 6, 9L, 54))),
                100);
        meter.sampled(List.of(new Reading(sample("G0", 90, 1L), List.of(), Map.of())), 300);

        // 36 % of 100 ns, and nothing of 200 ns.
        assertThat(meter.end()).hasValue(new GpuConsumption(1, 12, 0L, null));
        meter.sampled(readings(sample("G0", 90, 1L)), 400);
        assertThat(meter.end()).map(GpuConsumption::usePercent).hasValue(32);
    }

    @Test
    void who_does_nothing_on_its_part_of_a_gpu_is_told_of_however_busy_others_keep_it() {
        GpuMeter meter = ofPart();

        meter.sampled(List.of(new Reading(sample("G0", 99, 1L), List.of(), Map.of(9L, 99))), 300);

        assertThat(said).containsExactly("0 %");
    }
}
