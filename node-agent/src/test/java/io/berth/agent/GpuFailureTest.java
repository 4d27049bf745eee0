package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuConsumption;
import io.berth.contracts.Gres;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.IndexSet;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
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

/// What an agent does when a GPU of its machine fails under a run, or a device file is gone.
class GpuFailureTest {

    @TempDir Path folder;
    Path card;
    NvmlStub driver;
    AgentRig rig;
    HandPlacement placement;

    @BeforeEach
    void start() throws Exception {
        driver = NvmlStub.in(Files.createDirectories(folder.resolve("driver")), Topologies.l40s());
        driver.add("gpu 1 use=50");
        Path test = Files.createDirectories(folder.resolve("home")).resolve("test-gpu");
        Files.writeString(test, "#!/bin/sh\n[ -e %s/repaired ]\n".formatted(folder));
        Files.setPosixFilePermissions(test, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(folder.resolve("home/low-gpu-use-after"), "PT1S");
        card = folder.resolve("card");
        Files.writeString(
                folder.resolve("home/gres.conf"),
                "Name=gpu Type=ada File=/dev/nvidia[0-3]\n"
                        + (makeCard()
                                ? "Name=card File=%s\nName=nic Count=2\n".formatted(card)
                                : ""));
        var config = TestConfig.found(folder.resolve("home"), AgentRig.newNode(), driver.library());
        rig = new AgentRig(folder, config);
        placement = rig.placement;
    }

    private boolean makeCard() throws Exception {
        return new ProcessBuilder("mknod", card.toString(), "c", "1", "3").start().waitFor() == 0;
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

    private static List<String> gpus(NodeSeen seen) {
        return seen.inventory().gpus().stream().map(Gpu::uuid).toList();
    }

    private static List<String> aside(NodeSeen seen) {
        return Objects.requireNonNull(seen.inventory().hardware()).outOfService().stream()
                .map(OutOfService::uuid)
                .toList();
    }

    @Test
    void a_fatal_error_ends_the_runs_on_that_gpu_alone_and_takes_it_out_until_it_passes()
            throws Exception {
        placement.register(rig.node);
        RunId hit = running("GPU-1", "exec sleep 60");
        RunId spared = running("GPU-2", "exec sleep 60");

        driver.add("xid 1 79");

        NodeSeen without = placement.registerAll(rig.node);
        assertThat(gpus(without)).containsExactly("GPU-0", "GPU-2", "GPU-3");
        assertThat(aside(without)).containsExactly("GPU-1");
        Ended ended = placement.awaitRegistering(rig.node, Ended.class, hit);
        assertThat(ended.cause()).isEqualTo(Cause.GPU_FAILED);
        assertThat(ended.message())
                .isEqualTo("GPU GPU-1 failed: XID 79, the GPU has fallen off the bus");
        Files.writeString(folder.resolve("repaired"), "");
        NodeSeen with = placement.registerUntil(rig.node, it -> gpus(it).size() == 4);
        assertThat(with.runs()).singleElement().extracting("run").isEqualTo(spared);
        assertThat(with.inventory().gpus()).extracting(Gpu::type).containsOnly("ada");
    }

    @Test
    void a_programs_own_fault_is_told_with_its_exit_status() throws Exception {
        placement.register(rig.node);
        Path failed = rig.work.resolve("failed");
        RunId run = running("GPU-3", "while [ ! -e failed ]; do sleep 0.05; done; exit 3");

        driver.add("xid 3 31");

        Path fault = spool().resolve(run + "/gpu-fault");
        await().until(() -> Files.exists(fault));
        Files.writeString(failed, "");
        Ended ended = placement.await(Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).hasToString("3:0");
        assertThat(ended.message()).isEqualTo("GPU GPU-3 failed: XID 31, memory page fault");
    }

    @Test
    void what_follows_from_a_fatal_failure_does_not_hide_it() throws Exception {
        placement.register(rig.node);
        RunId run =
                running(
                        "GPU-1",
                        "trap '' TERM; : >begun; while [ ! -e over ]; do sleep 0.05; done; exit 1");
        Path fault = spool().resolve(run + "/gpu-fault");
        await().until(() -> Files.exists(rig.work.resolve("begun")));

        driver.add("xid 1 79");
        await().until(() -> Files.exists(fault));
        driver.add("xid 1 45");
        driver.add("xid 1 31");
        placement.registerAll(rig.node);
        Files.writeString(rig.work.resolve("over"), "");

        Ended ended = placement.awaitRegistering(rig.node, Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.GPU_FAILED);
        assertThat(ended.message())
                .isEqualTo("GPU GPU-1 failed: XID 79, the GPU has fallen off the bus");
    }

    @Test
    void a_device_file_that_is_gone_sends_its_run_elsewhere_and_is_given_out_when_it_is_back()
            throws Exception {
        assumeThat(card).as("a device file that only root can make").exists();
        var nic = new Gres("nic", null, 2);
        var held = new Gres("card", null, 1, List.of(card.toString()));
        NodeSeen before = placement.register(rig.node);
        assertThat(before.inventory().gres()).containsExactly(held, nic);
        Files.delete(card);

        RunId run = HandPlacement.newRun();
        placement.launch(
                rig.node,
                run,
                placement.writeSpec(Jobs.script(run.job(), rig.work, "touch ran")),
                LaunchMode.BATCH,
                false,
                List.of(
                        new Allocation(
                                new NodeName(rig.node),
                                0,
                                1,
                                IndexSet.firstN(1),
                                64,
                                List.of(),
                                null,
                                List.of(held))),
                0);

        NodeSeen after = placement.registerAll(rig.node);
        assertThat(after.inventory().gres()).containsExactly(nic);
        Ended ended = placement.awaitRegistering(rig.node, Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.GPU_FAILED);
        assertThat(ended.message())
                .isEqualTo("device file %s of node %s is gone".formatted(card, rig.node));
        RunId other = running("GPU-1", "exec sleep 60");
        assertThat(placement.await(Started.class, other)).isNotNull();
        assertThat(rig.work.resolve("ran")).doesNotExist();

        makeCard();

        NodeSeen back = placement.registerAll(rig.node);
        assertThat(back.inventory().gres()).containsExactly(held, nic);
        assertThat(gpus(back)).hasSize(4);
    }

    private Path spool() {
        return rig.config.home().resolve("nodes").resolve(rig.node).resolve("runs");
    }

    @Test
    void the_end_of_a_run_tells_what_its_gpu_did_while_it_held_it() throws Exception {
        driver.add("gpu 2 use=80 used=3000 mj=5000000");
        placement.register(rig.node);
        RunId run = running("GPU-2", "while [ ! -e done ]; do sleep 0.05; done");
        await().until(() -> Files.exists(spool().resolve(run + "/gpu-energy")));

        driver.add("gpu 2 used=9000 mj=5250000");
        placement.awaitHeartbeat(
                rig.node,
                it ->
                        it.gpus().stream()
                                .anyMatch(gpu -> Objects.equals(gpu.millijoules(), 5_250_000L)));
        Files.writeString(rig.work.resolve("done"), "");

        Ended ended = placement.await(Ended.class, run);
        assertThat(ended.usage().gpu()).isEqualTo(new GpuConsumption(1, 80, 9000L, 250_000L));
    }

    @Test
    void what_the_gpus_do_is_in_heartbeats_and_metrics() throws Exception {
        driver.add("gpu 2 use=97 temp=61 mw=312500");
        placement.register(rig.node);

        Heartbeat heartbeat =
                placement.awaitHeartbeat(
                        rig.node,
                        it ->
                                it.gpus().stream()
                                        .anyMatch(gpu -> Objects.equals(gpu.celsius(), 61)));

        assertThat(heartbeat.gpus()).hasSize(4);
        assertThat(new AgentMetrics().text(rig.process.agents()).lines())
                .anyMatch(
                        it -> it.matches("berth_gpu_power_milliwatts.*uuid=\"GPU-2\".* 312500\\.0"))
                .anyMatch(it -> it.matches("berth_gpu_ecc_corrected.*uuid=\"GPU-0\".* [0-9]+\\.0"));
    }

    @Test
    void a_run_that_hardly_uses_its_gpu_is_told_of_until_it_does() throws Exception {
        driver.add("gpu 2 use=3");
        placement.register(rig.node);
        RunId idle = running("GPU-2", "exec sleep 60");
        RunId busy = running("GPU-1", "exec sleep 60");

        GpusUnderused low = placement.await(GpusUnderused.class, idle);
        driver.add("gpu 2 use=90");
        placement.await(GpusUsedAgain.class, idle);

        assertThat(low.percent()).isEqualTo(3);
        assertThat(placement.reports(busy)).noneMatch(GpusUnderused.class::isInstance);
    }
}
