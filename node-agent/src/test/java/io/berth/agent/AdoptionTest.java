package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.berth.agent.RunPart.Begun;
import io.berth.agent.RunPart.Verified;
import io.berth.agent.group.HostGroups;
import io.berth.agent.group.RunMark;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.Commands;
import io.berth.agent.launch.Hooks;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What becomes of a run's folder that an agent finds at its start.
class AdoptionTest {

    private static final NodeName NODE = new NodeName("adopting1");
    private static final RunId RUN = new RunId(new JobId(5), 1);
    private static final Launch LAUNCH =
            new Launch(
                    NODE,
                    1,
                    1,
                    RUN,
                    new SpecReference(0, 0, ""),
                    LaunchMode.BATCH,
                    false,
                    List.of(new Allocation(NODE, 0, 1, IndexSet.firstN(1), 1, List.of())),
                    0);

    @TempDir Path home;

    private RunFiles spooled(String bootId) throws IOException {
        try (Spool spool = Spool.open(home, NODE)) {
            return spool.intend(LAUNCH, bootId);
        }
    }

    private static Adoption adoption() {
        return adoption(Optional.empty());
    }

    private static Adoption adoption(Optional<Path> epilog) {
        var hooks = new Hooks(Optional.empty(), epilog, new Commands());
        return new Adoption(NODE, "this-boot", HostGroups.processTrees(), hooks);
    }

    @Test
    void an_order_that_was_not_prepared_is_cleared_away() throws IOException {
        RunFiles files = spooled("this-boot");

        assertThat(adoption().of(files)).isEmpty();
        assertThat(files.folder()).doesNotExist();
    }

    @Test
    void a_folder_without_an_order_is_cleared_away() throws IOException {
        RunFiles files = spooled("this-boot");
        Files.delete(files.folder().resolve(Spool.Intent.NAME));

        assertThat(adoption().of(files)).isEmpty();
        assertThat(files.folder()).doesNotExist();
    }

    @Test
    void an_order_that_a_power_cut_left_in_part_is_cleared_away() throws IOException {
        RunFiles files = spooled("earlier-boot");
        Path intent = files.folder().resolve(Spool.Intent.NAME);
        Files.writeString(intent, Files.readString(intent).substring(0, 20));
        Files.writeString(files.folder().resolve("shim"), "");

        assertThat(adoption().of(files)).isEmpty();
        assertThat(files.folder()).doesNotExist();
    }

    @Test
    void what_was_begun_of_an_order_that_cannot_be_read_is_ended() throws Exception {
        RunFiles files = spooled("this-boot");
        Files.writeString(files.folder().resolve(Spool.Intent.NAME), "");
        var task = new ProcessBuilder("setsid", "sleep", "60");
        for (String variable : RunMark.of(NODE, RUN)) {
            String[] parts = variable.split("=", 2);
            task.environment().put(parts[0], parts[1]);
        }
        Process begun = task.start();
        // Whoever shares its session would be killed with it.
        await().until(() -> LiveProcess.stat(begun.pid()).orElseThrow().session() == begun.pid());

        assertThat(adoption().of(files)).isEmpty();
        assertThat(begun.waitFor()).isEqualTo(137);
        assertThat(files.folder()).doesNotExist();
    }

    @Test
    void the_order_of_a_run_that_stood_ready_must_be_whole() throws IOException {
        RunFiles files = spooled("this-boot");
        files.note(Verified.NAME, new Verified(List.of(), null));
        Files.writeString(files.folder().resolve(Spool.Intent.NAME), "");

        assertThatThrownBy(() -> adoption().of(files)).hasMessageContaining("is not a Intent");
        assertThat(files.folder()).exists();
    }

    @Test
    void a_prepared_run_of_this_boot_is_gone_on_with() throws IOException {
        RunFiles files = spooled("this-boot");
        files.note(Verified.NAME, new Verified(List.of(), null));

        assertThat(adoption().of(files)).contains(LAUNCH);
        assertThat(files.has(RunEnd.NAME)).isFalse();
    }

    @Test
    void a_prepared_run_of_an_earlier_boot_is_cleared_away() throws IOException {
        RunFiles files = spooled("earlier-boot");
        files.note(Verified.NAME, new Verified(List.of(), null));

        assertThat(adoption().of(files)).isEmpty();
    }

    @Test
    void a_run_that_a_reboot_cut_short_has_lost_its_status() throws IOException {
        RunFiles files = spooled("earlier-boot");
        files.note(Begun.NAME, new Begun(1));

        assertThat(adoption().of(files)).contains(LAUNCH);
        RunEnd end = files.kept(RunEnd.NAME, RunEnd.class).orElseThrow();
        assertThat(end.cause()).isEqualTo(Cause.STATUS_LOST);
        assertThat(end.message()).isEqualTo("the node was rebooted");
    }

    @Test
    void a_run_that_ended_before_a_reboot_keeps_its_status() throws IOException {
        RunFiles files = spooled("earlier-boot");
        files.note(Begun.NAME, new Begun(1));
        files.write("exit", "exit 7\n");

        assertThat(adoption().of(files)).contains(LAUNCH);
        RunEnd end = files.kept(RunEnd.NAME, RunEnd.class).orElseThrow();
        assertThat(end.cause()).isEqualTo(Cause.EXITED);
        assertThat(end.exit()).isEqualTo(new ExitStatus(7, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"signal 15\n", "signal 9\n"})
    void a_run_that_went_down_with_its_machine_has_not_failed(String exit) throws IOException {
        RunFiles files = spooled("earlier-boot");
        files.note(Begun.NAME, new Begun(1));
        files.write("exit", exit);

        assertThat(adoption().of(files)).contains(LAUNCH);
        RunEnd end = files.kept(RunEnd.NAME, RunEnd.class).orElseThrow();
        assertThat(end.cause()).isEqualTo(Cause.STATUS_LOST);
        assertThat(end.message()).isEqualTo("the node was rebooted");
    }

    private Path epilog(String body) throws IOException {
        Path epilog = Files.writeString(home.resolve("epilog"), "#!/bin/sh\n" + body + "\n");
        return Files.setPosixFilePermissions(epilog, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void what_the_prolog_began_is_ended_by_the_epilog() throws IOException {
        RunFiles files = spooled("earlier-boot");
        files.note("hooks", Map.of("variables", Map.of("SLURM_JOB_ID", "5")));
        Path told = home.resolve("told");

        assertThat(adoption(Optional.of(epilog("echo $SLURM_JOB_ID >" + told))).of(files))
                .isEmpty();
        assertThat(told).hasContent("5");
        assertThat(files.folder()).doesNotExist();
    }

    @Test
    void where_that_epilog_fails_the_node_is_to_have_no_more_work() throws IOException {
        RunFiles files = spooled("this-boot");
        files.note("hooks", Map.of("variables", Map.of("SLURM_JOB_ID", "5")));

        assertThat(adoption(Optional.of(epilog("echo scratch is busy; exit 3"))).of(files))
                .contains(LAUNCH);
        RunEnd end = files.kept(RunEnd.NAME, RunEnd.class).orElseThrow();
        assertThat(end.cause()).isEqualTo(Cause.STATUS_LOST);
        assertThat(end.drain()).isEqualTo("the epilog ended with 3: scratch is busy");
    }
}
