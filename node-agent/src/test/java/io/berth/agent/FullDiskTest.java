package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.HeldRun;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobSpec;
import io.berth.contracts.JobTerms;
import io.berth.contracts.RunId;
import io.berth.contracts.WarningSignal;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.NotSuspended;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.event.RunReport.Suspended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The spool on a small disk of its own, which takes the right to mount one.
final class FullDiskTest {

    @TempDir Path folder;
    private Path home;
    private AgentRig rig;

    @BeforeEach
    void mount() throws Exception {
        home = Files.createDirectories(folder.resolve("home"));
        int status = run("mount", "-t", "tmpfs", "-o", "size=4m", "berth-test", home.toString());
        assumeThat(status).as("may mount a disk").isZero();
        rig = new AgentRig(folder);
        rig.placement.register(rig.node);
    }

    @AfterEach
    void unmount() throws Exception {
        if (rig != null) {
            rig.close();
            assertThat(run("umount", "--lazy", home.toString())).isZero();
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private Path fill() throws IOException {
        Path filler = home.resolve("filler");
        try (var out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
            return filler;
        }
    }

    private boolean triedToWriteAnEnd() throws IOException {
        try (var files = Files.walk(home)) {
            return files.anyMatch(it -> it.endsWith("exit.new"));
        }
    }

    @Test
    void what_a_run_came_to_waits_for_room_on_the_disk() throws Exception {
        RunId run = HandPlacement.newRun();
        Path end = rig.work.resolve("end");
        rig.placement.launch(
                rig.node,
                run,
                Jobs.script(
                        run.job(),
                        rig.work,
                        "while [ ! -e end ]; do sleep 0.05; done; touch ended; exit 3"),
                64);
        rig.placement.await(Started.class, run);
        Path filler = fill();
        Files.createFile(end);
        await().until(() -> Files.exists(rig.work.resolve("ended")) && triedToWriteAnEnd());
        assertThat(rig.agent().runs()).containsExactly(new HeldRun(run, HeldRun.Phase.RUNNING));

        Files.delete(filler);

        Ended ended = rig.placement.await(Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit().code()).isEqualTo(3);
    }

    /// A run that does that, once it has begun.
    private RunId begun(String body, @Nullable WarningSignal signal, long limitSeconds) {
        RunId run = HandPlacement.newRun();
        JobSpec spec = Jobs.script(run.job(), rig.work, body);
        JobDescription job = spec.description().on(JobTerms.NONE.with(to -> to.signal = signal));
        rig.placement.launch(rig.node, run, spec, job, limitSeconds);
        awaitFile("begun");
        return run;
    }

    private void awaitFile(String name) {
        await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(rig.work.resolve(name)));
    }

    @Test
    void a_run_that_is_told_to_end_has_its_grace_without_room() throws Exception {
        RunId run =
                begun(
                        """
                        trap 'touch told; while [ ! -e end ]; do sleep 0.05; done; exit 6' TERM
                        touch begun
                        while :; do sleep 0.05; done\
                        """,
                        null,
                        0);
        Path filler = fill();

        rig.placement.stop(rig.node, run, 3600);

        awaitFile("told");
        Files.delete(filler);
        Files.createFile(rig.work.resolve("end"));
        Ended ended = rig.placement.await(Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.exit().code()).isEqualTo(6);
    }

    @Test
    void the_signal_before_the_time_limit_comes_without_room() throws Exception {
        int usr1 = 10;
        RunId run =
                begun(
                        "trap 'touch told; exit 3' USR1; touch begun; while :; do sleep 0.05; done",
                        new WarningSignal(usr1, 3590, true),
                        3600);
        Path filler = fill();

        awaitFile("told");

        Files.delete(filler);
        Ended ended = rig.placement.await(Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit().code()).isEqualTo(3);
    }

    @Test
    void a_run_that_cannot_be_suspended_without_room_goes_on_and_can_be_with_it() throws Exception {
        RunId run = begun("touch begun; while [ ! -e end ]; do sleep 0.05; done; exit 3", null, 0);
        Path filler = fill();

        rig.placement.suspend(rig.node, run, 1, 0);

        NotSuspended refused = rig.placement.await(NotSuspended.class, run);
        assertThat(refused.message()).contains("No space left");
        Files.delete(filler);
        rig.placement.suspend(rig.node, run, 2, 0);
        assertThat(rig.placement.await(Suspended.class, run).nth()).isEqualTo(2);
        rig.placement.resume(rig.node, run);
        Files.createFile(rig.work.resolve("end"));
        assertThat(rig.placement.await(Ended.class, run).exit().code()).isEqualTo(3);
    }

    @Test
    void a_run_that_stands_still_goes_on_without_room() throws Exception {
        RunId run =
                begun(
                        "touch begun; while [ ! -e end ]; do sleep 0.05; done; touch ended; exit 3",
                        null,
                        0);
        rig.placement.suspend(rig.node, run, 1, 0);
        rig.placement.await(Suspended.class, run);
        Path filler = fill();
        Files.createFile(rig.work.resolve("end"));

        rig.placement.resume(rig.node, run);

        awaitFile("ended");
        Files.delete(filler);
        assertThat(rig.placement.await(Ended.class, run).exit().code()).isEqualTo(3);
    }

    @Test
    void a_run_that_cannot_be_spooled_is_refused_and_with_room_the_next_one_runs()
            throws Exception {
        RunId refused = HandPlacement.newRun();
        RunId next = HandPlacement.newRun();
        Path filler = fill();

        rig.placement.launch(
                rig.node, refused, Jobs.script(refused.job(), rig.work, "touch launched"), 64);
        Ended first = rig.placement.await(Ended.class, refused);
        Files.delete(filler);
        rig.placement.launch(rig.node, next, Jobs.script(next.job(), rig.work, "exit 0"), 64);
        Ended second = rig.placement.await(Ended.class, next);

        assertThat(first.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(first.message()).contains("No space left");
        assertThat(rig.work.resolve("launched")).doesNotExist();
        assertThat(second.cause()).isEqualTo(Cause.EXITED);
    }
}
