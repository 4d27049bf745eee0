package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The operator's program that looks after a machine.
class NodeHealthTest {

    @TempDir Path folder;
    Path why;
    AgentRig rig;

    @BeforeEach
    void start() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        why = home.resolve("why");
        Path program = home.resolve("health");
        Files.writeString(program, "#!/bin/sh\n! cat " + why + " 2>/dev/null\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(why, "no network\n");
        rig = new AgentRig(folder, TestConfig.host(home, AgentRig.newNode()));
    }

    @AfterEach
    void stop() throws IOException {
        rig.close();
    }

    @Test
    void a_node_registers_with_what_is_wrong_and_again_when_it_is_well_and_its_runs_go_on()
            throws Exception {
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
}
