package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.host.LiveProcess;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Both kinds of shim, as processes: what one does the other does.
class ShimsTest {

    private static final RunId RUN = new RunId(new JobId(7), 1);

    @TempDir Path home;
    private RunFiles files;

    @BeforeEach
    void makeFolder() throws IOException {
        files = RunFiles.of(Files.createDirectories(home.resolve("nodes/node1/runs")), RUN);
    }

    /// Starts a task that stands ready.
    private void start(Shims.Kind kind, String start) throws Exception {
        start(kind, start, "", "");
        await().until(() -> files.has("ready"));
    }

    private void start(Shims.Kind kind, String start, String entrances, String devices)
            throws Exception {
        Shims best = Shims.install(home, new Commands());
        assumeThat(kind == Shims.Kind.SHELL || best.kind() == kind).as("a compiled shim").isTrue();
        files.write("start", start);
        files.write("entrances", entrances);
        files.write("devices", devices);
        Shims.install(home, new Commands(), kind).start(files, new NodeName("node1"), RUN);
    }

    private ExitStatus exit() throws IOException {
        await().until(() -> files.has("exit"));
        return files.exit().orElseThrow();
    }

    private String told(String name) throws IOException {
        return files.text(name).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void a_task_waits_for_the_word_and_its_exit_code_is_kept(Shims.Kind kind) throws Exception {
        start(kind, "touch ran; exit 42\n");
        boolean early = files.has("ran");

        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(42, 0));
        assertThat(early).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void the_signal_that_ends_a_task_is_kept_as_one(Shims.Kind kind) throws Exception {
        start(kind, "kill -9 $$\n");

        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(0, 9));
    }

    @ParameterizedTest
    @EnumSource
    void an_exit_code_that_looks_like_a_signal_is_none(Shims.Kind kind) throws Exception {
        start(kind, "exit 137\n");

        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(137, 0));
    }

    @ParameterizedTest
    @EnumSource
    void a_shim_lives_on_under_the_signals_that_end_a_session(Shims.Kind kind) throws Exception {
        start(kind, "exit 0\n");
        LiveProcess shim = files.shim().orElseThrow();

        for (String signal : List.of("-HUP", "-INT", "-TERM")) {
            new ProcessBuilder("kill", signal, Long.toString(shim.pid())).start().waitFor();
        }

        assertThat(shim.alive()).isTrue();
        files.release();
        assertThat(exit()).isEqualTo(ExitStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource
    void the_task_takes_none_of_the_shims_deafness_along(Shims.Kind kind) throws Exception {
        start(kind, "kill -TERM $$; exit 0\n");

        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(0, 15));
    }

    @ParameterizedTest
    @EnumSource
    void a_task_has_a_session_of_its_own_its_marks_and_a_path(Shims.Kind kind) throws Exception {
        start(kind, "cat /proc/self/environ | tr '\\0' '\\n' >found; exec sleep 60\n");
        long pid = Readiness.read(files, List.of()).orElseThrow().pid();

        files.release();
        await().until(() -> files.has("found") && !told("found").isEmpty());

        assertThat(LiveProcess.stat(pid).orElseThrow().session()).isEqualTo(pid);
        assertThat(told("found").lines().map(line -> line.split("=")[0]))
                .containsOnly("PATH", "PWD", "SLURM_JOB_ID", "BERTH_LEASE", "SLURMD_NODENAME");
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        assertThat(exit()).isEqualTo(new ExitStatus(0, 9));
    }

    @ParameterizedTest
    @EnumSource
    void a_group_that_cannot_be_entered_ends_the_task_before_the_word(Shims.Kind kind)
            throws Exception {
        start(kind, "touch ran\n", "/proc/no/such/group\n", "");

        assertThat(exit()).isEqualTo(new ExitStatus(125, 0));
        assertThat(told("failure")).contains("/proc/no/such/group");
        assertThat(files.has("ran")).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void what_the_task_may_open_is_told(Shims.Kind kind) throws Exception {
        start(kind, "exit 0\n", "", "/dev/null\n/no/such device\n");
        await().until(() -> files.has("ready"));

        assertThat(told("ready"))
                .containsPattern("opened /dev/null\\nrefused /no/such device No such file.*\\n");
        files.release();
        exit();
    }

    @ParameterizedTest
    @EnumSource
    void a_task_goes_on_when_its_shim_is_killed(Shims.Kind kind) throws Exception {
        start(kind, "read -r word <&9; touch ran\n");
        LiveProcess shim = files.shim().orElseThrow();

        ProcessHandle.of(shim.pid()).orElseThrow().destroyForcibly();
        await().until(() -> !shim.alive());
        files.release();
        files.release();

        await().until(() -> files.has("ran"));
        assertThat(files.has("exit")).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void what_is_written_is_the_agents_alone(Shims.Kind kind) throws Exception {
        start(kind, "exit 0\n");

        files.release();
        exit();

        for (String name : Set.of("shim", "ready", "exit", "start", "go")) {
            assertThat(Files.getPosixFilePermissions(files.folder().resolve(name)))
                    .as(name)
                    .allMatch(permission -> permission.name().startsWith("OWNER"));
        }
    }

    @Test
    void the_program_is_taken_where_a_compiler_was() throws Exception {
        assumeThat(new ProcessBuilder("sh", "-c", "command -v cc").start().waitFor()).isZero();

        assertThat(Shims.install(home, new Commands()).kind()).isEqualTo(Shims.Kind.PROGRAM);
    }
}
