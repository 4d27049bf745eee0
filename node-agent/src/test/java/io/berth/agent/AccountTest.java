package io.berth.agent;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.agent.host.StartRefused;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobSpec;
import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// An agent of root that runs each script under its user's account.
class AccountTest {

    private static final String USER = "nobody";

    @TempDir Path folder;
    private AgentRig rig;

    @BeforeEach
    void start() throws Exception {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.createFile(home.resolve("run-as-user"));
        Path crun = home.resolve("crun");
        Files.writeString(
                crun,
                "#!/bin/sh\nid -un\necho \"$@\"\ncat \"$6/config.json\"\n"
                        + "echo; stat -c '%U %a' \"$6\" \"$6/config.json\" \"$6/state\" | tr '\\n' ' '\n");
        Files.setPosixFilePermissions(crun, PosixFilePermissions.fromString("rwxr-xr-x"));
        rig = new AgentRig(folder, TestConfig.host(home, AgentRig.newNode()));
        Files.setOwner(
                rig.work,
                rig.work
                        .getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByName(USER));
        rig.placement.register(rig.node);
    }

    @AfterEach
    void stop() throws IOException {
        if (rig != null) {
            rig.close();
        }
    }

    private Ended run(String user, String body, String... gpus) {
        RunId run = HandPlacement.newRun();
        return run(run, Jobs.of(user, Jobs.script(run.job(), rig.work, body)), gpus);
    }

    private Ended run(RunId run, JobSpec spec, String... gpus) {
        rig.placement.launch(rig.node, run, spec, 64, gpus);
        return rig.placement.await(Ended.class, run);
    }

    private String found(String name) throws IOException {
        return Files.readString(rig.work.resolve(name));
    }

    @Test
    void a_script_runs_as_its_user_with_the_users_groups_and_no_rights_of_root() throws Exception {
        Ended ended =
                run(
                        USER,
                        "id -un >who; id -G >groups; echo $SLURM_JOB_UID >uid;"
                                + " grep CapEff /proc/self/status >rights; umask >mask");

        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(found("who")).isEqualTo(USER + "\n");
        assertThat(found("groups")).isEqualTo(idOf("-G") + "\n");
        assertThat(found("uid")).isEqualTo(idOf("-u") + "\n");
        assertThat(found("rights")).isEqualTo("CapEff:\t0000000000000000\n");
        assertThat(found("mask")).isEqualTo("0022\n");
        assertThat(Files.getOwner(rig.work.resolve("who")).getName()).isEqualTo(USER);
    }

    private static String idOf(String option) throws IOException {
        Process id = new ProcessBuilder("id", option, USER).start();
        return new String(id.getInputStream().readAllBytes(), US_ASCII).strip();
    }

    @Test
    void steps_run_as_the_user_too() throws Exception {
        Ended ended = run(USER, "srun -O -n2 sh -c 'id -un >step.$SLURM_PROCID'");

        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(found("step.1")).isEqualTo(USER + "\n");
    }

    private Path bundle() throws IOException {
        Path bundle = Files.createDirectories(rig.work.resolve("bundle"));
        Files.setOwner(bundle, Files.getOwner(rig.work));
        Files.setPosixFilePermissions(bundle, PosixFilePermissions.fromString("rwx------"));
        return bundle;
    }

    private Ended runIn(Path container, RunId run) {
        JobSpec spec = Jobs.script(run.job(), rig.work, "true");
        return run(run, Jobs.of(USER, Jobs.in(container, spec)));
    }

    @Test
    void a_container_is_run_by_its_users_account_with_the_runs_script_and_variables()
            throws Exception {
        Path bundle = bundle();
        Files.writeString(bundle.resolve("config.json"), "{\"process\":{\"env\":[\"THEIRS=1\"]}}");
        RunId run = HandPlacement.newRun();

        runIn(bundle, run);

        List<String> lines = rig.output(run).lines().toList();
        assertThat(lines.get(0)).isEqualTo(USER);
        assertThat(lines.get(1)).endsWith("/container berth-" + run);
        assertThat(lines.get(2))
                .contains("\"path\":\"" + bundle + "/rootfs\"")
                .contains("\"THEIRS=1\"", "\"SLURM_CONTAINER=" + bundle + "\"")
                .contains("\"BERTH_STEPS=/run/berth/run/job/steps\"")
                .contains("\"args\":[\"/run/berth/run/job/script\"]")
                .contains("\"hostID\":" + idOf("-u"));
        assertThat(lines.get(3)).startsWith("root 711 " + USER + " 600 " + USER + " ");
    }

    @Test
    void a_steps_srun_is_run_again_in_a_container_with_its_own_variables() throws Exception {
        Path bundle = bundle();
        Files.writeString(bundle.resolve("config.json"), "{\"process\":{\"env\":[\"THEIRS=1\"]}}");
        RunId run = HandPlacement.newRun();
        String step = "A='two words' srun --container=bundle -n2 sh -c 'echo \"$A\"'";

        run(run, Jobs.of(USER, Jobs.script(run.job(), rig.work, step)));

        List<String> lines = rig.output(run).lines().toList();
        assertThat(lines.get(0)).isEqualTo(USER);
        assertThat(lines.get(1)).matches(".*/container/([0-9]+) berth-" + run + "-\\1");
        assertThat(lines.get(2))
                .contains("\"path\":\"" + bundle + "/rootfs\"", "\"cwd\":\"" + rig.work + "\"")
                .contains("\"THEIRS=1\"", "\"A=two words\"", "\"SLURM_CONTAINER=" + bundle + "\"")
                .contains("\"BERTH_STEPS=/run/berth/run/job/steps\"")
                .contains("\"args\":[\"/run/berth/bin/srun\",\"--container=bundle\",\"-n2\",\"sh\"")
                .contains("\"hostID\":" + idOf("-u"));
        assertThat(lines.get(3)).startsWith("root 711 " + USER + " 600 " + USER + " ");
    }

    /// As of a job on two nodes, whose other one is not of the step. Who comes to no pipe has the
    /// `srun` wait.
    @Test
    void a_step_outside_of_its_scripts_container_begins_where_its_user_may_not_be()
            throws Exception {
        Path bundle = bundle();
        Files.writeString(bundle.resolve("config.json"), "{}");
        RunId run = HandPlacement.newRun();
        String script =
                """
                mkdir shut; cd shut; chmod 0 "$PWD"
                export SLURM_CONTAINER=BUNDLE SLURM_JOB_NUM_NODES=2 BERTH_STEP_SECRET=none BERTH_STEP_NODES=HERE:2:2,other:2:2
                timeout 60 srun -w HERE -n1 true; echo "status $?"
                """
                        .replace("BUNDLE", bundle.toString())
                        .replace("HERE", rig.node);

        run(run, Jobs.of(USER, Jobs.script(run.job(), rig.work, script)));

        assertThat(rig.output(run)).contains("\"cwd\":\"/tmp\"").endsWith("status 0\n");
    }

    @Test
    void what_of_a_container_only_root_may_read_is_not_read() throws Exception {
        Path bundle = bundle();
        Path secret = Files.writeString(folder.resolve("secret"), "{}");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Files.createSymbolicLink(bundle.resolve("config.json"), secret);

        Ended ended = runIn(bundle, HandPlacement.newRun());

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).contains("config.json").contains("Permission denied");
        Ended nowhere = runIn(folder.resolve("nowhere"), HandPlacement.newRun());
        assertThat(nowhere.message())
                .isEqualTo(
                        "container "
                                + folder.resolve("nowhere")
                                + " does not exist, or may not be entered");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mknod gpu c 195 0",
                "ls $BERTH_STEPS/..",
                "ls $BERTH_STEPS/../..",
                "cat $BERTH_STEPS/../../intent",
                "cat $BERTH_STEPS/../../../../lock", // Who reads it can lock it.
                "cat $BERTH_STEPS/../../start",
                "echo >>$BERTH_STEPS/../new",
                "echo >>$BERTH_STEPS/../../exit",
                "mv $BERTH_STEPS/../../intent $BERTH_STEPS/../../begun",
                "kill -9 $PPID"
            })
    void a_script_cannot_reach_what_holds_it(String attempt) throws Exception {
        Ended ended = run(USER, attempt + " && touch done; exit 3");

        assertThat(rig.work.resolve("done")).doesNotExist();
        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
    }

    @Test
    void what_a_script_leaves_in_the_spool_is_bounded_whatever_it_writes_there() throws Exception {
        RunId run = HandPlacement.newRun();
        String body =
                """
                zeros() { dd if=/dev/zero bs=1M count=100 2>/dev/null; echo $? >>outcomes; }
                zeros >"$BERTH_STEPS/big"; rm "$BERTH_STEPS/big"
                exec 8>"$BERTH_STEPS/gone"; rm "$BERTH_STEPS/gone"; zeros >&8; exec 8>&-
                for file in "$BERTH_CHECKPOINT_FILE" "${0%/*}/begin"; do zeros >>"$file"; : >"$file"; done
                srun true && echo step >>outcomes
                """;
        rig.placement.launch(
                rig.node, run, Jobs.of(USER, Jobs.script(run.job(), rig.work, body)), 512);

        Ended ended = rig.placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(Files.readAllLines(rig.work.resolve("outcomes")))
                .containsExactly("1", "1", "1", "1", "step");
        assertThat(Files.readString(Path.of("/proc/self/mounts")))
                .doesNotContain(folder.toString());
    }

    @Test
    void other_users_see_nothing_of_what_its_steps_say() throws Exception {
        run(USER, "stat -c '%U %a' $BERTH_STEPS $BERTH_STEPS/../asks >modes; exit 0");

        assertThat(Files.readAllLines(rig.work.resolve("modes"))).containsOnly(USER + " 700");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cgroup.procs", "../cgroup.procs", "memory.limit_in_bytes", "memory.max"})
    void a_script_cannot_change_its_group(String file) throws Exception {
        Ended ended =
                run(
                        USER,
                        "for it in $(ls -d /sys/fs/cgroup/berth-test-*/*/$SLURM_JOB_ID.1/%1$s"
                                        .formatted(file)
                                + " /sys/fs/cgroup/*/berth-test-*/*/$SLURM_JOB_ID.1/%1$s"
                                        .formatted(file)
                                + " 2>/dev/null); do echo $it >>seen;"
                                + " echo 0 >$it && touch done; done; exit 3");

        assumeThat(rig.work.resolve("seen")).exists();
        assertThat(rig.work.resolve("done")).doesNotExist();
        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "no-such-user | there is no account 'no-such-user' on this node",
                "root         | jobs of 'root', who is root, are not run",
                "0            | '0' is no name of an account",
                "--help       | '--help' is no name of an account"
            })
    void a_user_without_an_account_of_his_own_gets_a_clear_word(String user, String message) {
        Ended ended = run(user, "true");

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).isEqualTo(message);
    }

    @Test
    void output_is_not_written_where_only_root_may_write() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "kept");
        Files.createSymbolicLink(rig.work.resolve("out"), secret);
        RunId run = HandPlacement.newRun();
        JobSpec spec =
                Jobs.spec(
                        run.job(),
                        rig.work.toString(),
                        "echo pwned",
                        List.of(),
                        Map.of(),
                        "out",
                        null);

        Ended ended = run(run, Jobs.of(USER, spec));

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message())
                .isEqualTo(
                        "cannot open the output file "
                                + rig.work.resolve("out")
                                + ": Permission denied");
        assertThat(secret).hasContent("kept");
    }

    @Test
    void a_folder_that_the_user_may_not_enter_is_named() throws Exception {
        Path closed = Files.createDirectory(folder.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        RunId run = HandPlacement.newRun();

        Ended ended = run(run, Jobs.of(USER, Jobs.script(run.job(), closed, "true")));

        assertThat(ended.message())
                .isEqualTo(
                        "working directory " + closed + " does not exist, or may not be entered");
    }

    @Test
    void a_home_that_accounts_cannot_reach_is_refused() throws Exception {
        Path closed = Files.createDirectory(folder.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        Path home = Files.createDirectories(closed.resolve("home"));
        Files.createFile(home.resolve("run-as-user"));

        assertThatThrownBy(
                        () -> AgentRig.start(TestConfig.host(home, "closed1"), TestBroker.shared()))
                .isInstanceOf(StartRefused.class)
                .hasMessageStartingWith(
                        "accounts of users cannot pass through " + closed.toRealPath());
    }
}
