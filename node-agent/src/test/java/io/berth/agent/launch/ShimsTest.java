package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Both kinds of shim, as processes: what one does the other does.
class ShimsTest {

    private static final RunId RUN = new RunId(new JobId(7), 1);
    private static final RunId NEXT = new RunId(new JobId(8), 1);

    @TempDir Path home;
    private RunFiles files;
    private final List<Shims> begun = new ArrayList<>();

    @AfterEach
    void close() {
        begun.forEach(Shims::close);
    }

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
        Shims shims = Shims.install(home, new Commands(), kind);
        begun.add(shims);
        shims.start(files, new NodeName("node1"), RUN);
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

    /// A task of nobody's that turns into what those words say.
    private void startAsNobody(String begin) throws Exception {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        files.write("account", "65534 65534 65534\n");
        for (Path folder = files.job().folder();
                folder != null && folder.startsWith(home);
                folder = folder.getParent()) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        }
        files.job().write("begin", begin);
        Files.setPosixFilePermissions(
                files.job().at("begin"), PosixFilePermissions.fromString("rw-r--r--"));
        start(Shims.Kind.PROGRAM, "exit 1\n");
    }

    private OutputFiles output() throws IOException {
        Path output = Files.writeString(home.resolve("o ut"), "kept\n");
        Files.setPosixFilePermissions(output, PosixFilePermissions.fromString("rw-rw-rw-"));
        return new OutputFiles(Path.of("/dev/null"), output, output, "027");
    }

    @Test
    void a_task_turns_into_what_words_say_as_it_does_by_a_shell() throws Exception {
        Path work = Files.createDirectories(home.resolve("it's"));
        Map<String, String> variables =
                new TreeMap<>(
                        Map.of(
                                "A",
                                "$(x)\n'\\",
                                "BASH_FUNC_f%%",
                                "() { :; }",
                                "SLURM_TASK_PID",
                                "1"));
        var command =
                List.of(
                        "/bin/sh",
                        "-c",
                        "printf '[%s]' \"$A\" \"$1\" \"$2\" \"$PWD\"; umask; [ $SLURM_TASK_PID = $$ ] && echo own;"
                                + " tr '\\0' '\\n' </proc/$$/environ | grep -c -e ^BASH_FUNC -e ^SLURM -e ^PWD; echo error >&2; exit 7",
                        "sh",
                        "",
                        "two words");
        startAsNobody(StartScript.words(work, variables, output(), command));

        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(7, 0));
        assertThat(home.resolve("o ut"))
                .hasContent(
                        "kept\n[$(x)\n'\\][][two words][%s]0027\nown\n3\nerror\n".formatted(work));
    }

    @Test
    void a_program_that_is_not_there_is_named_where_its_errors_go() throws Exception {
        startAsNobody(StartScript.words(home, Map.of(), output(), List.of("/no/such")));

        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(127, 0));
        assertThat(home.resolve("o ut"))
                .hasContent("kept\ncannot run /no/such: No such file or directory\n");
    }

    @Test
    void an_account_has_no_process_before_the_word_and_the_code_after_it() throws Exception {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        files.write("account", "65534 65534 65534\n");
        Path told = Files.createFile(home.resolve("told"));
        Files.setPosixFilePermissions(told, PosixFilePermissions.fromString("rw-rw-rw-"));
        for (Path folder = files.job().folder();
                folder != null && folder.startsWith(home);
                folder = folder.getParent()) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        }
        files.job()
                .write(
                        "begin",
                        "echo mine >&2; { id -u; id -G; grep CapEff /proc/self/status; } >%s; exit 3\n"
                                .formatted(told));
        Files.setPosixFilePermissions(
                files.job().at("begin"), PosixFilePermissions.fromString("rw-r--r--"));

        start(Shims.Kind.PROGRAM, "exit 1\n");
        Path task = Path.of("/proc", told("ready").lines().findFirst().orElseThrow().substring(4));
        Object before = Files.getAttribute(task, "unix:uid");
        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(3, 0));
        assertThat(before).isEqualTo(0);
        assertThat(told).hasContent("65534\n65534\nCapEff:\t0000000000000000\n");
        assertThat(told("failure")).isEmpty();
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
    void a_shim_leaves_the_groups_of_the_agent_as_far_as_it_can(Shims.Kind kind) throws Exception {
        Path entrance = Files.createFile(home.resolve("entrance"));
        Shims.install(home, new Commands())
                .standIn(List.of(home.resolve("none/entrance"), entrance));

        start(kind, "exit 0\n");

        assertThat(entrance).hasContent("0\n");
        files.release();
        assertThat(exit()).isEqualTo(new ExitStatus(0, 0));
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

    /// As of a machine's agent that a shell with `nohup` or in the background has started.
    @ParameterizedTest
    @EnumSource
    void a_task_has_the_default_actions_whatever_the_agent_was_started_with(Shims.Kind kind)
            throws Exception {
        Shims best = Shims.install(home, new Commands());
        assumeThat(kind == Shims.Kind.SHELL || best.kind() == kind).as("a compiled shim").isTrue();
        files.write("start", "cat /proc/self/status >found\n");
        files.write("entrances", "");
        files.write("devices", "");
        var command =
                new ArrayList<>(
                        List.of(
                                "env",
                                // The shell's shim is begun by a JVM, which hands on no mask.
                                kind == Shims.Kind.PROGRAM
                                        ? "--block-signal=USR1,TERM"
                                        : "PATH=" + Commands.PATH,
                                "sh",
                                "-c",
                                "trap '' HUP INT QUIT PIPE ALRM TERM USR1 USR2 TSTP; exec \"$@\"",
                                "sh"));
        command.addAll(
                switch (kind) {
                    case PROGRAM -> List.of(home + "/shim");
                    case SHELL -> List.of("setsid", "sh", home + "/shim.sh");
                });
        command.add(files.folder().toString());
        Process shim = new ProcessBuilder(command).directory(files.folder().toFile()).start();
        await().until(() -> files.has("ready"));

        files.release();

        assertThat(exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(shim.waitFor()).isZero();
        assertThat(told("found").lines().filter(it -> it.matches("Sig(Blk|Ign):.*")))
                // The last 31 bits are those of the signals that have names.
                .allMatch(it -> (Long.parseLong(it.substring(9), 16) & 0x7fffffffL) == 0)
                .hasSize(2);
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
    void the_code_runs_in_a_group_of_version_2(Shims.Kind kind) throws Exception {
        Optional<Path> tree =
                Stream.of("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                        .map(Path::of)
                        .filter(it -> Files.isWritable(it.resolve("cgroup.procs")))
                        .filter(it -> Files.exists(it.resolve("cgroup.controllers")))
                        .findFirst();
        assumeThat(tree).as("cgroup v2").isPresent();
        Path group =
                Files.createDirectory(
                        tree.orElseThrow().resolve("berth-shim-" + System.nanoTime()));
        try {
            start(
                    kind,
                    "echo $# >arguments; cat /proc/self/cgroup >where\n",
                    group.resolve("cgroup.procs") + "\n",
                    "");
            await().until(() -> files.has("ready"));
            long pid = Readiness.read(files, List.of()).orElseThrow().pid();
            String where = Files.readString(Path.of("/proc", Long.toString(pid), "cgroup"));
            files.release();

            assertThat(exit()).isEqualTo(ExitStatus.SUCCESS);
            assertThat(told("ready").lines().anyMatch("born"::equals))
                    .isEqualTo(kind == Shims.Kind.PROGRAM && kernelForksIntoGroups());
            assertThat(where).contains("/" + group.getFileName() + "\n");
            assertThat(told("arguments")).isEqualTo("0\n");
            assertThat(told("where")).contains("/" + group.getFileName() + "\n");
        } finally {
            await().ignoreExceptions().until(() -> Files.deleteIfExists(group));
        }
    }

    /// Source: clone(2), CLONE_INTO_CGROUP: since Linux 5.7.
    private static boolean kernelForksIntoGroups() {
        String[] version = System.getProperty("os.version").split("\\D+");
        int major = Integer.parseInt(version[0]);
        return major > 5 || (major == 5 && Integer.parseInt(version[1]) >= 7);
    }

    private Shims installed(Shims.Kind kind) throws Exception {
        Shims best = Shims.install(home, new Commands());
        begun.add(best);
        assumeThat(kind == Shims.Kind.SHELL || best.kind() == kind).as("a compiled shim").isTrue();
        Shims shims = Shims.install(home, new Commands(), kind);
        begun.add(shims);
        return shims;
    }

    /// In two groups.
    private static Account nobody() throws Exception {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        return new Account(65534, 65533, List.of(65533L, 7L), "/", true);
    }

    @ParameterizedTest
    @EnumSource
    void who_turns_into_an_account_has_its_groups_and_no_right_of_root(Shims.Kind kind)
            throws Exception {
        Account account = nobody();
        Shims shims = installed(kind);
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
        var command = new ArrayList<>(shims.turning(account));
        command.addAll(
                List.of(
                        "sh",
                        "-c",
                        "id -u; id -g; id -G; grep -E '^(Uid|Gid|Cap[IPEA])' $0",
                        "/proc/self/status"));

        var ran = new Commands().run(command, Duration.ofSeconds(60));

        assertThat(ran.output().lines())
                .containsExactly(
                        "65534",
                        "65533",
                        "65533 7",
                        "Uid:\t65534\t65534\t65534\t65534",
                        "Gid:\t65533\t65533\t65533\t65533",
                        "CapInh:\t0000000000000000",
                        "CapPrm:\t0000000000000000",
                        "CapEff:\t0000000000000000",
                        "CapAmb:\t0000000000000000");
        assertThat(shims.turning(Account.own(0, 0, "/"))).isEmpty();
    }

    private void tryFiles(Shims.Kind kind, Path directory, Path input, Path output, boolean append)
            throws Exception {
        Files.deleteIfExists(files.folder().resolve("tried"));
        installed(kind)
                .tryFiles(
                        files,
                        nobody(),
                        directory,
                        new OutputFiles(input, output, output, "0027"),
                        append,
                        name -> await().atMost(Duration.ofMinutes(1)).until(() -> files.has(name)));
    }

    @ParameterizedTest
    @EnumSource
    void the_files_of_a_script_are_tried_and_emptied_by_its_account(Shims.Kind kind)
            throws Exception {
        nobody();
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
        Path work = Files.createDirectory(home.resolve("work"));
        Files.setAttribute(work, "unix:uid", 65534);
        Path nothing = Path.of("/dev/null");
        Path output = work.resolve("it's \n out");

        tryFiles(kind, work, nothing, output, false);
        assertThat(Files.getAttribute(output, "unix:uid")).isEqualTo(65534);
        assertThat(Files.getAttribute(output, "unix:gid")).isEqualTo(65533);
        assertThat(Files.getAttribute(output, "unix:mode")).isEqualTo(0100640);
        Files.writeString(output, "before");
        tryFiles(kind, work, nothing, output, true);
        assertThat(output).hasContent("before");
        tryFiles(kind, work, nothing, output, false);
        assertThat(output).isEmptyFile();
        Files.delete(output);
        new ProcessBuilder("mkfifo", output.toString()).start().waitFor();
        tryFiles(kind, work, nothing, output, false);
    }

    @ParameterizedTest
    @EnumSource
    void a_trial_of_files_that_is_broken_off_leaves_nobody_who_tries(Shims.Kind kind)
            throws Exception {
        Account account = nobody();
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
        Path output = Files.createFile(home.resolve("out"));
        Files.setAttribute(output, "unix:uid", 65534);
        Shims shims = installed(kind);
        var named = new OutputFiles(Path.of("/dev/null"), output, output, "0027");

        try (var _ = LeasedFile.of(output)) {
            try (var _ =
                    FileTrial.begin(() ->
                            shims.tryFiles(
                                    files, account, Path.of("/"), named, false, this::awaited))) {
                await().atMost(Duration.ofMinutes(1)).until(this::isTried);
            }
            // The open would end after 45 seconds, and the trial after 30.
            await().atMost(Duration.ofSeconds(20)).until(() -> !isTried());
        }

        await().until(() -> !files.has("trying"));
        assertThat(files.has("tried")).isFalse();
        assertThat(output).isEmptyFile();
    }

    private void awaited(String name) throws InterruptedException {
        while (!files.has(name)) {
            Thread.sleep(5);
        }
    }

    /// Whether a process of the account has been started from the home.
    private boolean isTried() {
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            return all.anyMatch(it ->
                    it.info().user().filter("nobody"::equals).isPresent()
                            && it.info()
                                    .commandLine()
                                    .filter(line -> line.contains(home.toString()))
                                    .isPresent());
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_an_account_cannot_use_is_named(Shims.Kind kind) throws Exception {
        nobody();
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
        Path nothing = Path.of("/dev/null");
        Path closed = Files.createDirectory(home.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        Path kept = Files.writeString(home.resolve("kept"), "kept");
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-------"));

        assertThatThrownBy(() -> tryFiles(kind, closed, nothing, nothing, false))
                .hasMessage(
                        "working directory %s does not exist, or may not be entered"
                                .formatted(closed));
        assertThatThrownBy(() -> tryFiles(kind, Path.of("/"), kept, nothing, false))
                .hasMessage("cannot read the input file " + kept);
        assertThatThrownBy(() -> tryFiles(kind, Path.of("/"), nothing, kept, false))
                .hasMessage("cannot open the output file " + kept + ": Permission denied");
        assertThat(kept).hasContent("kept");
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
    void shims_go_on_when_the_process_that_forked_them_ends() throws Exception {
        start(Shims.Kind.PROGRAM, "exit 7\n");
        ProcessHandle server = server(files);

        begun.getLast().close();
        await().until(() -> !server.isAlive());
        files.release();

        assertThat(exit()).isEqualTo(new ExitStatus(7, 0));
    }

    @Test
    void shims_are_forked_by_a_new_process_when_the_old_one_was_killed() throws Exception {
        start(Shims.Kind.PROGRAM, "exit 0\n");
        ProcessHandle server = server(files);
        RunFiles next = next();

        server.destroyForcibly();
        await().until(() -> !server.isAlive());
        begun.getLast().start(next, new NodeName("node1"), NEXT);

        await().until(() -> next.has("ready"));
        assertThat(server(next).pid()).isNotEqualTo(server.pid());
        end(files, next);
    }

    @Test
    void one_process_forks_the_shims_of_all_runs() throws Exception {
        start(Shims.Kind.PROGRAM, "exit 0\n");
        RunFiles next = next();

        begun.getLast().start(next, new NodeName("node1"), NEXT);
        await().until(() -> next.has("ready"));

        assertThat(server(next)).isEqualTo(server(files));
        end(files, next);
    }

    /// Another run that does the same.
    private RunFiles next() throws IOException {
        RunFiles next = RunFiles.of(home.resolve("nodes/node1/runs"), NEXT);
        for (String name : List.of("start", "entrances", "devices")) {
            next.write(name, told(name));
        }
        return next;
    }

    private static void end(RunFiles... all) throws IOException {
        for (RunFiles each : all) {
            each.release();
            await().until(() -> each.has("exit"));
        }
    }

    private static ProcessHandle server(RunFiles files) throws IOException {
        long shim = files.shim().orElseThrow().pid();
        return ProcessHandle.of(LiveProcess.stat(shim).orElseThrow().parent()).orElseThrow();
    }

    @Test
    void the_program_is_taken_where_a_compiler_was() throws Exception {
        assumeThat(new ProcessBuilder("sh", "-c", "command -v cc").start().waitFor()).isZero();

        assertThat(Shims.install(home, new Commands()).kind()).isEqualTo(Shims.Kind.PROGRAM);
    }
}
