package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A site's programs around each run.
class HooksTest {

    @TempDir Path folder;
    Path home;
    AgentRig rig;

    @BeforeEach
    void start() throws Exception {
        home = Files.createDirectories(folder.resolve("home"));
        for (String name : List.of("prolog", "epilog")) {
            Path file = Files.writeString(home.resolve(name), "#!/bin/sh\n. $0.body\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        }
        rig = new AgentRig(folder, TestConfig.host(home, AgentRig.newNode()));
        rig.placement.register(rig.node);
    }

    @AfterEach
    void stop() throws IOException {
        rig.close();
    }

    private void program(String name, String body) throws IOException {
        Files.writeString(home.resolve(name + ".body"), body + "\n");
    }

    private Ended run(String body) {
        RunId run = HandPlacement.newRun();
        rig.placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, body), 64, rig.gpu(3));
        return rig.placement.await(Ended.class, run);
    }

    @Test
    void they_run_before_and_after_and_know_the_job() throws Exception {
        Path log = folder.resolve("log");
        String line = "echo %s $SLURM_JOB_USER $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES >>" + log;
        program("prolog", line.formatted("prolog"));
        program("epilog", line.formatted("epilog"));

        run("echo script >>" + log);

        String told = " alice " + rig.node + " " + rig.gpu(3);
        await().until(() -> Files.readAllLines(log).size() == 3);
        assertThat(log).hasContent("prolog" + told + "\nscript\nepilog" + told + "\n");
    }

    @Test
    void where_the_first_fails_the_script_does_not_run_and_the_second_does() throws Exception {
        program("prolog", "echo 'scratch is full' >&2; exit 4");
        program("epilog", "touch " + folder.resolve("cleaned"));

        Ended ended = run("touch ran");

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).isEqualTo("the prolog ended with 4: scratch is full");
        assertThat(ended.drain()).isEqualTo(ended.message());
        assertThat(rig.work.resolve("ran")).doesNotExist();
        assertThat(folder.resolve("cleaned")).exists();
    }

    @Test
    void where_the_first_cannot_be_run_the_node_is_to_have_no_more_work() throws Exception {
        Files.delete(home.resolve("prolog"));

        Ended ended = run("touch ran");

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.drain()).startsWith("the prolog was not run: ");
        assertThat(rig.work.resolve("ran")).doesNotExist();
    }

    @Test
    void where_the_second_fails_the_node_is_to_have_no_more_work() throws Exception {
        program("prolog", "true");
        program("epilog", "echo 'scratch is busy'; exit 3");

        Ended ended = run("true");

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.message()).isNull();
        assertThat(ended.drain()).isEqualTo("the epilog ended with 3: scratch is busy");
    }
}
