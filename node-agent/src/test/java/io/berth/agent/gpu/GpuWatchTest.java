package io.berth.agent.gpu;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.amd.AmdMachine;
import io.berth.agent.amd.AmdSensors;
import io.berth.agent.gpu.GpuSensors.Reading;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.launch.Commands;
import io.berth.agent.nvml.NvmlSensors;
import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A machine's GPUs, watched through a real library, or in files such as a driver's.
class GpuWatchTest {

    private static final GpuWatch.Timing QUICK =
            new GpuWatch.Timing(Duration.ofMillis(20), Duration.ofMillis(40));

    private static final class Heard implements GpuWatch.Listener {
        final List<String> failed = new CopyOnWriteArrayList<>();
        final AtomicReference<Map<String, Aside>> aside = new AtomicReference<>(Map.of());
        final List<GpuSample> told = new CopyOnWriteArrayList<>();
        final AtomicReference<List<Reading>> last = new AtomicReference<>(List.of());
        volatile boolean free = true;

        @Override
        public void failed(String uuid, String reason, boolean fatal) {
            failed.add((fatal ? "fatal: " : "") + reason);
        }

        @Override
        public void aside(Set<String> watched, Map<String, Aside> gpus) {
            aside.set(gpus);
        }

        @Override
        public void sampled(List<Reading> readings) {
            readings.forEach(it -> told.add(it.sample()));
            last.set(readings);
        }

        @Override
        public boolean free(String uuid) {
            return free;
        }
    }

    @TempDir Path folder;
    private final Heard heard = new Heard();
    private final List<GpuWatch> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(GpuWatch::close);
    }

    private NvmlStub watch(String topology, Optional<Path> test) throws IOException {
        NvmlStub stub = NvmlStub.in(folder, topology);
        watch(NvmlSensors.open(stub.library()).orElseThrow(), test);
        return stub;
    }

    private void watch(GpuSensors sensors, Optional<Path> test) {
        open.add(GpuWatch.start(sensors, QUICK, GpuTrial.by(test, new Commands()), heard));
    }

    private NvmlStub watch(String topology) throws IOException {
        return watch(topology, Optional.empty());
    }

    private void awaitAside(String... uuids) {
        await().until(() -> heard.aside.get().keySet().equals(Set.of(uuids)));
    }

    @Test
    void a_sample_tells_what_a_gpu_does() throws IOException {
        watch(
                Topologies.l40s()
                        + "gpu 2 use=97 used=39000 mw=312500 mj=9000000000 temp=61 sm=1410"
                        + " memclk=1215 sbe=4 dbe=1 pids=4711:1536@30,4712\n");

        await().until(() -> open.getFirst().samples().size() == 4);

        assertThat(open.getFirst().samples().get(2))
                .isEqualTo(
                        new GpuSample(
                                "GPU-2",
                                97,
                                39_000L,
                                312_500L,
                                9_000_000_000L,
                                61,
                                1410,
                                1215,
                                4L,
                                1L,
                                List.of(4711L, 4712L),
                                Health.HEALTHY));
        Reading last = heard.last.get().get(2);
        assertThat(last.memory())
                .containsExactly(
                        new ProcessMemory("GPU-2", 4711, 1536L),
                        new ProcessMemory("GPU-2", 4712, null));
        assertThat(last.use()).isEqualTo(Map.of(4711L, 30));
        assertThat(heard.last.get().get(1).use()).isEmpty();
    }

    @Test
    void each_instance_of_a_split_gpu_has_a_sample_of_its_own() throws IOException {
        watch(Topologies.splitA100());

        await().until(() -> !open.getFirst().samples().isEmpty());

        assertThat(open.getFirst().samples())
                .extracting(GpuSample::uuid)
                .containsExactly("GPU-0", "MIG-aaaa", "MIG-bbbb", "MIG-cccc");
        assertThat(heard.told).startsWith(open.getFirst().samples().getFirst());
        assertThat(open.getFirst().samples().get(1).use()).isNull();
        assertThat(heard.last.get().get(1).use()).isNull();
    }

    @Test
    void a_driver_that_does_not_know_what_each_process_uses_leaves_it_out() throws IOException {
        watch(
                Topologies.l40s()
                        + "gpu 0 use=97 pids=4711@30\nfail nvmlDeviceGetProcessUtilization 3 0\n");

        await().until(() -> open.getFirst().samples().size() == 4);

        assertThat(heard.last.get().getFirst().use()).isNull();
        assertThat(open.getFirst().samples().getFirst().use()).isEqualTo(97);
    }

    @Test
    void a_fatal_error_puts_one_gpu_aside_until_it_is_empty_and_passes() throws IOException {
        heard.free = false;
        NvmlStub stub = watch(Topologies.l40s());

        stub.add("xid 1 79");

        awaitAside("GPU-1");
        await().until(() -> !heard.failed.isEmpty());
        assertThat(heard.failed)
                .containsExactly("fatal: GPU GPU-1 failed: XID 79, the GPU has fallen off the bus");
        heard.free = true;
        awaitAside();
    }

    @Test
    void a_programs_own_fault_is_told_and_puts_nothing_aside() throws IOException {
        NvmlStub stub = watch(Topologies.l40s());

        stub.add("xid 3 31");

        await().until(() -> !heard.failed.isEmpty());
        assertThat(heard.failed).containsExactly("GPU GPU-3 failed: XID 31, memory page fault");
        assertThat(heard.aside.get()).isEmpty();
    }

    @Test
    void a_fault_in_an_instance_is_told_of_that_instance_alone() throws IOException {
        NvmlStub stub = watch(Topologies.splitA100());

        stub.add("xid 1 31 9 0");
        stub.add("xid 1 43 10");
        stub.add("xid 1 13");

        await().until(() -> heard.failed.size() == 3);
        assertThat(heard.failed)
                .containsExactly(
                        "GPU MIG-bbbb failed: XID 31, memory page fault",
                        "GPU MIG-cccc failed: XID 43, the GPU stopped processing",
                        "GPU GPU-1 failed: XID 13, graphics engine exception");
    }

    @Test
    void a_fatal_error_in_an_instance_is_the_whole_gpus() throws IOException {
        heard.free = false;
        NvmlStub stub = watch(Topologies.splitA100());

        stub.add("xid 1 79 9 0");

        awaitAside("GPU-1");
        await().until(() -> !heard.failed.isEmpty());
        assertThat(heard.failed)
                .containsExactly("fatal: GPU GPU-1 failed: XID 79, the GPU has fallen off the bus");
    }

    @Test
    void clients_of_mps_are_among_the_processes_of_a_gpu() throws IOException {
        watch(Topologies.l40s() + "gpu 2 pids=4711:1536,4712 mps=4712:64,4713\n");

        await().until(() -> open.getFirst().samples().size() == 4);

        assertThat(heard.last.get().get(2).memory())
                .containsExactly(
                        new ProcessMemory("GPU-2", 4711, 1536L),
                        new ProcessMemory("GPU-2", 4712, 64L),
                        new ProcessMemory("GPU-2", 4713, null));
    }

    @Test
    void a_drained_gpu_with_more_processes_than_were_expected_is_not_tested() throws IOException {
        Path tried = folder.resolve("tried");
        Path program = folder.resolve("test-gpu");
        Files.writeString(program, "#!/bin/sh\necho \"$1\" >> %s\n".formatted(tried));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        String crowd = IntStream.range(1000, 1600).mapToObj(it -> it + "@1").collect(joining(","));
        NvmlStub stub =
                watch(Topologies.l40s() + "gpu 1 pids=%s\n".formatted(crowd), Optional.of(program));
        await().until(() -> open.getFirst().samples().size() == 4);
        assertThat(open.getFirst().samples().get(1).processes()).hasSize(256);
        assertThat(heard.last.get().get(1).memory()).hasSize(600);
        assertThat(heard.last.get().get(1).use()).hasSize(600);

        stub.add("xid 1 79");
        stub.add("xid 3 79");

        await().until(() -> Files.exists(tried) && Files.size(tried) > 0);
        awaitAside("GPU-1");
        assertThat(Files.readAllLines(tried)).containsOnly("GPU-3");
    }

    @Test
    void a_gpu_that_stops_answering_is_lost_and_comes_back_with_its_answers() throws IOException {
        NvmlStub stub = watch(Topologies.l40s());
        await().until(() -> !open.getFirst().samples().isEmpty());

        stub.add("fail nvmlDeviceGetMemoryInfo 15 2");

        awaitAside("GPU-2");
        await().until(() -> !heard.failed.isEmpty());
        assertThat(heard.failed).singleElement().asString().contains("the GPU is lost");
        stub.tell(Topologies.l40s());
        awaitAside();
    }

    @Test
    void a_gpu_whose_memory_waits_for_a_reset_stands_aside_from_the_start() throws IOException {
        NvmlStub stub = watch(Topologies.l40s() + "gpu 0 pending=1\n");

        awaitAside("GPU-0");
        assertThat(heard.aside.get().get("GPU-0"))
                .isEqualTo(new Aside(Health.DRAINED, "its memory waits for a repair by reset"));
        stub.tell(Topologies.l40s());
        awaitAside();
    }

    @Test
    void an_operators_test_must_pass_too() throws IOException {
        Path verdict = folder.resolve("verdict");
        Path tried = folder.resolve("tried");
        Path program = folder.resolve("test-gpu");
        Files.writeString(
                program, "#!/bin/sh\necho \"$1\" >> %s\n[ -e %s ]\n".formatted(tried, verdict));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        NvmlStub stub = watch(Topologies.l40s(), Optional.of(program));

        stub.add("xid 1 79");

        await().until(() -> Files.exists(tried) && Files.size(tried) > 0);
        assertThat(Files.readAllLines(tried)).containsOnly("GPU-1");
        assertThat(heard.aside.get()).containsOnlyKeys("GPU-1");
        Files.writeString(verdict, "");
        awaitAside();
    }

    @Test
    void a_machine_without_the_library_is_not_watched() {
        assertThat(NvmlSensors.open(folder + "/libnone.so.1")).isEmpty();
    }

    private AmdMachine watchAmd(Optional<Path> test) throws IOException {
        AmdMachine machine = AmdMachine.in(folder.resolve("machine"));
        for (int gpu = 0; gpu < 8; gpu++) {
            machine.mi300x(gpu);
        }
        watch(AmdSensors.open(machine.files()).orElseThrow(), test);
        await().until(() -> heard.last.get().size() == 8);
        return machine;
    }

    @Test
    void samples_of_amds_gpus_are_by_index() throws IOException {
        watchAmd(Optional.empty());

        assertThat(heard.last.get())
                .extracting(it -> it.sample().uuid())
                .containsExactlyElementsOf(
                        IntStream.range(0, 8).mapToObj(AmdMachine::uuid).toList());
    }

    @Test
    void an_uncorrectable_error_puts_one_of_amds_gpus_aside_until_it_is_empty_and_passes()
            throws IOException {
        AmdMachine machine = watchAmd(Optional.empty());
        machine.process(4711, 2, 1 << 20);

        machine.errors(2, "umc", 1, 0);

        awaitAside(AmdMachine.uuid(2));
        await().until(() -> !heard.failed.isEmpty());
        String reason = "1 uncorrectable error in umc";
        assertThat(heard.failed)
                .containsExactly("fatal: GPU " + AmdMachine.uuid(2) + " failed: " + reason);
        assertThat(heard.aside.get().get(AmdMachine.uuid(2)))
                .isEqualTo(new Aside(Health.DRAINED, reason));
        machine.delete("sys/class/kfd/kfd/proc/4711");
        awaitAside();
        assertThat(heard.failed).hasSize(1);
    }

    @Test
    void the_third_reset_of_one_of_amds_gpus_puts_it_aside() throws IOException {
        heard.free = false;
        AmdMachine machine = watchAmd(Optional.empty());

        for (int dump = 1; dump < 4; dump++) {
            assertThat(heard.aside.get()).isEmpty();
            int sofar = dump;
            machine.dump(dump, 5);
            await().until(() -> heard.failed.size() == sofar);
        }

        awaitAside(AmdMachine.uuid(5));
        assertThat(heard.failed)
                .containsOnly("GPU " + AmdMachine.uuid(5) + " failed: reset by its driver");
        assertThat(heard.aside.get().get(AmdMachine.uuid(5)))
                .isEqualTo(new Aside(Health.DRAINED, "reset by its driver, 3 times"));
    }

    @Test
    void one_of_amds_gpus_that_leaves_the_machine_is_lost_and_comes_back() throws IOException {
        AmdMachine machine = watchAmd(Optional.empty());

        machine.vanish(3);

        awaitAside(AmdMachine.uuid(3));
        await().until(() -> !heard.failed.isEmpty());
        assertThat(heard.failed)
                .singleElement()
                .asString()
                .startsWith("fatal: GPU " + AmdMachine.uuid(3) + " failed: /sys/")
                .endsWith(" is gone");
        await().until(() -> heard.last.get().size() == 7);
        machine.mi300x(3);
        awaitAside();
    }

    @Test
    void one_of_amds_gpus_that_does_not_answer_is_lost_and_comes_back_with_its_answers()
            throws IOException {
        AmdMachine machine = watchAmd(Optional.empty());

        machine.silence(6);

        awaitAside(AmdMachine.uuid(6));
        await().until(() -> !heard.failed.isEmpty());
        assertThat(heard.failed).singleElement().asString().endsWith("Input/output error");
        machine.mi300x(6);
        awaitAside();
    }

    @Test
    void an_operators_test_is_told_which_of_amds_gpus_is_its_as_rocm_is() throws IOException {
        Path told = folder.resolve("told");
        Path program = folder.resolve("test-gpu");
        Files.writeString(
                program,
                "#!/bin/sh\necho $1 $ROCR_VISIBLE_DEVICES ${CUDA_VISIBLE_DEVICES-none} >>%s\n"
                        .formatted(told));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        AmdMachine machine = watchAmd(Optional.of(program));

        machine.errors(0, "gfx", 2, 0);

        await().until(() -> Files.exists(told) && Files.size(told) > 0);
        String uuid = AmdMachine.uuid(0);
        assertThat(Files.readAllLines(told)).containsOnly(uuid + " " + uuid + " none");
        awaitAside();
    }
}
