package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.group.HostGroups;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node that nobody hears ends its runs.
class FenceTest {

    private static final Duration FENCE_AFTER = Duration.ofSeconds(3);

    /// Its number, and that of what it leaves in the background.
    private static final String TWO_PROCESSES =
            "sleep 60 & echo $$ $! >pids.new; mv pids.new pids; wait";

    @TempDir Path folder;

    @BeforeEach
    void setFence() throws IOException {
        assumeThat(HostGroups.find(TestConfig.PARENT).heldByKernel()).as("control groups").isTrue();
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.writeString(home.resolve("fence-after"), FENCE_AFTER.toString());
    }

    private static Path spool(TestConfig config, RunId run) {
        return config.home().resolve("nodes/" + config.name().orElseThrow() + "/runs/" + run);
    }

    private static boolean anyAlive(Path work) throws IOException {
        return List.of(Files.readString(work.resolve("pids")).strip().split(" ")).stream()
                .anyMatch(pid -> ProcessHandle.of(Long.parseLong(pid)).isPresent());
    }

    @Test
    void runs_of_a_node_that_is_heard_go_on_and_end_when_its_agent_is_gone() throws Exception {
        HandPlacement placement = TestBroker.placement();
        Path work = Files.createDirectories(folder.resolve("work"));
        TestConfig config = TestConfig.host(folder.resolve("home"), "fenced1").leaving();
        RunId run = HandPlacement.newRun();
        var agent = AgentRig.start(config, TestBroker.shared());
        NodeSeen seen = placement.register("fenced1");
        placement.launch("fenced1", run, Jobs.script(run.job(), work, TWO_PROCESSES), 64);
        placement.await(Started.class, run);
        await().during(FENCE_AFTER.plusSeconds(1))
                .atMost(FENCE_AFTER.multipliedBy(4))
                .until(() -> !Files.exists(spool(config, run).resolve("exit")));

        agent.close();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Files.exists(spool(config, run).resolve("exit")));
        await().atMost(Duration.ofSeconds(60)).until(() -> !anyAlive(work));
        try (var _ = AgentRig.start(config, TestBroker.shared())) {
            placement.registerAll("fenced1");
            Ended ended = placement.await(Ended.class, run);

            assertThat(seen.fenceSeconds()).isEqualTo(FENCE_AFTER.toSeconds());
            assertThat(ended.cause()).isEqualTo(Cause.STATUS_LOST);
        }
    }

    @Test
    void an_agent_without_its_broker_ends_the_runs_and_registers_anew() throws Exception {
        Path data = folder.resolve("broker");
        int port = FreePorts.next();
        int controller = FreePorts.next();
        var connection = new KafkaConnection("127.0.0.1:" + port);
        KafkaBroker broker = KafkaBroker.start(data, port, controller);
        TestTopics.create(connection);
        try (var placement = new HandPlacement(connection);
                var rig = new AgentRig(folder, connection, placement)) {
            placement.register(rig.node);
            RunId run = HandPlacement.newRun();
            placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, TWO_PROCESSES), 64);
            placement.await(Started.class, run);

            broker.close();
            await().atMost(Duration.ofSeconds(60)).until(() -> !anyAlive(rig.work));
            broker = KafkaBroker.start(data, port, controller);

            assertThat(placement.awaitRegistering(rig.node, Ended.class, run).cause())
                    .isEqualTo(Cause.STATUS_LOST);
            rig.awaitForgotten();
        } finally {
            broker.close();
        }
    }
}
