package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.host.SystemFiles;
import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gpu;
import io.berth.contracts.HeldRun;
import io.berth.contracts.JobSpec;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// An agent divides a GPU in MIG mode when it is ordered to, and runs start on what comes of it.
/// The host's GPU-1 is split into a half and two sevenths.
class PartitionTest {

    private static final MigPlacement FOUR = new MigPlacement("4g.20gb", 0, 4);
    private static final MigPlacement THREE = new MigPlacement("3g.20gb", 4, 4);

    @TempDir Path folder;
    NvmlStub driver;
    SystemFiles machine;
    AgentRig rig;
    HandPlacement placement;
    boolean over;

    @BeforeEach
    void start() throws Exception {
        driver =
                NvmlStub.in(
                        Files.createDirectories(folder.resolve("driver")), Topologies.splitA100());
        Path home = Files.createDirectories(folder.resolve("home"));
        Path test = home.resolve("test-gpu");
        Files.writeString(test, "#!/bin/sh\n[ ! -e %s/broken ]\n".formatted(folder));
        Files.setPosixFilePermissions(test, PosixFilePermissions.fromString("rwx------"));
        machine = machine(folder.resolve("machine"));
        var config = TestConfig.found(home, AgentRig.newNode(), driver.library());
        rig = new AgentRig(folder, config, machine);
        placement = rig.placement;
    }

    /// This machine as its kernel tells of it, and of what opens the instances of its GPUs.
    private static SystemFiles machine(Path root) throws IOException {
        Path minors = root.resolve("proc/driver/nvidia-caps/mig-minors");
        Files.createDirectories(minors.getParent());
        Files.writeString(minors, Topologies.migMinors());
        for (String there : List.of("proc/self", "proc/meminfo", "proc/sys", "sys", "etc", "tmp")) {
            Files.createSymbolicLink(root.resolve(there), Path.of("/", there));
        }
        return new SystemFiles(root);
    }

    @AfterEach
    void stop() throws Exception {
        if (rig != null && !over) {
            rig.close();
        }
    }

    private RunId launch(String gpu, String body) {
        RunId run = HandPlacement.newRun();
        placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, body), 64, gpu);
        return run;
    }

    private static MigGpu split(NodeSeen seen) {
        return seen.inventory().migGpu("GPU-1").orElseThrow();
    }

    private static List<String> gpus(NodeSeen seen) {
        return seen.inventory().gpus().stream().map(Gpu::uuid).toList();
    }

    @Test
    void it_registers_with_what_came_of_it_and_runs_get_the_new_instances_alone() throws Exception {
        assertThat(split(placement.register(rig.node)).instances()).hasSize(3);

        placement.partition(rig.node, "GPU-1", FOUR, THREE);

        NodeSeen divided = placement.registerAll(rig.node);
        assertThat(split(divided).instances()).containsExactly(FOUR, THREE);
        assertThat(split(divided).failure()).isNull();
        String instance = "MIG-1-3g.20gb-4";
        assertThat(gpus(divided)).containsExactlyInAnyOrder("GPU-0", instance, "MIG-1-4g.20gb-0");
        RunId run = launch(instance, "echo $CUDA_VISIBLE_DEVICES");
        Started started = placement.await(Started.class, run);
        placement.await(Ended.class, run);
        assertThat(rig.output(run)).isEqualTo(instance + "\n");
        assertThat(started.isolation()).isEqualTo(divided.inventory().isolation());
        RunId late = launch("MIG-bbbb", "echo never");
        Ended refused = placement.await(Ended.class, late);
        assertThat(refused.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(Objects.requireNonNull(refused.message()))
                .contains("has not all of the GPUs [MIG-bbbb]");
    }

    @Test
    void a_gpu_with_a_run_on_it_is_left_as_it_is() {
        placement.register(rig.node);
        RunId run = launch("MIG-bbbb", "exec sleep 60");
        placement.await(Started.class, run);

        placement.partition(rig.node, "GPU-1", FOUR, THREE);

        NodeSeen after = placement.registerAll(rig.node);
        assertThat(split(after).failure()).isEqualTo("a run holds an instance of it");
        assertThat(gpus(after)).containsExactly("GPU-0", "MIG-aaaa", "MIG-bbbb", "MIG-cccc");
        assertThat(after.runs()).singleElement().extracting("run").isEqualTo(run);
    }

    @Test
    void a_fault_of_the_program_on_one_instance_is_not_told_of_the_runs_on_others()
            throws Exception {
        placement.register(rig.node);
        String body = "while [ ! -e over ]; do sleep 0.05; done; exit 3";
        RunId hit = launch("MIG-bbbb", body);
        RunId spared = launch("MIG-cccc", body);
        placement.await(Started.class, hit);
        placement.await(Started.class, spared);

        driver.add("xid 1 31 9 0");

        Path spool = rig.config.home().resolve("nodes").resolve(rig.node).resolve("runs");
        await().until(() -> Files.exists(spool.resolve(hit + "/gpu-fault")));
        Files.writeString(rig.work.resolve("over"), "");
        assertThat(placement.await(Ended.class, hit).message())
                .isEqualTo("GPU MIG-bbbb failed: XID 31, memory page fault");
        assertThat(placement.await(Ended.class, spared).message()).isNull();
    }

    @Test
    void it_registers_when_all_gpus_that_were_ordered_are_done() {
        placement.register(rig.node);
        RunId run = HandPlacement.newRun();
        JobSpec spec = Jobs.script(run.job(), rig.work, "exec sleep 60");
        placement.launch(rig.node, run, spec, 64, "GPU-0", "MIG-bbbb");
        placement.await(Started.class, run);

        placement.partition(rig.node, "GPU-0", FOUR, THREE);
        placement.partition(rig.node, "GPU-1", FOUR, THREE);

        NodeSeen after = placement.registerAll(rig.node);
        assertThat(split(after).failure()).isEqualTo("a run holds an instance of it");
        assertThat(split(after).instances()).hasSize(3);
    }

    @Test
    void a_failure_is_told_once_and_the_next_agent_tells_what_is() throws Exception {
        placement.register(rig.node);
        driver.add("fail nvmlGpuInstanceCreateComputeInstance 20");
        placement.partition(rig.node, "GPU-1", FOUR, THREE);
        NodeSeen failed = placement.registerAll(rig.node);
        assertThat(split(failed).failure())
                .isEqualTo("nvmlGpuInstanceCreateComputeInstance: not enough memory");
        assertThat(split(failed).instances()).isEmpty();
        assertThat(gpus(failed)).containsExactly("GPU-0");
        rig.close();
        over = true;
        driver.add("fail nvmlGpuInstanceCreateComputeInstance 0");

        try (var next = AgentRig.start(machine, rig.config, TestBroker.shared())) {
            NodeSeen seen = placement.register(rig.node);

            assertThat(next.agents()).hasSize(1);
            assertThat(split(seen).instances()).isEmpty();
            assertThat(split(seen).failure()).isNull();
            placement.partition(rig.node, "GPU-1", THREE);
            assertThat(split(placement.registerAll(rig.node)).instances()).containsExactly(THREE);
        }
    }

    /// It waits for the run to go.
    @Test
    void where_an_agent_is_killed_as_it_divides_a_gpu_the_next_one_tells_what_is()
            throws Exception {
        placement.register(rig.node);
        rig.close();
        over = true;
        Process child =
                AgentChild.start(machine, rig.config, folder.resolve("child.log"), List.of());
        RunId run;
        try {
            placement.registerAll(rig.node);
            run = launch("MIG-bbbb", "until [ -e end ]; do sleep 0.05; done; exit 3");
            placement.await(Started.class, run);
            placement.partition(rig.node, "GPU-1", FOUR, THREE);
            driver.add("xid 0 79");
            NodeSeen meanwhile = placement.registerAll(rig.node);
            assertThat(split(meanwhile).dividing()).isTrue();
        } finally {
            child.destroyForcibly().waitFor();
        }

        try (var next = AgentRig.start(machine, rig.config, TestBroker.shared())) {
            NodeSeen seen = placement.registerAll(rig.node);
            assertThat(next.agents()).hasSize(1);
            assertThat(split(seen).dividing()).isNull();
            assertThat(split(seen).failure()).isNull();
            assertThat(split(seen).instances()).hasSize(3);
            assertThat(seen.runs()).containsExactly(new HeldRun(run, HeldRun.Phase.RUNNING));
            Files.createFile(rig.work.resolve("end"));
            Ended ended = placement.awaitRegistering(rig.node, Ended.class, run);
            assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
        }
    }

    /// What each step of a division leaves to the one that follows, which does not come. GPU-1 is
    /// made empty first, instance by instance; then a four is made and a three.
    enum Step {
        /// Of its first instance, what computes is destroyed.
        COMPUTE_DESTROYED("nvmlGpuInstanceDestroy", "GPU-0 MIG-aaaa MIG-cccc"),
        /// It is split into nothing.
        ALL_DESTROYED("nvmlDeviceCreateGpuInstanceWithPlacement", "GPU-0"),
        /// It has a four that cannot compute.
        HALF_CREATED("nvmlGpuInstanceCreateComputeInstance", "GPU-0"),
        /// It has a four, and no three.
        ONE_CREATED("nvmlDeviceCreateGpuInstanceWithPlacement", "GPU-0 MIG-1-4g.20gb-0");

        final String next;
        final String gpus;

        /// @param next the driver's function that is not called any more
        /// @param gpus that there are then
        Step(String next, String gpus) {
            this.next = next;
            this.gpus = gpus;
        }
    }

    /// Has the driver hang before the step after that one.
    private void hangAfter(Step step) throws IOException {
        driver.add("hang " + (step == Step.ONE_CREATED ? Step.HALF_CREATED : step).next);
    }

    private void awaitDone(Step step) throws IOException {
        if (step == Step.ONE_CREATED) {
            awaitDone(Step.HALF_CREATED);
            driver.replace("hang " + Step.HALF_CREATED.next, "hang " + step.next);
        }
        String written =
                switch (step) {
                    case COMPUTE_DESTROYED -> "mig 1 1 gi=2 ci=0 mem=4864 start=0 ";
                    case ALL_DESTROYED -> "gone 1 0\n";
                    case HALF_CREATED -> "start=0  name=NVIDIA A100-SXM4-40GB MIG 4g.20gb";
                    case ONE_CREATED -> "uuid=MIG-1-4g.20gb-0";
                };
        await().atMost(Duration.ofSeconds(60)).until(() -> driver.topology().contains(written));
    }

    @ParameterizedTest
    @EnumSource
    void where_an_agent_is_killed_in_a_division_the_next_one_tells_what_is_and_divides_it_anew(
            Step step) throws Exception {
        placement.register(rig.node);
        rig.close();
        over = true;
        Process child =
                AgentChild.start(machine, rig.config, folder.resolve("child.log"), List.of());
        try {
            placement.registerAll(rig.node);
            hangAfter(step);
            placement.partition(rig.node, "GPU-1", FOUR, THREE);
            awaitDone(step);
        } finally {
            child.destroyForcibly().waitFor();
        }
        driver.replace("hang " + step.next, "");
        long killedIn = placement.epoch(rig.node);
        String left = driver.topology();

        try (var next = AgentRig.start(machine, rig.config, TestBroker.shared())) {
            NodeSeen seen = placement.registerAll(rig.node);
            assertThat(split(seen).dividing()).isNull();
            assertThat(split(seen).failure()).isNull();
            assertThat(gpus(seen)).containsExactlyInAnyOrder(step.gpus.split(" "));

            var again = List.of(FOUR, THREE);
            placement.write(
                    new Order.Partition(new NodeName(rig.node), killedIn, 1, "GPU-1", again));
            placement.go(rig.node, HandPlacement.newRun());
            awaitHeartbeat(it -> it.applied() == 1);
            assertThat(next.agents().getFirst().node().inventory().migGpu("GPU-1"))
                    .contains(split(seen));
            assertThat(driver.topology()).isEqualTo(left);

            placement.partition(rig.node, "GPU-1", FOUR, THREE);
            NodeSeen divided = placement.registerAll(rig.node);
            assertThat(split(divided).instances()).containsExactly(FOUR, THREE);
            RunId run = launch("MIG-1-3g.20gb-4", "echo $CUDA_VISIBLE_DEVICES");
            assertThat(placement.await(Ended.class, run).exit()).isEqualTo(ExitStatus.SUCCESS);
        }
    }

    /// Somebody else may use the GPU meanwhile.
    @ParameterizedTest
    @CsvSource({
        "nvmlComputeInstanceDestroy, 19, in use, GPU-0 MIG-aaaa MIG-bbbb MIG-cccc",
        "nvmlGpuInstanceDestroy, 19, in use, GPU-0 MIG-aaaa MIG-cccc",
        "nvmlDeviceCreateGpuInstanceWithPlacement, 19, in use, GPU-0",
        "nvmlDeviceCreateGpuInstanceWithPlacement, 23, not enough room, GPU-0",
        "nvmlGpuInstanceCreateComputeInstance, 20, not enough memory, GPU-0"
    })
    void what_the_driver_refuses_is_told_with_what_is_left_and_the_next_order_finds_it_well(
            String function, int code, String word, String left) throws Exception {
        placement.register(rig.node);
        driver.add("fail %s %d".formatted(function, code));

        placement.partition(rig.node, "GPU-1", FOUR, THREE);

        NodeSeen failed = placement.registerAll(rig.node);
        assertThat(split(failed).failure()).isEqualTo(function + ": " + word);
        assertThat(gpus(failed)).containsExactlyInAnyOrder(left.split(" "));
        driver.add("fail %s 0".formatted(function));
        placement.partition(rig.node, "GPU-1", FOUR, THREE);
        NodeSeen divided = placement.registerAll(rig.node);
        assertThat(split(divided).failure()).isNull();
        assertThat(split(divided).instances()).containsExactly(FOUR, THREE);
        RunId run = launch("MIG-1-4g.20gb-0", "exit 0");
        assertThat(placement.await(Ended.class, run).exit()).isEqualTo(ExitStatus.SUCCESS);
    }

    @Test
    void a_gpu_that_is_lost_while_another_is_divided_is_there_again_when_it_is_back()
            throws Exception {
        placement.register(rig.node);
        driver.add("fail nvmlDeviceGetMemoryInfo 15 0");
        placement.registerUntil(rig.node, it -> !gpus(it).contains("GPU-0"));
        placement.partition(rig.node, "GPU-1", FOUR, THREE);
        NodeSeen divided =
                placement.registerUntil(rig.node, it -> split(it).instances().size() == 2);
        assertThat(gpus(divided)).doesNotContain("GPU-0");

        driver.add("fail nvmlDeviceGetMemoryInfo 0 0");

        NodeSeen back = placement.registerUntil(rig.node, it -> gpus(it).contains("GPU-0"));
        assertThat(split(back).instances()).containsExactly(FOUR, THREE);
    }

    @Test
    void a_gpu_without_instances_that_is_back_is_told_of_once() throws Exception {
        placement.register(rig.node);
        placement.partition(rig.node, "GPU-1");
        NodeSeen empty = placement.registerUntil(rig.node, it -> split(it).dividing() == null);
        assertThat(split(empty).instances()).isEmpty();
        Path broken = Files.createFile(folder.resolve("broken"));
        driver.add("xid 1 79");
        placement.registerUntil(rig.node, it -> it.inventory().migGpu("GPU-1").isEmpty());
        Files.delete(broken);
        placement.registerUntil(rig.node, it -> it.inventory().migGpu("GPU-1").isPresent());

        for (int celsius : List.of(41, 42, 43)) {
            driver.add("gpu 0 temp=" + celsius);
            awaitHeartbeat(it ->
                    it.gpus().stream().anyMatch(gpu -> Objects.equals(gpu.celsius(), celsius)));
        }

        // With each order the agent looks whether it should register, and then obeys none.
        for (long applied : List.of(1L, 2L, 3L)) {
            placement.go(rig.node, HandPlacement.newRun());
            awaitHeartbeat(it -> it.applied() == applied);
        }
    }

    /// In the epoch that is now.
    private void awaitHeartbeat(Predicate<Heartbeat> condition) {
        long epoch = placement.epoch(rig.node);
        placement.awaitHeartbeat(rig.node, it -> it.epoch() == epoch && condition.test(it));
    }

    @Test
    void a_registration_while_a_gpu_is_divided_says_so() throws Exception {
        placement.register(rig.node);
        RunId run = launch("MIG-bbbb", "exec sleep 60");
        placement.await(Started.class, run);
        placement.partition(rig.node, "GPU-1", FOUR, THREE);

        driver.add("xid 0 79");

        NodeSeen meanwhile = placement.registerAll(rig.node);
        assertThat(split(meanwhile).dividing()).isTrue();
        assertThat(gpus(meanwhile)).noneMatch(gpu -> gpu.startsWith("MIG-"));
        NodeSeen after = placement.registerUntil(rig.node, it -> split(it).dividing() == null);
        assertThat(split(after).failure()).isEqualTo("a run holds an instance of it");
    }
}
