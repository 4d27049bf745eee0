package io.berth.agent.amd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.agent.gpu.AmdError;
import io.berth.agent.gpu.GpuLost;
import io.berth.agent.gpu.GpuSensors.ErrorEvent;
import io.berth.agent.gpu.GpuSensors.Reading;
import io.berth.agent.gpu.ProcessMemory;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is read of AMD's GPUs in files such as their driver's.
class AmdSensorsTest {

    private static final String FIRST = AmdMachine.uuid(0);
    private static final String SECOND = AmdMachine.uuid(1);

    @TempDir Path root;
    AmdMachine machine;

    @BeforeEach
    void make() throws IOException {
        machine = AmdMachine.in(root);
    }

    private AmdSensors sensors() {
        return AmdSensors.open(machine.files()).orElseThrow();
    }

    private static Reading reading(AmdSensors sensors, String uuid) throws GpuLost {
        List<Reading> readings = sensors.read(uuid, Health.HEALTHY);
        assertThat(readings).hasSize(1);
        return readings.getFirst();
    }

    private static GpuSample sample(AmdSensors sensors, String uuid) throws GpuLost {
        return reading(sensors, uuid).sample();
    }

    @Test
    void an_mi300x_tells_all_that_it_measures() throws Exception {
        for (int gpu = 0; gpu < 8; gpu++) {
            machine.mi300x(gpu);
        }
        machine.device(7, "gpu_busy_percent", "0\n");
        machine.process(4711, 0, 1536L << 20);
        machine.process(4711, 1, 0);
        machine.process(4712, 0, 0);
        machine.queue(4712, 0);

        AmdSensors sensors = sensors();

        assertThat(sensors.uuids())
                .hasSize(8)
                .startsWith(FIRST, SECOND)
                .endsWith(AmdMachine.uuid(7));
        Reading reading = reading(sensors, FIRST);
        assertThat(reading.sample())
                .isEqualTo(
                        new GpuSample(
                                FIRST,
                                97,
                                39_000L,
                                750_000L,
                                9_000_000L,
                                61,
                                2100,
                                1300,
                                4L,
                                0L,
                                List.of(4711L, 4712L),
                                Health.HEALTHY));
        assertThat(reading.memory())
                .containsExactly(
                        new ProcessMemory(FIRST, 4711, 1536L), new ProcessMemory(FIRST, 4712, 0L));
        assertThat(reading.use()).isNull();
        assertThat(sample(sensors, SECOND).processes()).isEmpty();
        assertThat(sample(sensors, AmdMachine.uuid(7)).use()).isZero();
    }

    @Test
    void the_second_die_of_an_mi250_tells_no_power_and_no_energy() throws Exception {
        machine.mi250(0).mi250(1);
        AmdSensors sensors = sensors();

        GpuSample first = sample(sensors, FIRST);
        GpuSample second = sample(sensors, SECOND);

        assertThat(first.milliwatts()).isEqualTo(410_000);
        assertThat(first.millijoules()).isEqualTo(1_000_000);
        assertThat(first.celsius()).isEqualTo(44);
        assertThat(first.smMhz()).isEqualTo(1700);
        assertThat(first.memoryMhz()).isEqualTo(1600);
        assertThat(second.milliwatts()).isNull();
        assertThat(second.millijoules()).isNull();
        assertThat(second.celsius()).isEqualTo(44);
    }

    @Test
    void energy_of_two_dies_is_counted_by_the_first_for_who_has_all_of_them() throws Exception {
        machine.mi250(0).mi250(1).mi250(2).mi250(3);
        List<String> all = IntStream.range(0, 4).mapToObj(AmdMachine::uuid).toList();
        AmdEnergy energy = AmdEnergy.open(machine.files()).orElseThrow();

        assertThat(energy.read(all))
                .isEqualTo(
                        Map.of(
                                all.get(0),
                                1_000_000L,
                                all.get(1),
                                0L,
                                all.get(2),
                                1_000_000L,
                                all.get(3),
                                0L));
        assertThat(energy.read(List.of(FIRST, SECOND))).isEqualTo(Map.of(FIRST, 1_000_000L));
        for (int gpu = 0; gpu < 4; gpu++) {
            machine.metrics(gpu, 3, 120, 24, gpu == 0 ? 65_536 : 0);
        }
        assertThat(energy.read(all)).isEqualTo(Map.of(FIRST, 1000L));
    }

    @Test
    void a_card_with_few_files_tells_what_is_in_them() throws Exception {
        machine.consumer(0);

        assertThat(sample(sensors(), FIRST))
                .isEqualTo(
                        new GpuSample(
                                FIRST,
                                5,
                                500L,
                                null,
                                null,
                                38,
                                null,
                                null,
                                null,
                                null,
                                List.of(),
                                Health.HEALTHY));
    }

    @Test
    void a_card_that_has_no_file_at_all_is_there_and_tells_nothing() throws Exception {
        machine.appear(0);

        GpuSample sample = sample(sensors(), FIRST);

        assertThat(sample.use()).isNull();
        assertThat(sample.memoryUsedMib()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "N/A", "-1", "4294967274", "99999999999999999999", "\u0000\u0001"})
    void what_makes_no_sense_is_not_told(String garbage) throws Exception {
        machine.mi300x(0);
        for (String name :
                List.of(
                        "gpu_busy_percent",
                        "mem_info_vram_used",
                        "ras/umc_err_count",
                        "gpu_metrics")) {
            machine.device(0, name, garbage);
        }
        for (String name : List.of("power1_input", "temp2_input")) {
            machine.monitor(0, name, garbage);
        }
        machine.device(0, "mem_info_vram_total", "1000000\n");

        assertThat(sample(sensors(), FIRST))
                .isEqualTo(
                        new GpuSample(
                                FIRST,
                                null,
                                null,
                                null,
                                null,
                                null,
                                2100,
                                1300,
                                null,
                                null,
                                List.of(),
                                Health.HEALTHY));
    }

    /// The layouts that the driver has had.
    @ParameterizedTest
    @CsvSource({
        "1,96,24",
        "2,104,24",
        "3,120,24",
        "4,288,24",
        "5,360,88",
        "6,384,88",
        "6,1664,16",
        "7,2208,24",
        "8,3360,24"
    })
    void energy_is_where_the_tables_revision_says(int content, int size, int at) throws Exception {
        machine.mi300x(0);
        machine.metrics(0, content, size, at, 65_536);

        assertThat(sample(sensors(), FIRST).millijoules()).isEqualTo(1000);
    }

    @Test
    void energy_of_an_unknown_table_or_a_cut_one_is_not_told() throws Exception {
        machine.mi300x(0);
        machine.metrics(0, 9, 64, 24, 65_536);
        assertThat(sample(sensors(), FIRST).millijoules()).isNull();

        machine.metrics(0, 5, 90, 24, 65_536);

        assertThat(sample(sensors(), FIRST).millijoules()).isNull();
    }

    @Test
    void a_counter_of_energy_among_the_sensors_goes_before_the_table() throws Exception {
        machine.mi300x(0);
        machine.monitor(0, "energy1_input", "77000\n");

        assertThat(sample(sensors(), FIRST).millijoules()).isEqualTo(77);
    }

    @Test
    void one_that_sleeps_is_idle_and_is_asked_nothing() throws Exception {
        machine.mi300x(0);
        machine.silence(0);
        machine.errors(0, "umc", 5, 5);
        machine.device(0, "power/runtime_status", "suspended\n");
        AmdSensors sensors = sensors();

        for (int i = 0; i < 3; i++) {
            GpuSample sample = sample(sensors, FIRST);
            assertThat(sample.use()).isZero();
            assertThat(sample.milliwatts()).isNull();
            assertThat(sample.uncorrectedErrors()).isNull();
        }
        assertThat(AmdEnergy.open(machine.files()).orElseThrow().read(List.of(FIRST))).isEmpty();
        assertThat(sensors.fault(FIRST)).isEmpty();
    }

    @Test
    void files_that_go_while_it_runs_leave_out_what_they_told() throws Exception {
        machine.mi300x(0);
        AmdSensors sensors = sensors();
        sample(sensors, FIRST);

        Files.delete(machine.path(0, "gpu_busy_percent"));
        Files.createDirectory(machine.path(0, "gpu_busy_percent"));
        Files.delete(machine.path(0, "hwmon/hwmon7/power1_input"));
        machine.device(0, "ras/gfx_err_count", "Query currently inaccessible\n");

        for (int i = 0; i < 3; i++) {
            GpuSample sample = sample(sensors, FIRST);
            assertThat(sample.use()).isNull();
            assertThat(sample.milliwatts()).isNull();
            assertThat(sample.correctedErrors()).isNull();
            assertThat(sample.celsius()).isEqualTo(61);
        }
    }

    private static List<ErrorEvent> errors(AmdSensors sensors) {
        return Stream.generate(() -> sensors.awaitError(1))
                .takeWhile(Optional::isPresent)
                .map(Optional::get)
                .toList();
    }

    private static ErrorEvent error(String uuid, AmdError error) {
        return new ErrorEvent(uuid, error, List.of(uuid));
    }

    @Test
    void errors_that_cannot_be_corrected_are_told_when_there_are_more() throws Exception {
        machine.mi300x(0).mi300x(1);
        machine.errors(0, "umc", 2, 0);
        AmdSensors sensors = sensors();
        sample(sensors, FIRST);
        sample(sensors, SECOND);
        assertThat(errors(sensors)).isEmpty();

        machine.errors(0, "umc", 5, 900);
        machine.errors(0, "gfx", 1, 1);

        assertThat(sample(sensors, FIRST).uncorrectedErrors()).isEqualTo(6);
        sample(sensors, SECOND);
        assertThat(errors(sensors))
                .containsExactly(
                        error(FIRST, new AmdError.Uncorrectable("gfx", 1)),
                        error(FIRST, new AmdError.Uncorrectable("umc", 3)));
        sample(sensors, FIRST);
        assertThat(errors(sensors)).isEmpty();
    }

    @Test
    void a_count_that_begins_anew_and_one_that_is_not_told_for_a_while_are_no_errors()
            throws Exception {
        machine.mi300x(0);
        machine.errors(0, "umc", 5, 0);
        AmdSensors sensors = sensors();
        sample(sensors, FIRST);

        machine.errors(0, "umc", 1, 0);
        sample(sensors, FIRST);
        machine.device(0, "ras/umc_err_count", "Query currently inaccessible\n");
        sample(sensors, FIRST);
        machine.errors(0, "umc", 1, 0);
        sample(sensors, FIRST);
        assertThat(errors(sensors)).isEmpty();

        machine.errors(0, "umc", 2, 0);
        sample(sensors, FIRST);
        assertThat(errors(sensors))
                .containsExactly(error(FIRST, new AmdError.Uncorrectable("umc", 1)));
    }

    @Test
    void a_reset_is_seen_by_the_dump_that_the_kernel_keeps_of_it() throws Exception {
        machine.mi300x(0).mi300x(1);
        machine.dump(1, 0);
        AmdSensors sensors = sensors();
        assertThat(errors(sensors)).isEmpty();

        machine.dump(2, 1);
        Files.createDirectories(root.resolve("sys/class/devcoredump/devcd3"));

        assertThat(errors(sensors)).containsExactly(error(SECOND, new AmdError.Reset()));
        machine.delete("sys/class/devcoredump/devcd2");
        machine.delete("sys/class/devcoredump/devcd3");
        machine.dump(3, 0);
        machine.dump(4, 5);
        assertThat(errors(sensors)).containsExactly(error(FIRST, new AmdError.Reset()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bus/pci/devices/0000:01:00.0", "class/drm/renderD128"})
    void one_that_has_left_the_kernels_files_is_lost_until_it_is_back(String gone)
            throws Exception {
        machine.mi300x(0).mi300x(1);
        AmdSensors sensors = sensors();
        sample(sensors, FIRST);

        machine.delete("sys/" + gone);

        assertThatThrownBy(() -> sensors.read(FIRST, Health.HEALTHY))
                .isInstanceOf(GpuLost.class)
                .hasMessage("/sys/" + gone + " is gone");
        assertThat(sensors.fault(FIRST)).hasValue("/sys/" + gone + " is gone");
        assertThat(sample(sensors, SECOND).use()).isEqualTo(97);
        machine.mi300x(0);
        machine.errors(0, "umc", 7, 0);
        assertThat(sample(sensors, FIRST).use()).isEqualTo(97);
        assertThat(errors(sensors)).isEmpty();
        assertThat(sensors.fault(FIRST)).isEmpty();
    }

    @Test
    void one_that_comes_back_with_another_device_file_is_not_to_be_used() throws Exception {
        machine.mi300x(0);
        AmdSensors sensors = sensors();

        Path properties = root.resolve("sys/class/kfd/kfd/topology/nodes/1/properties");
        Files.writeString(properties, Files.readString(properties).replace("128", "131"));

        assertThat(sensors.more()).isEmpty();
        assertThat(sensors.fault(FIRST))
                .hasValue("it came back as /dev/dri/renderD131: restart the agent");
    }

    @Test
    void one_that_twice_answers_nothing_is_lost_until_it_answers() throws Exception {
        machine.mi300x(0).consumer(1);
        AmdSensors sensors = sensors();
        sample(sensors, FIRST);

        machine.silence(0);

        assertThat(sample(sensors, FIRST).use()).isNull();
        assertThatThrownBy(() -> sensors.read(FIRST, Health.HEALTHY))
                .isInstanceOf(GpuLost.class)
                .hasMessageEndingWith(": Input/output error");
        assertThat(sensors.fault(FIRST)).isPresent();
        machine.mi300x(0);
        assertThat(sample(sensors, FIRST).use()).isEqualTo(97);
        machine.silence(0);
        assertThat(sample(sensors, FIRST).use()).isNull();
    }

    @Test
    void one_that_does_not_answer_in_part_is_there() throws Exception {
        machine.mi300x(0);
        AmdSensors sensors = sensors();
        machine.silence(0, "gpu_busy_percent");

        for (int i = 0; i < 3; i++) {
            assertThat(sample(sensors, FIRST).celsius()).isEqualTo(61);
        }
    }

    @Test
    void a_part_of_a_gpu_tells_its_processes_and_what_befalls_the_whole() throws Exception {
        machine.mi300x(0);
        machine.split(0, 3);
        machine.process(4711, 0, 3L << 20);
        AmdSensors sensors = sensors();
        List<String> parts = List.copyOf(sensors.uuids());
        assertThat(parts).hasSize(3);

        for (String part : parts) {
            sample(sensors, part);
        }
        machine.errors(0, "umc", 1, 0);
        GpuSample first = sample(sensors, parts.getFirst());

        assertThat(first.memoryUsedMib()).isEqualTo(3);
        assertThat(first.use()).isNull();
        assertThat(first.millijoules()).isNull();
        assertThat(sample(sensors, parts.getLast()).memoryUsedMib()).isZero();
        assertThat(errors(sensors)).extracting(ErrorEvent::uuid).containsExactlyElementsOf(parts);
        assertThat(AmdEnergy.open(machine.files())).isEmpty();
        machine.silence(0);
        for (String part : parts) {
            sample(sensors, part);
        }
        for (String part : parts) {
            assertThatThrownBy(() -> sensors.read(part, Health.HEALTHY))
                    .isInstanceOf(GpuLost.class);
        }
    }

    @Test
    void gpus_that_come_later_are_found() throws Exception {
        assertThat(AmdSensors.open(machine.files())).isEmpty();
        machine.mi300x(0);
        AmdSensors sensors = sensors();

        machine.mi300x(1);

        assertThat(sensors.more()).containsExactly(SECOND);
        assertThat(sensors.more()).isEmpty();
    }
}
