package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.agent.host.StartRefused;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The operator's program that looks after a machine.
class NodeHealthTest {

    @TempDir Path folder;
    Path home;
    Path why;
    Path looks;
    @Nullable AgentRig started;

    @BeforeEach
    void program() throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
        why = home.resolve("why");
        looks = home.resolve("looks");
        Path program = home.resolve("health");
        Files.writeString(
                program, "#!/bin/sh\necho >>%s\n! cat %s 2>/dev/null\n".formatted(looks, why));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    private AgentRig start() throws Exception {
        started = new AgentRig(folder, TestConfig.host(home, AgentRig.newNode()));
        return started;
    }

    @AfterEach
    void stop() throws IOException {
        if (started != null) {
            started.close();
        }
    }

    @Test
    void a_node_registers_with_what_is_wrong_and_again_when_it_is_well_and_its_runs_go_on()
            throws Exception {
        Files.writeString(why, "no network\n");
        AgentRig rig = start();
        NodeSeen first = rig.placement.register(rig.node);
        RunId run = HandPlacement.newRun();
        String body = "until [ -e end ]; do sleep 0.05; done; exit 3";
        rig.placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, body), 64);
        rig.placement.await(Started.class, run);

        Files.delete(why);
        NodeSeen well = rig.placement.registerUntil(rig.node, it -> it.unhealthy() == null);
        Files.createFile(rig.work.resolve("end"));
        Ended ended = rig.placement.await(Ended.class, run);

        assertThat(first.unhealthy()).isEqualTo("no network");
        assertThat(well.runs()).singleElement().returns(run, it -> it.run());
        assertThat(ended).returns(Cause.EXITED, Ended::cause).returns(3, it -> it.exit().code());
    }

    /// Whoever looks at every interval looks ten times in the time of this run; a look that began
    /// before the run may be there still.
    @Test
    void while_a_run_is_there_it_is_not_looked_again_if_so_asked_for() throws Exception {
        Files.createFile(home.resolve("health-when-idle"));
        AgentRig rig = start();
        rig.placement.register(rig.node);
        RunId run = HandPlacement.newRun();
        String body = "wc -l <%s; sleep 1; wc -l <%s".formatted(looks, looks);
        rig.placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, body), 64);
        rig.placement.await(Ended.class, run);
        Files.writeString(why, "no network\n");

        NodeSeen later =
                rig.placement.registerUntil(rig.node, it -> "no network".equals(it.unhealthy()));

        String[] counts = rig.output(run).strip().split("\\s+");
        assertThat(Integer.parseInt(counts[1]) - Integer.parseInt(counts[0])).isLessThan(2);
        assertThat(later.runs()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "PT5S, , PT5S",
        "PT1M, , PT10S",
        "PT1M, PT10M, PT10S",
        "PT1S, PT8S, PT1S",
        "PT3S, PT8S, PT2S"
    })
    void the_first_look_holds_up_no_heartbeat_for_long(
            Duration limit, @Nullable Duration fenceAfter, Duration expected) {
        assertThat(NodeHealth.firstLimit(limit, fenceAfter)).isEqualTo(expected);
    }

    @Test
    void a_program_that_may_take_half_of_the_time_of_the_lease_is_refused() throws IOException {
        Files.writeString(home.resolve("fence-after"), "PT1S");

        assertThatThrownBy(this::start)
                .isInstanceOf(StartRefused.class)
                .hasMessage(
                        "berth.agent.health-limit is 500 ms: with berth.agent.fence-after of 1000 ms it must be less than half of that");
    }
}
