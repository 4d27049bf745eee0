package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.Gpu;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.event.NodeSeen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// GPUs that are not there yet when the agent starts.
class GpusLaterTest {

    @TempDir Path folder;

    private NvmlStub driver(String topology) throws Exception {
        return NvmlStub.in(Files.createDirectories(folder.resolve("driver")), topology);
    }

    private AgentRig rig(NvmlStub driver) throws Exception {
        return rig(driver, "PT30S");
    }

    /// @param wait for the driver, at the start
    private AgentRig rig(NvmlStub driver, String wait) throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.writeString(home.resolve("driver-wait"), wait);
        // What has once failed stays out.
        Path test = Files.writeString(home.resolve("test-gpu"), "#!/bin/sh\nexit 1\n");
        Files.setPosixFilePermissions(test, PosixFilePermissions.fromString("rwx------"));
        return new AgentRig(folder, TestConfig.found(home, AgentRig.newNode(), driver.library()));
    }

    private static Hardware hardware(NodeSeen seen) {
        return Objects.requireNonNull(seen.inventory().hardware());
    }

    private static List<String> gpus(NodeSeen seen) {
        return seen.inventory().gpus().stream().map(Gpu::uuid).toList();
    }

    private static boolean isOut(NodeSeen seen, String gpu) {
        return hardware(seen).outOfService().stream().map(OutOfService::uuid).anyMatch(gpu::equals);
    }

    /// That its errors and its samples are heard.
    private static void assertWatched(AgentRig rig, NvmlStub driver) throws Exception {
        rig.placement.awaitHeartbeat(rig.node, it -> it.gpus().size() == 4);
        driver.add("xid 2 79");
        rig.placement.registerUntil(rig.node, it -> isOut(it, "GPU-2"));
    }

    @Test
    void a_driver_that_is_loaded_after_the_agent_has_started_brings_its_gpus() throws Exception {
        NvmlStub driver = driver("");
        try (var rig = rig(driver)) {
            NodeSeen without = rig.placement.register(rig.node);
            assertThat(gpus(without)).isEmpty();
            assertThat(hardware(without).drivers())
                    .extracting(GpuDriver::problem)
                    .doesNotContainNull()
                    .hasSize(1);

            driver.tell(Topologies.l40s());

            NodeSeen with = rig.placement.registerUntil(rig.node, it -> gpus(it).size() == 4);
            assertThat(hardware(with).drivers()).extracting(GpuDriver::problem).containsNull();
            assertWatched(rig, driver);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetUUID"})
    void a_gpu_that_does_not_answer_when_the_agent_starts_comes_when_it_does(String silent)
            throws Exception {
        NvmlStub driver = driver(Topologies.l40s() + "fail " + silent + " 15 2\n");
        try (var rig = rig(driver)) {
            NodeSeen without = rig.placement.register(rig.node);
            assertThat(gpus(without)).containsExactly("GPU-0", "GPU-1", "GPU-3");
            assertThat(hardware(without).outOfService()).hasSize(1);

            driver.tell(Topologies.l40s());

            NodeSeen with = rig.placement.registerUntil(rig.node, it -> gpus(it).size() == 4);
            assertThat(hardware(with).outOfService()).isEmpty();
            assertWatched(rig, driver);
        }
    }

    @Test
    void a_gpu_whose_fabric_is_completed_after_the_agent_has_started_comes_then() throws Exception {
        NvmlStub driver = driver(Topologies.nvl72Tray() + "gpu 2 fabricstate=2\n");
        try (var rig = rig(driver)) {
            NodeSeen without = rig.placement.register(rig.node);
            assertThat(gpus(without)).containsExactly("GPU-0", "GPU-1", "GPU-3");
            assertThat(hardware(without).outOfService())
                    .extracting(OutOfService::reason)
                    .singleElement()
                    .asString()
                    .startsWith("its NVLink fabric is not complete");

            driver.tell(Topologies.nvl72Tray());

            NodeSeen with = rig.placement.registerUntil(rig.node, it -> gpus(it).size() == 4);
            assertThat(with.inventory().fabric()).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nvmlInit_v2", "nvmlDeviceGetUUID 2"})
    void a_driver_that_hangs_when_the_agent_starts_brings_its_gpus_when_it_answers(String hangs)
            throws Exception {
        NvmlStub driver = driver(Topologies.l40s() + "hang " + hangs + "\n");
        try (var rig = rig(driver, "PT0.1S")) {
            NodeSeen without = rig.placement.register(rig.node);
            assertThat(gpus(without)).isEmpty();
            assertThat(hardware(without).drivers())
                    .extracting(GpuDriver::problem)
                    .containsExactly("it has not answered for 100 ms, as one does whose GPU hangs");

            driver.tell(Topologies.l40s());

            NodeSeen with = rig.placement.registerUntil(rig.node, it -> gpus(it).size() == 4);
            assertThat(hardware(with).drivers()).extracting(GpuDriver::problem).containsNull();
            assertWatched(rig, driver);
        }
    }

    @Test
    void a_driver_that_hangs_when_the_gpus_are_to_be_watched_holds_up_no_registration()
            throws Exception {
        NvmlStub driver = driver(Topologies.l40s() + "hang nvmlEventSetCreate\n");
        try (var rig = rig(driver, "PT1S")) {
            assertThat(gpus(rig.placement.register(rig.node))).hasSize(4);

            driver.tell(Topologies.l40s());

            assertWatched(rig, driver);
        }
    }

    @Test
    void nothing_is_told_while_nothing_is_better() throws Exception {
        NvmlStub driver = driver(Topologies.l40s() + "fail nvmlDeviceGetUUID 15 2\n");
        try (var rig = rig(driver)) {
            rig.placement.register(rig.node);

            rig.placement.awaitHeartbeat(rig.node, it -> it.gpus().size() == 3);
            // Several times the patience of tests.
            Thread.sleep(1500);

            assertThat(rig.placement.registrations(rig.node)).hasSize(1);
        }
    }
}
