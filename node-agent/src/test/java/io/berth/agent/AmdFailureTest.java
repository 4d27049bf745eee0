package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.amd.AmdMachine;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuConsumption;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.GpusUnderused;
import io.berth.contracts.event.RunReport.GpusUsedAgain;
import io.berth.contracts.event.RunReport.Started;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an agent tells of the AMD GPUs of its machine, and does when one fails under a run.
class AmdFailureTest {

    private static final String FIRST = AmdMachine.uuid(0);
    private static final String SECOND = AmdMachine.uuid(1);

    @TempDir Path folder;
    AmdMachine machine;
    AgentRig rig;
    HandPlacement placement;

    @BeforeEach
    void start() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        Path test = home.resolve("test-gpu");
        Files.writeString(test, "#!/bin/sh\n[ -e %s/repaired ]\n".formatted(folder));
        Files.setPosixFilePermissions(test, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(home.resolve("low-gpu-use-after"), "PT1S");
        machine = AmdMachine.onThisHost(folder.resolve("machine"));
        for (int gpu = 0; gpu < 8; gpu++) {
            machine.mi300x(gpu);
        }
        var config = TestConfig.found(home, AgentRig.newNode(), folder + "/no-such-library");
        rig = new AgentRig(folder, config, machine.files());
        placement = rig.placement;
    }

    @AfterEach
    void stop() throws Exception {
        if (rig != null) {
            rig.close();
        }
    }

    private RunId running(String gpu, String body) {
        RunId run = HandPlacement.newRun();
        placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, body), 64, gpu);
        placement.await(Started.class, run);
        return run;
    }

    private Heartbeat heartbeat(int gpus) {
        return placement.awaitHeartbeat(rig.node, it -> it.gpus().size() == gpus);
    }

    private static List<String> gpus(NodeSeen seen) {
        return seen.inventory().gpus().stream().map(Gpu::uuid).toList();
    }

    private static List<String> aside(NodeSeen seen) {
        return Objects.requireNonNull(seen.inventory().hardware()).outOfService().stream()
                .map(OutOfService::uuid)
                .toList();
    }

    @Test
    void an_uncorrectable_error_ends_the_runs_on_that_gpu_alone_and_takes_it_out_until_it_passes()
            throws Exception {
        placement.register(rig.node);
        RunId hit = running(SECOND, "exec sleep 60");
        RunId spared = running(FIRST, "exec sleep 60");
        heartbeat(8);

        machine.errors(1, "umc", 1, 0);

        NodeSeen without = placement.registerAll(rig.node);
        assertThat(gpus(without)).hasSize(7).doesNotContain(SECOND);
        assertThat(aside(without)).containsExactly(SECOND);
        Ended ended = placement.awaitRegistering(rig.node, Ended.class, hit);
        assertThat(ended.cause()).isEqualTo(Cause.GPU_FAILED);
        assertThat(ended.message())
                .isEqualTo("GPU %s failed: 1 uncorrectable error in umc".formatted(SECOND));
        Files.writeString(folder.resolve("repaired"), "");
        NodeSeen with = placement.registerUntil(rig.node, it -> gpus(it).size() == 8);
        assertThat(with.runs()).singleElement().extracting("run").isEqualTo(spared);
    }

    @Test
    void one_that_vanishes_takes_its_run_and_no_other_and_comes_back() throws Exception {
        placement.register(rig.node);
        RunId hit = running(SECOND, "exec sleep 60");
        heartbeat(8);

        machine.vanish(1);

        Ended ended = placement.awaitRegistering(rig.node, Ended.class, hit);
        assertThat(ended.cause()).isEqualTo(Cause.GPU_FAILED);
        assertThat(ended.message()).endsWith(" is gone");
        machine.mi300x(1);
        Files.writeString(folder.resolve("repaired"), "");
        NodeSeen with = placement.registerUntil(rig.node, it -> gpus(it).size() == 8);
        assertThat(aside(with)).isEmpty();
    }

    @Test
    void a_reset_is_told_with_the_exit_status_of_a_run_that_failed() throws Exception {
        placement.register(rig.node);
        RunId run = running(SECOND, "while [ ! -e failed ]; do sleep 0.05; done; exit 3");
        heartbeat(8);

        machine.dump(1, 1);

        Path runs = rig.config.home().resolve("nodes").resolve(rig.node).resolve("runs");
        await().until(() -> Files.exists(runs.resolve(run + "/gpu-fault")));
        Files.writeString(rig.work.resolve("failed"), "");
        Ended ended = placement.await(Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).hasToString("3:0");
        assertThat(ended.message())
                .isEqualTo("GPU %s failed: reset by its driver".formatted(SECOND));
    }

    @Test
    void the_end_of_a_run_tells_what_its_gpu_did_while_it_held_it() throws Exception {
        placement.register(rig.node);
        RunId run = running(SECOND, "while [ ! -e done ]; do sleep 0.05; done");
        Path runs = rig.config.home().resolve("nodes").resolve(rig.node).resolve("runs");
        await().until(() -> Files.exists(runs.resolve(run + "/gpu-energy")));

        machine.energy(1, 9_250_000);
        placement.awaitHeartbeat(
                rig.node,
                it ->
                        it.gpus().stream()
                                .anyMatch(gpu -> Objects.equals(gpu.millijoules(), 9_250_000L)));
        Files.writeString(rig.work.resolve("done"), "");

        Ended ended = placement.await(Ended.class, run);
        assertThat(ended.usage().gpu()).isEqualTo(new GpuConsumption(1, 97, 39_000L, 250_000L));
    }

    @Test
    void a_run_that_hardly_uses_its_gpu_is_told_of_until_it_does() throws Exception {
        machine.device(1, "gpu_busy_percent", "3\n");
        placement.register(rig.node);
        RunId idle = running(SECOND, "exec sleep 60");
        RunId busy = running(FIRST, "exec sleep 60");

        GpusUnderused low = placement.await(GpusUnderused.class, idle);
        machine.device(1, "gpu_busy_percent", "90\n");
        placement.await(GpusUsedAgain.class, idle);

        assertThat(low.percent()).isEqualTo(3);
        assertThat(placement.reports(busy)).noneMatch(GpusUnderused.class::isInstance);
    }
}
