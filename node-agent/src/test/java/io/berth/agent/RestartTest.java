package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.group.ApartGroup;
import io.berth.agent.host.StartRefused;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Isolation;
import io.berth.contracts.RunId;
import io.berth.contracts.Step;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Ready;
import io.berth.contracts.event.RunReport.Started;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Agents and brokers come and go; runs go on.
class RestartTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir Path folder;
    final HandPlacement placement = TestBroker.placement();

    /// An agent that is killed leaves the group of its shims, which the next one uses.
    @AfterAll
    static void removeGroups() throws IOException {
        ApartGroup.make(TestConfig.PARENT).remove(Duration.ofSeconds(5));
    }

    @Test
    void runs_outlive_a_killed_agent_and_are_adopted_by_the_next() throws Exception {
        Path work = Files.createDirectories(folder.resolve("work"));
        String node = "restarted1";
        TestConfig config = TestConfig.host(folder.resolve("home"), node);
        Process child = AgentChild.start(config, folder.resolve("child.log"), List.of());
        placement.register(node);
        RunId ending = HandPlacement.newRun();
        RunId running = HandPlacement.newRun();
        String untilTold = "while [ ! -e %s ]; do sleep 0.05; done; echo end; exit %d";
        placement.launch(
                node, ending, Jobs.script(ending.job(), work, untilTold.formatted("first", 5)), 64);
        placement.launch(
                node,
                running,
                Jobs.script(
                        running.job(),
                        work,
                        "srun -O -n2 sh -c ': >begun; %s'"
                                .formatted(untilTold.formatted("second", 6))),
                64);
        placement.await(Started.class, ending);
        placement.await(Started.class, running);
        await().until(() -> Files.exists(work.resolve("begun")));

        child.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        Files.createFile(work.resolve("first"));
        Path spool = config.home().resolve("nodes/" + node + "/runs");
        await().until(() -> Files.exists(spool.resolve(ending + "/exit")));
        try (var next = AgentRig.start(config, TestBroker.shared())) {
            NodeSeen seen = placement.registerAll(node);
            Ended first = placement.await(Ended.class, ending);
            Files.createFile(work.resolve("second"));
            Ended second = placement.await(Ended.class, running);
            await().until(() -> next.agents().getFirst().runs().isEmpty());

            assertThat(seen.runs()).extracting(HeldRun::run).contains(running);
            assertThat(first.exit()).isEqualTo(new ExitStatus(5, 0));
            assertThat(second.exit()).isEqualTo(new ExitStatus(6, 0));
            assertThat(second.cause()).isEqualTo(Cause.EXITED);
            assertThat(work.resolve("slurm-" + running.job() + ".out"))
                    .content()
                    .startsWith("end\nend\n");
            Step step = Objects.requireNonNull(second.steps()).each().getFirst();
            assertThat(step.each() == null)
                    .as("tasks in groups are counted on")
                    .isEqualTo(!seen.inventory().isolation().contains(Isolation.MEMORY));
        }
    }

    /// As systemd ends a unit, and a container runtime a pod.
    @Test
    void runs_outlive_the_end_of_all_that_is_in_the_agents_own_groups() throws Exception {
        Path work = Files.createDirectories(folder.resolve("work"));
        String node = "restarted2";
        TestConfig config = TestConfig.host(folder.resolve("home"), node);
        List<Path> unit = hierarchies().map(it -> it.resolve("unit-of-" + node)).toList();
        assumeThat(unit).as("control groups that can be written").isNotEmpty();
        try {
            Process child = AgentChild.start(config, folder.resolve("child.log"), unit);
            placement.register(node);
            RunId run = HandPlacement.newRun();
            placement.launch(
                    node,
                    run,
                    Jobs.script(
                            run.job(),
                            work,
                            "srun sh -c ': >begun; while [ ! -e end ]; do sleep 0.05; done'; exit 3"),
                    64);
            placement.await(Started.class, run);
            await().atMost(PATIENCE).until(() -> Files.exists(work.resolve("begun")));

            for (Path group : unit) {
                await().atMost(PATIENCE).until(() -> killed(group));
            }

            assertThat(child.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            Files.createFile(work.resolve("end"));
            try (var next = AgentRig.start(config, TestBroker.shared())) {
                placement.registerAll(node);
                Ended ended = placement.await(Ended.class, run);
                await().atMost(PATIENCE).until(() -> next.agents().getFirst().runs().isEmpty());
                assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
                // The run's shim may still wait for the disk; what starts others goes with the
                // agent.
                for (Path group : shims(config)) {
                    await().atMost(PATIENCE).until(() -> members(group).size() <= 1);
                }
            }
            assertThat(shims(config)).noneMatch(Files::exists);
        } finally {
            for (Path group : unit) {
                await().atMost(PATIENCE)
                        .ignoreExceptionsInstanceOf(IOException.class)
                        .until(() ->
                                !Files.exists(group)
                                        || (killed(group) && Files.deleteIfExists(group)));
            }
        }
    }

    /// Those of a unit or a pod that can be made without settings.
    private static Stream<Path> hierarchies() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(mount -> mount[2].startsWith("cgroup"))
                .filter(mount ->
                        mount[2].equals("cgroup2")
                                || Set.of("name=systemd", "devices", "memory", "pids").stream()
                                        .anyMatch(List.of(mount[3].split(","))::contains))
                .map(mount -> Path.of(mount[1]))
                .filter(Files::isWritable);
    }

    private static List<Path> shims(TestConfig config) throws IOException {
        return hierarchies().map(it -> it.resolve(config.cgroupParent() + "-shims")).toList();
    }

    private static List<String> members(Path group) throws IOException {
        return Files.readAllLines(group.resolve("cgroup.procs"));
    }

    /// Whether nothing is left in a group, of which all is killed.
    private static boolean killed(Path group) throws IOException {
        List<String> members = members(group);
        members.forEach(pid ->
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly));
        return members.isEmpty();
    }

    @Test
    void an_agent_that_leaves_lets_its_runs_go_on() throws Exception {
        Path work = Files.createDirectories(folder.resolve("work"));
        String node = "leaving1";
        TestConfig config = TestConfig.host(folder.resolve("home"), node);
        var leaving = AgentRig.start(config.leaving(), TestBroker.shared());
        placement.register(node);
        RunId run = HandPlacement.newRun();
        placement.launch(node, run, Jobs.script(run.job(), work, "sleep 60"), 64);
        placement.await(Started.class, run);

        leaving.close();
        var next = AgentRig.start(config, TestBroker.shared());
        NodeSeen seen = placement.registerAll(node);
        long epoch = placement.epoch(node);
        placement.await(Started.class, run, started -> started.epoch() == epoch);
        next.close();

        assertThat(seen.runs()).containsExactly(new HeldRun(run, HeldRun.Phase.RUNNING));
        assertThat(placement.await(Ended.class, run).cause()).isEqualTo(Cause.AGENT_SHUTDOWN);
    }

    @Test
    void a_prepared_run_is_adopted_and_still_waits_for_go() throws Exception {
        Path work = Files.createDirectories(folder.resolve("work"));
        String node = "prepared1";
        TestConfig config = TestConfig.host(folder.resolve("home"), node);
        var leaving = AgentRig.start(config.leaving(), TestBroker.shared());
        placement.register(node);
        RunId run = HandPlacement.newRun();
        var one =
                placement.launch(
                        node, HandPlacement.newRun(), Jobs.script(run.job(), work, "exit 0"), 64);
        placement.launch(
                node,
                run,
                placement.writeSpec(Jobs.script(run.job(), work, "exit 4")),
                one.mode(),
                true,
                one.allocations(),
                0);
        placement.await(Ready.class, run);

        leaving.close();
        try (var next = AgentRig.start(config, TestBroker.shared())) {
            NodeSeen seen = placement.registerAll(node);
            long epoch = placement.epoch(node);
            placement.await(Ready.class, run, ready -> ready.epoch() == epoch);
            placement.go(node, run);
            Ended ended = placement.await(Ended.class, run);
            await().until(() -> next.agents().getFirst().runs().isEmpty());

            assertThat(seen.runs()).contains(new HeldRun(run, HeldRun.Phase.PREPARED));
            assertThat(ended.exit()).isEqualTo(new ExitStatus(4, 0));
        }
    }

    @Test
    void a_host_that_cannot_enforce_what_is_demanded_gets_no_agent() throws Exception {
        TestConfig config =
                TestConfig.virtual(folder.resolve("home"), "1xdgx-a100")
                        .requiring(Isolation.CPUSET);

        assertThatThrownBy(() -> AgentRig.start(config, TestBroker.shared()))
                .isInstanceOf(StartRefused.class)
                .hasMessageStartingWith(
                        "this host cannot enforce [CPUSET], which"
                                + " berth.agent.required-isolation demands");
    }

    @Test
    void a_second_agent_on_a_spool_is_refused() throws Exception {
        TestConfig config = TestConfig.host(folder.resolve("home"), "twice1");
        try (var first = AgentRig.start(config, TestBroker.shared())) {

            assertThatThrownBy(() -> AgentRig.start(config, TestBroker.shared()))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("another agent of node twice1");
            assertThat(first.agents()).hasSize(1);
        }
    }

    @Test
    void reports_wait_for_a_broker_that_is_away() throws Exception {
        Path data = folder.resolve("broker");
        int port = FreePorts.next();
        int controller = FreePorts.next();
        var connection = new KafkaConnection("127.0.0.1:" + port);
        KafkaBroker broker = KafkaBroker.start(data, port, controller);
        TestTopics.create(connection);
        try (var placement = new HandPlacement(connection);
                var rig = new AgentRig(folder, connection, placement)) {
            rig.placement.register(rig.node);
            RunId run = HandPlacement.newRun();
            rig.placement.launch(
                    rig.node,
                    run,
                    Jobs.script(
                            run.job(), rig.work, "while [ ! -e go ]; do sleep 0.05; done; exit 9"),
                    64);
            rig.placement.await(Started.class, run);

            broker.close();
            Files.createFile(rig.work.resolve("go"));
            Path spool = rig.config.home().resolve("nodes/" + rig.node + "/runs/" + run);
            await().atMost(PATIENCE).until(() -> Files.exists(spool.resolve("end")));
            broker = KafkaBroker.start(data, port, controller);
            Ended ended = rig.placement.await(Ended.class, run);

            assertThat(ended.exit()).isEqualTo(new ExitStatus(9, 0));
            assertThat(rig.placement.registrations(rig.node)).hasSize(1);
            rig.awaitForgotten();
        } finally {
            broker.close();
        }
    }

    @Test
    void virtual_nodes_run_real_processes_beside_one_another() throws Exception {
        Path work = Files.createDirectories(folder.resolve("work"));
        var config = TestConfig.virtual(folder.resolve("home"), "2xdgx-a100");
        try (var agents = AgentRig.start(config, TestBroker.shared())) {
            List<String> nodes = List.of("dgx-a100-01", "dgx-a100-02");
            nodes.forEach(placement::register);
            List<RunId> runs = List.of(HandPlacement.newRun(), HandPlacement.newRun());
            for (int i = 0; i < 2; i++) {
                RunId run = runs.get(i);
                String gpu = agents.agents().get(i).node().inventory().gpus().getFirst().uuid();
                placement.launch(
                        nodes.get(i),
                        run,
                        Jobs.script(run.job(), work, "echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES"),
                        64,
                        gpu);
            }

            runs.forEach(run -> placement.await(Ended.class, run));

            for (int i = 0; i < 2; i++) {
                String gpu = agents.agents().get(i).node().inventory().gpus().getFirst().uuid();
                assertThat(work.resolve("slurm-" + runs.get(i).job() + ".out"))
                        .hasContent(nodes.get(i) + " " + gpu);
            }
        }
    }
}
