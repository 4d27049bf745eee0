package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.amd.AmdMachine;
import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent of a machine with four of NVIDIA's GPUs and two of AMD's.
class BothVendorsTest {

    @TempDir Path folder;
    NvmlStub driver;
    AmdMachine machine;
    AgentRig rig;

    @BeforeEach
    void start() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        Path test = home.resolve("test-gpu");
        Files.writeString(test, "#!/bin/sh\n[ -e %s/repaired ]\n".formatted(folder));
        Files.setPosixFilePermissions(test, PosixFilePermissions.fromString("rwx------"));
        driver = NvmlStub.in(Files.createDirectories(folder.resolve("driver")), Topologies.l40s());
        machine = AmdMachine.onThisHost(folder.resolve("machine")).mi300x(0).mi300x(1);
        var config = TestConfig.found(home, AgentRig.newNode(), driver.library());
        rig = new AgentRig(folder, config, machine.files());
    }

    @AfterEach
    void stop() throws Exception {
        if (rig != null) {
            rig.close();
        }
    }

    private static List<String> gpus(NodeSeen seen) {
        return seen.inventory().gpus().stream().map(Gpu::uuid).toList();
    }

    private static List<String> aside(NodeSeen seen) {
        return Objects.requireNonNull(seen.inventory().hardware()).outOfService().stream()
                .map(OutOfService::uuid)
                .toList();
    }

    private Heartbeat heartbeat(int gpus) {
        return rig.placement.awaitHeartbeat(rig.node, it -> it.gpus().size() == gpus);
    }

    @Test
    void their_samples_are_told_by_index() throws Exception {
        NodeSeen seen = rig.placement.register(rig.node);
        assertThat(seen.inventory().gpus())
                .extracting(Gpu::index)
                .containsExactlyElementsOf(IntStream.range(0, 6).boxed().toList());

        Heartbeat heartbeat = heartbeat(6);

        assertThat(heartbeat.gpus())
                .extracting(GpuSample::uuid)
                .containsExactlyElementsOf(gpus(seen));
        assertThat(new AgentMetrics().text(rig.process.agents()).lines())
                .anyMatch(it ->
                        it.matches(
                                "berth_gpu_power_milliwatts.*gpu=\"4\".*uuid=\"%s\".* 750000\\.0"
                                        .formatted(AmdMachine.uuid(0))))
                .anyMatch(it -> it.matches("berth_gpu_ecc_corrected.*uuid=\"GPU-0\".* [0-9]+\\.0"));
    }

    @Test
    void each_fails_and_comes_back_for_itself() throws Exception {
        rig.placement.register(rig.node);
        heartbeat(6);

        machine.errors(1, "umc", 1, 0);
        rig.placement.registerUntil(rig.node, it -> aside(it).equals(List.of(AmdMachine.uuid(1))));
        driver.add("xid 2 79");

        NodeSeen both = rig.placement.registerUntil(rig.node, it -> aside(it).size() == 2);
        assertThat(aside(both)).containsExactlyInAnyOrder("GPU-2", AmdMachine.uuid(1));
        Files.writeString(folder.resolve("repaired"), "");
        NodeSeen back = rig.placement.registerUntil(rig.node, it -> gpus(it).size() == 6);
        assertThat(aside(back)).isEmpty();
    }
}
