package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.standalone.TestMesh.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// The way of a job through a whole mesh, by the commands that people type.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("mesh")
class JobsMeshTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestMesh mesh;

    JobsMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
    }

    @BeforeAll
    void start() throws IOException {
        mesh.up("--gpu-profile", "dgx-a100", "--virtual", "2xdgx-a100");
    }

    @AfterAll
    void stop() throws IOException {
        mesh.berth("down").succeeded();
        mesh.assertGone();
    }

    @Test
    void a_script_is_told_when_it_would_start_and_is_not_submitted() throws Exception {
        String script = example("hello-gpu.sbatch");

        assertThat(mesh.berth("sbatch", "--test-only", script).succeeded().err())
                .matches(
                        "sbatch: Job \\d+ to start at \\S+ using 1 processors on nodes \\S+ in partition \\S+\n");
        assertThat(mesh.berth("why", "--dry-run", script).succeeded().out())
                .startsWith("Would start: ");
    }

    @Test
    void a_script_runs_on_the_gpu_that_it_was_given() throws IOException {
        String script = example("hello-gpu.sbatch");

        Outcome outcome = mesh.berth("sbatch", "--wait", "--parsable", script).succeeded();

        long id = Long.parseLong(outcome.out().strip());
        JsonNode gpus = job(id).at("/allocations/0/gpus");
        assertThat(gpus).hasSize(1);
        assertThat(mesh.work().resolve("slurm-" + id + ".out"))
                .content()
                .contains("GPUs: " + gpus.path(0).asText())
                .contains("They are simulated");
        assertThat(mesh.berth("logs", "-f", Long.toString(id)).succeeded().out())
                .isEqualTo(Files.readString(mesh.work().resolve("slurm-" + id + ".out")));
    }

    @Test
    void a_job_is_in_the_books_that_slurmdb_tells() throws IOException {
        Outcome outcome = mesh.berth("sbatch", "--wait", "--parsable", "--wrap", "exit 3");
        String id = outcome.out().strip();

        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(
                                        mesh.operator()
                                                .get("/slurmdb/v0.0.40/job/" + id)
                                                .at("/jobs/0/state/current/0")
                                                .asText())
                                .isEqualTo("FAILED"));
    }

    @Test
    void a_java_program_submits_and_waits() throws IOException {
        Path script = mesh.work().resolve("train.sh");
        Files.writeString(script, "#!/bin/sh\nexit 3\n");

        Outcome outcome =
                mesh.run(
                        List.of(
                                System.getProperty("java.home") + "/bin/java",
                                "-cp",
                                TestMesh.ROOT.resolve("cli/target/lib") + "/*",
                                example("java/Train.java"),
                                script.toString()));

        assertThat(outcome.status()).as(outcome.err()).isEqualTo(3);
        assertThat(outcome.out()).matches("\\d+ FAILED on \\[\\S+]\n");
    }

    @Test
    void sbatch_exits_with_the_exit_code_of_the_job() throws IOException {
        Outcome outcome = mesh.berth("sbatch", "--wait", "--wrap", "exit 3");

        assertThat(outcome.status()).isEqualTo(3);
    }

    @Test
    void srun_is_the_terminal_of_a_job() throws IOException {
        String berth = TestMesh.ROOT.resolve("berth").toString();

        Outcome steps =
                mesh.run(
                        List.of(
                                "sh",
                                "-c",
                                "printf 'typed\\n' | \"$0\" srun -n2 -l sh -c 'cat; echo \"$1\" $SLURM_PROCID; exit 3' - \"it's\"",
                                berth));
        Outcome terminal =
                mesh.berth(
                        "srun",
                        "-G1",
                        "--pty",
                        "sh",
                        "-c",
                        "test -t 1 && test -n \"$SLURM_JOB_ID\" && echo yes");

        assertThat(steps.status()).as(steps.err()).isEqualTo(3);
        assertThat(steps.out().lines())
                .containsExactlyInAnyOrder("0: typed", "0: it's 0", "1: it's 1");
        assertThat(terminal.status()).as(terminal.err()).isZero();
        assertThat(terminal.out()).isEqualTo("yes\r\n");
    }

    @Test
    void sattach_is_at_the_streams_of_an_srun_and_leaves_it_alone() throws IOException {
        Outcome attached =
                mesh.run(
                        List.of(
                                "sh",
                                "-c",
                                """
                                mkfifo held; exec 3<>held
                                "$0" srun sh -c 'echo $SLURM_JOB_ID; read -r line; echo got $line; exit 4' <&3 >srun.out &
                                until [ -s srun.out ]; do sleep 0.1; done
                                step=$(cat srun.out).0
                                "$0" sattach --layout $step
                                "$0" sattach -v $step <&3 2>said & watcher=$!
                                until [ -s said ]; do sleep 0.1; done
                                kill $watcher; wait $watcher; echo "left with $?"
                                echo hello | "$0" sattach --label $step; echo "ended with $?"
                                wait; tail -n1 srun.out
                                "$0" sattach $step 2>&1
                                cat said
                                """,
                                TestMesh.ROOT.resolve("berth").toString()));

        assertThat(attached.out())
                .as(attached.err())
                .startsWith("Job step layout:\n\t1 tasks, 1 nodes (")
                .contains("1 task(s): 0 \nleft with 143\n0: got hello\nended with 4\ngot hello\n")
                .containsPattern("sattach: error: job \\d+ is over\n")
                .containsPattern("sattach: attached to StepId=\\d+\\.0 on \\S+\n$");
    }

    @Test
    void srun_starts_steps_in_a_job_that_runs() throws IOException {
        Outcome outcome =
                mesh.run(
                        List.of(
                                "sh",
                                "-c",
                                """
                                id=$("$0" sbatch --parsable -N2 -n4 --gpus-per-node=1 -o joined.out --wrap 'sed "1d;s/ .*//" "$BERTH_HOSTFILE"; until [ -e left ]; do sleep 0.1; done')
                                until [ -s joined.out ]; do sleep 0.1; done
                                echo typed | "$0" srun --jobid=$id --overlap -N1 sh -c 'cat; echo $SLURM_JOB_ID.$SLURM_STEP_ID ${CUDA_VISIBLE_DEVICES%%-*}; exit 3' | sed "s/^$id/JOB/"
                                "$0" srun --jobid=$id --overlap -l sh -c 'echo $SLURM_NTASKS' | sort
                                "$0" srun --jobid=$id --overlap --pty sh -c 'test -t 0 && echo a terminal'
                                "$0" srun --jobid=$id --overlap --pty -w $(cat joined.out) sh -c 'test -t 0 && stty size && echo on $SLURMD_NODENAME; exit 4' | sed "s/$(cat joined.out)/the second/;/Exited with exit code 4/d"
                                SLURM_LABELIO=1 "$0" srun --jobid=$id --overlap -N1 sh -c 'echo there; exec sleep 300' >doomed.out & doomed=$!
                                until grep there doomed.out; do sleep 0.1; done
                                "$0" scancel $id.4; wait $doomed; echo "ended with $?"
                                : >left
                                until "$0" sacct -n -X -j $id -o State | grep -q COMPLETED; do sleep 0.2; done
                                "$0" sacct -n -P -j $id -o JobID,State,ExitCode | sed "s/^$id/JOB/;/[.]4/d" | LC_ALL=C sort
                                "$0" srun --jobid=$id true 2>&1 | sed "s/$id/JOB/g"
                                """,
                                TestMesh.ROOT.resolve("berth").toString()));

        assertThat(outcome.out())
                .as(outcome.err())
                .isEqualTo(
                        """
                        typed
                        JOB.0 GPU
                        0: 2
                        1: 2
                        a terminal\r
                        24 80\r
                        on the second\r
                        0: there
                        ended with 137
                        JOB.0|FAILED|3:0
                        JOB.1|COMPLETED|0:0
                        JOB.2|COMPLETED|0:0
                        JOB.3|FAILED|4:0
                        JOB.batch|COMPLETED|0:0
                        JOB|COMPLETED|0:0
                        srun: error: Unable to confirm allocation for job JOB: Job/step already completing or completed
                        srun: Check SLURM_JOB_ID environment variable. Expired or invalid job JOB
                        """);
    }

    @Test
    void every_round_of_the_mesh_decides_the_same_again() throws Exception {
        mesh.berth("sbatch", "--wait", "--wrap", "true").succeeded();

        assertThat(mesh.berth("replay").succeeded().out())
                .startsWith("Rounds ")
                .endsWith("all the same.\n");
        assertThat(mesh.berth("replay", "--shadow", "--policy", "sjf").succeeded().out())
                .contains("As it was: ")
                .contains("The shadow, simulated: order sjf");
    }

    @Test
    void salloc_holds_an_allocation_for_the_steps_of_its_shell() throws IOException {
        String berth = TestMesh.ROOT.resolve("berth").toString();

        Outcome outcome =
                mesh.berth(
                        "salloc",
                        "-G1",
                        "sh",
                        "-c",
                        "\"$0\" srun sh -c 'echo step of $SLURM_JOB_ID on ${CUDA_VISIBLE_DEVICES%%-*}'; echo here $SLURM_JOB_ID $SLURM_GPUS; exit 4",
                        berth);

        assertThat(outcome.status()).as(outcome.err()).isEqualTo(4);
        assertThat(outcome.err()).contains("Granted job allocation");
        String id = outcome.out().replaceAll("(?s).*here (\\d+) 1\\R", "$1");
        assertThat(outcome.out()).isEqualTo("step of %1$s on GPU\nhere %1$s 1\n".formatted(id));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("sacct", "-n", "-X", "-o", "State", "-j", id).out())
                                .contains("COMPLETED"));
    }

    @Test
    void an_allocation_without_a_shell_takes_files_and_programs_from_here() throws IOException {
        Path model = mesh.work().resolve("model");
        Files.writeString(model, "weights\n");
        Path program = mesh.work().resolve("tell.sh");
        Files.writeString(program, "#!/bin/sh\necho $(cat \"$1\") by ${0##*/}\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Path there = Files.createDirectories(mesh.work().resolve("there"));

        Outcome left = mesh.berth("salloc", "--no-shell", "-N2").succeeded();
        String id = left.err().replaceAll("(?s).*Granted job allocation (\\d+)\\R.*", "$1");
        // Both nodes have the same folder here.
        mesh.berth("sbcast", "-f", "-j", id, model.toString(), there + "/copy").succeeded();
        Outcome refused = mesh.berth("sbcast", "-j", id, model.toString(), there + "/copy");
        Outcome ran =
                mesh.berth(
                        "srun",
                        "--jobid=" + id,
                        "-l",
                        "--bcast=" + there + "/",
                        program.toString(),
                        there + "/copy");
        mesh.berth("scancel", id).succeeded();

        assertThat(left.out()).isEmpty();
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains(": File exists");
        assertThat(ran.out().lines().sorted())
                .as(ran.err())
                .satisfiesExactly(
                        line ->
                                assertThat(line)
                                        .startsWith("0: weights by slurm_bcast_" + id + ".0_"),
                        line ->
                                assertThat(line)
                                        .startsWith("1: weights by slurm_bcast_" + id + ".0_"));
        assertThat(there.toFile().list()).hasSize(3);
    }

    @Test
    void a_triggers_program_runs_as_the_user_when_the_job_is_over(@TempDir Path noBlanks)
            throws IOException {
        Path told = noBlanks.resolve("told.txt");
        Path program = noBlanks.resolve("tell.sh");
        Files.writeString(program, "#!/bin/sh\necho \"$2 $(id -un)\" > \"$1\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        String id = submitted("--hold", "--wrap", "true");

        mesh.berth("strigger", "--set", "--jobid=" + id, "--fini", "-p", program + " " + told)
                .succeeded();
        assertThat(mesh.berth("strigger", "--get", "-N", "-j", id).succeeded().out())
                .contains(" fini ", program.toString());
        mesh.berth("scontrol", "release", id).succeeded();

        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(told)
                                .content()
                                .isEqualTo(id + " " + System.getProperty("user.name") + "\n"));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("strigger", "--get").succeeded().out()).isEmpty());
    }

    @Test
    void a_container_is_looked_for_from_where_srun_and_salloc_are() throws IOException {
        String berth = TestMesh.ROOT.resolve("berth").toString();

        Outcome alone = mesh.berth("srun", "--container=nowhere", "true");
        assumeThat(alone.err()).doesNotContain("no container runtime");
        Outcome held =
                mesh.berth(
                        "salloc",
                        "--container=first",
                        "sh",
                        "-c",
                        "echo $SLURM_CONTAINER; cd /; \"$0\" srun true; \"$0\" srun --container=second true",
                        berth);

        String folder = held.out().strip().replaceFirst("/first$", "");
        assertThat(folder).startsWith("/");
        assertThat(alone.status()).isEqualTo(1);
        assertThat(alone.err()).contains("container " + folder + "/nowhere ");
        assertThat(held.status()).isEqualTo(1);
        assertThat(held.err())
                .contains("container " + folder + "/first ")
                .contains("container /second ");
    }

    @Test
    void the_script_of_a_heterogeneous_job_reaches_all_components_and_they_end_with_it()
            throws IOException {
        Path script = mesh.work().resolve("mixed.sh");
        Files.writeString(
                script,
                """
                #!/bin/sh
                #SBATCH -n1
                #SBATCH hetjob
                #SBATCH -N2 --ntasks-per-node=1 --gpus-per-node=1
                echo $SLURM_HET_SIZE $SLURM_JOB_NUM_NODES $SLURM_JOB_NUM_NODES_HET_GROUP_1
                srun sh -c 'echo $SLURM_JOB_ID has no GPU$CUDA_VISIBLE_DEVICES'
                srun --het-group=1 -l sh -c 'echo $SLURM_JOB_ID has a ${CUDA_VISIBLE_DEVICES%%-*}' | sort
                srun -l sh -c 'echo first of $SLURM_NTASKS, GPU$CUDA_VISIBLE_DEVICES' : \\
                    sh -c 'echo on $SLURM_NODEID of $SLURM_JOB_ID, a ${CUDA_VISIBLE_DEVICES%%-*}' | sort
                srun --het-group=0-1 -N1 sh -c 'exit $((SLURM_PROCID + 3))' 2>&1 | grep -o 'task .*' | sort
                """);

        long id = Long.parseLong(submitted("--wait", script.toString()));

        assertThat(mesh.work().resolve("slurm-" + id + ".out"))
                .content()
                .isEqualTo(
                        """
                        2 1 2
                        %1$d has no GPU
                        0: %2$d has a GPU
                        1: %2$d has a GPU
                        0: first of 3, GPU
                        1: on 1 of %1$d, a GPU
                        2: on 2 of %1$d, a GPU
                        task 0: Exited with exit code 3
                        task 1: Exited with exit code 4
                        """
                                .formatted(id, id + 1));
        ended(id, "COMPLETED", "COMPLETED");
        await("a step of several components has one number, and a line of each")
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(steps(id))
                                .containsExactly(
                                        "+0.0 1", "+0.2 1", "+0.3 1", "+1.1 2", "+1.2 2",
                                        "+1.3 1"));

        long sleeps = Long.parseLong(submitted("-n1", ":", "-G1", "--wrap", "sleep 600"));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(squeue(sleeps))
                                .isEqualTo("%1$d+0 R\n%1$d+1 R\n".formatted(sleeps)));
        mesh.berth("scancel", Long.toString(sleeps)).succeeded();
        ended(sleeps, "CANCELLED.*", "CANCELLED.*");
    }

    @Test
    void salloc_and_srun_hold_components_that_a_colon_parts() throws IOException {
        String berth = TestMesh.ROOT.resolve("berth").toString();

        var held =
                mesh.berth(
                        "salloc",
                        "-Q",
                        "-n1",
                        ":",
                        "-G1",
                        "sh",
                        "-c",
                        "echo $SLURM_HET_SIZE; \"$0\" srun -l sh -c 'echo GPU$CUDA_VISIBLE_DEVICES' : sh -c 'echo ${CUDA_VISIBLE_DEVICES%%-*}' | sort",
                        berth);
        var alone =
                mesh.berth("srun", "-Q", "-l", "-n1", ":", "-n2", "sh", "-c", "exit $SLURM_PROCID");

        assertThat(held.out()).isEqualTo("2\n0: GPU\n1: GPU\n");
        assertThat(held.status()).isZero();
        assertThat(alone.err()).contains("task 1: Exited with exit code 1", "task 2: Exited");
        assertThat(alone.status()).isEqualTo(2);
    }

    /// The steps of a job in the books, each with its tasks.
    private List<String> steps(long id) throws IOException {
        return mesh.berth("sacct", "-nP", "-o", "JobID,NTasks", "-j", Long.toString(id))
                .out()
                .lines()
                .filter(it -> it.matches("[0-9+]+\\.[0-9].*"))
                .map(it -> it.substring(Long.toString(id).length()).replace('|', ' '))
                .toList();
    }

    private String squeue(long id) throws IOException {
        return mesh.berth("squeue", "-h", "-S", "i", "-o", "%i %t", "-j", Long.toString(id)).out();
    }

    /// Waits until the books have both components of a job with these states.
    private void ended(long id, String first, String second) {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth(
                                                        "sacct",
                                                        "-nPX",
                                                        "-o",
                                                        "JobID,State",
                                                        "-j",
                                                        Long.toString(id))
                                                .out())
                                .matches(
                                        "%1$d\\+0\\|%2$s\n%1$d\\+1\\|%3$s\n"
                                                .formatted(id, first, second)));
    }

    @Test
    void accounting_has_a_job_that_ended() throws IOException {
        String id =
                mesh.berth("sbatch", "--wait", "--parsable", example("cpu-only.sbatch"))
                        .succeeded()
                        .out()
                        .strip();

        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("sacct", "-n", "-X", "-o", "State", "-j", id).out())
                                .contains("COMPLETED"));

        assertThat(mesh.berth("sacct", "--json", "-j", id).succeeded().json().path("jobs"))
                .hasSize(1);
        assertThat(mesh.work().resolve("slurm-" + id + ".out"))
                .content()
                .isEqualTo("pi is about 3.1416, from 2 parts\n");
    }

    @Test
    void accounting_has_the_steps_of_a_script() throws IOException {
        String id =
                mesh.berth(
                                "sbatch",
                                "--wait",
                                "--parsable",
                                "--wrap",
                                "srun -n2 true; srun -J two sh -c 'exit 3'; true")
                        .succeeded()
                        .out()
                        .strip();

        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth(
                                                        "sacct",
                                                        "-n",
                                                        "-P",
                                                        "-o",
                                                        "JobID,JobName,NTasks,State,ExitCode",
                                                        "-j",
                                                        id)
                                                .out())
                                .isEqualTo(
                                        """
                                        ID|wrap||COMPLETED|0:0
                                        ID.batch|batch|1|COMPLETED|0:0
                                        ID.0|true|2|COMPLETED|0:0
                                        ID.1|two|1|FAILED|3:0
                                        """
                                                .replace("ID", id)));
    }

    @Test
    void a_step_runs_on_all_nodes_of_its_job_and_fails_as_one() throws IOException {
        String script =
                """
                cd "$SLURM_SUBMIT_DIR"
                export GIVEN='to all'
                printf 'typed\n' | srun -l sh -c 'cat; echo "$GIVEN" $SLURM_PROCID of $SLURM_NTASKS, $SLURM_LOCALID on $SLURM_NODEID $SLURMD_NODENAME $RANK'
                srun -N1 -r1 sh -c 'echo second $SLURM_STEP_ID $SLURMD_NODENAME ${CUDA_VISIBLE_DEVICES%%-*}'
                srun -N1 sh -c ': >one; until [ -e other ]; do sleep 0.1; done' &
                srun -N1 sh -c ': >other; until [ -e one ]; do sleep 0.1; done'
                wait && echo met
                srun -n2 -K sh -c '[ $SLURM_PROCID = 0 ] || exit 7; exec sleep 300'
                """;

        Outcome outcome =
                mesh.berth(
                        "sbatch",
                        "--wait",
                        "-N2",
                        "-n3",
                        "--gpus-per-node=1",
                        "-oout.%j",
                        "--wrap",
                        script);

        assertThat(outcome.status()).isEqualTo(143);
        String id = outcome.out().replaceAll("\\D", "");
        JsonNode held = job(Long.parseLong(id)).path("allocations");
        String first = held.path(0).path("node").asText();
        String second = held.path(1).path("node").asText();
        assertThat(Files.readAllLines(mesh.work().resolve("out." + id)))
                .filteredOn(line -> !line.contains("Terminated"))
                .containsExactlyInAnyOrder(
                        "0: typed",
                        "0: to all 0 of 3, 0 on 0 %s 0".formatted(first),
                        "1: to all 1 of 3, 1 on 0 %s 1".formatted(first),
                        "2: to all 2 of 3, 0 on 1 %s 2".formatted(second),
                        "second 1 %s GPU".formatted(second),
                        "met",
                        "srun: error: %s: task 1: Exited with exit code 7".formatted(second),
                        "srun: error: %s: task 0: Exited with exit code 143".formatted(first));
    }

    @Test
    void srun_has_a_job_of_several_nodes_and_a_program_for_each_task() throws IOException {
        Files.writeString(mesh.work().resolve("programs"), "0 echo leads\n* echo follows %o\n");

        Outcome outcome = mesh.berth("srun", "-N2", "-n3", "-l", "--multi-prog", "programs");

        assertThat(outcome.status()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .containsExactlyInAnyOrder("0: leads", "1: follows 1", "2: follows 2");
    }

    @Test
    void a_job_over_a_limit_waits_for_it_until_it_is_lifted() throws IOException {
        mesh.berth("sacctmgr", "-i", "add", "qos", "narrow", "MaxTRESPerUser=gres/gpu=1")
                .succeeded();
        String first = narrow();
        String second = narrow();

        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("squeue", "-h", "-o", "%T %r", "-j", second).out())
                                .isEqualTo("PENDING QOSMaxGRESPerUser\n"));
        assertThat(mesh.berth("sprio", "-h", "-o", "%i", "-j", second).out())
                .isEqualTo(second + "\n");
        assertThat(mesh.berth("sshare", "-a", "-n", "-P").succeeded().out())
                .contains(" team_a|alice|30|");

        mesh.berth("sacctmgr", "-i", "modify", "qos", "narrow", "set", "MaxTRESPU=gres/gpu=2")
                .succeeded();
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("squeue", "-h", "-o", "%T", "-j", second).out())
                                .isEqualTo("RUNNING\n"));
        assertThat(mesh.berth("sacctmgr", "-i", "delete", "qos", "narrow").err())
                .contains("QOS narrow has 2 jobs that have not ended");
        mesh.berth("scancel", first, second).succeeded();
    }

    /// A job of one GPU in QOS `narrow`, as soon as the gateway knows that.
    private String narrow() {
        return await().atMost(PATIENCE)
                .until(
                        () ->
                                mesh.berth(
                                        "sbatch",
                                        "--parsable",
                                        "--qos=narrow",
                                        "--gres=gpu:1",
                                        "--wrap",
                                        "sleep 300"),
                        it -> it.status() == 0)
                .out()
                .strip();
    }

    @Test
    void a_job_beyond_a_budget_waits_until_there_is_more() throws IOException {
        mesh.berth("sacctmgr", "-i", "add", "qos", "thrifty", "GrpTRESMins=cpu=30").succeeded();
        String id =
                await().atMost(PATIENCE)
                        .until(
                                () ->
                                        mesh.berth(
                                                "sbatch",
                                                "--parsable",
                                                "--qos=thrifty",
                                                "--time=60",
                                                "--wrap",
                                                "true"),
                                it -> it.status() == 0)
                        .out()
                        .strip();
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("squeue", "-h", "-o", "%T %r", "-j", id).out())
                                .isEqualTo("PENDING QOSGrpCPUMinutesLimit\n"));

        mesh.berth("sacctmgr", "-i", "modify", "qos", "thrifty", "set", "GrpTRESMins=cpu=90")
                .succeeded();

        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth(
                                                        "sacct", "-X", "-n", "-P", "-o", "State",
                                                        "-j", id)
                                                .out())
                                .isEqualTo("COMPLETED\n"));
        assertThat(mesh.berth("share", "budget", "-n", "-P").succeeded().out())
                .contains("qos/thrifty|GrpTRESMins|cpu|90|0|90\n");
    }

    @Test
    void both_nodes_of_a_training_job_take_part() throws IOException {
        String id =
                mesh.berth("sbatch", "--wait", "--parsable", example("train-torchrun.sbatch"))
                        .succeeded()
                        .out()
                        .strip();

        for (int rank = 0; rank < 2; rank++) {
            assertThat(mesh.work().resolve("train-" + id + "-" + rank + ".out"))
                    .content()
                    .contains("rank %d of 2".formatted(rank))
                    .containsPattern(
                            "y = 2\\.0\\d x \\+ 1\\.0\\d|y = 1\\.9\\d x \\+ |all 2 nodes met");
        }
        assertThat(job(Long.parseLong(id)).path("nodeNames")).hasSize(2);
    }

    @Test
    void a_sweep_runs_one_job_for_each_value() throws IOException {
        Outcome sweep = mesh.run(List.of(example("sweep.sh"))).succeeded();

        List<String> ids = sweep.out().lines().toList();
        assertThat(ids).hasSize(4);
        for (String id : ids) {
            await().atMost(PATIENCE)
                    .until(() ->
                            job(Long.parseLong(id)).path("state").asText().equals("COMPLETED"));
        }
        assertThat(mesh.work().resolve("sweep-" + ids.get(1) + ".out"))
                .content()
                .contains("rate=0.1 x=3.0000");
    }

    @Test
    void the_environment_of_the_caller_reaches_the_job_as_it_is() throws IOException {
        List<String> command =
                List.of(
                        "env",
                        "java=mine",
                        "MAVEN_OPTS=-Dmine",
                        TestMesh.ROOT.resolve("berth").toString(),
                        "sbatch",
                        "--wait",
                        "--parsable",
                        "--wrap",
                        "env; pwd");

        String id = mesh.run(command).succeeded().out().strip();

        assertThat(Files.readAllLines(mesh.work().resolve("slurm-" + id + ".out")))
                .contains("MAVEN_OPTS=-Dmine", mesh.work().toString())
                .contains("java=mine")
                .noneMatch(line -> line.startsWith("berth_"));
    }

    @Test
    void a_link_to_berth_is_the_command_of_its_name() throws IOException {
        Path links = Files.createDirectory(mesh.work().resolve("links"));
        mesh.berth("install-links", links.toString()).succeeded();

        Outcome outcome = mesh.run(List.of(links.resolve("squeue").toString(), "--version"));

        assertThat(outcome.succeeded().out()).isNotBlank();
    }

    /// The workflow's lines are those by which Snakemake's plugin and profiles drive a Slurm.
    @Test
    void makefiles_and_workflows_drive_the_commands_by_their_names() throws IOException {
        Path links = Files.createDirectory(mesh.work().resolve("commands"));
        mesh.berth("install-links", links.toString()).succeeded();
        Files.writeString(
                mesh.work().resolve("Makefile"),
                """
                whole: part.1 part.2 part.3
                \tcat $^ >$@
                part.%:
                \tsbatch --wait -Q -o /dev/null --wrap 'echo $* >$@'
                """);
        String workflow =
                """
                PATH=$1:$PATH
                make -s -j3 whole || exit
                id=$(sbatch --parsable -J rule --no-requeue -o /dev/null --wrap 'exit 3') || exit
                until squeue -h -o '%i %t' -t all | grep -q "^$id "; do sleep 0.1; done
                until sacct -X --parsable2 --clusters all --noheader --format=JobIdRaw,State --starttime now-2hours \
                    --endtime now --name rule | grep -q "^$id|FAILED"; do sleep 0.2; done
                sacct -P -b -j "$id" -n | sed -n 1p
                """;

        Outcome outcome =
                mesh.run(List.of("sh", "-c", workflow, "workflow", links.toString())).succeeded();

        assertThat(outcome.out()).matches("\\d+\\|FAILED\\|3:0\n");
        assertThat(mesh.work().resolve("whole")).hasContent("1\n2\n3\n");
    }

    @Test
    void nextflow_runs_a_pipeline_by_its_slurm_executor() throws IOException {
        Path libraries = TestMesh.ROOT.resolve("nextflow/target/lib");
        assumeThat(libraries).as("Nextflow, which `berth test` fetches").isDirectory();
        Path pipeline = Files.createDirectory(mesh.work().resolve("pipeline"));
        mesh.berth("install-links", pipeline.toString()).succeeded();
        Files.writeString(
                pipeline.resolve("main.nf"),
                """
                process SQUARE {
                    cpus 1
                    memory '64 MB'
                    time '5m'
                    input: val n
                    output: stdout
                    script: "printf %d \\$(($n * $n))"
                }
                workflow { Channel.of(1, 2, 3) | SQUARE | collect | view { it.sort().join(',') } }
                """);
        Files.writeString(
                pipeline.resolve("nextflow.config"),
                """
                process.executor = 'slurm'
                executor { pollInterval = '300ms'; queueStatInterval = '1s' }
                """);
        String command =
                """
                cd pipeline || exit
                export PATH="$PWD:$PATH" NXF_OFFLINE=true NXF_HOME="$PWD/home" NXF_ANSI_LOG=false NXF_DISABLE_CHECK_LATEST=true
                exec "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$0/*" nextflow.cli.Launcher run main.nf
                """;

        Outcome outcome = mesh.run(List.of("sh", "-c", command, libraries.toString())).succeeded();

        assertThat(outcome.out()).endsWith("1,4,9\n");
        assertThat(mesh.berth("sacct", "-X", "-n", "-P", "-o", "JobName").out())
                .contains("nf-SQUARE_(1)", "nf-SQUARE_(2)", "nf-SQUARE_(3)");
    }

    @Test
    void a_second_mesh_on_the_same_ports_is_refused_before_it_starts() throws IOException {
        Path other = mesh.work().resolve("other home");

        Outcome outcome = mesh.berth("up", "--detach", "--home", other.toString());

        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.out() + outcome.err())
                .contains("port %d (submit) is taken".formatted(mesh.ports().base()));
    }

    @Test
    void a_second_up_on_the_same_home_says_so() throws IOException {
        Outcome outcome = mesh.berth("up", "--detach").succeeded();

        assertThat(outcome.out()).contains("is up already");
    }

    @Test
    void status_lists_every_part() throws IOException {
        Outcome outcome = mesh.berth("status", "--json").succeeded();

        assertThat(outcome.json().path("parts"))
                .extracting(part -> part.path("name").asText())
                .containsExactly(
                        "kafka",
                        "postgres",
                        "placement",
                        "priority",
                        "submit",
                        "accounting",
                        "agent");
    }

    @Test
    void the_metrics_are_those_that_are_documented() throws IOException {
        List<String> wholeCluster =
                List.of("sbatch", "--parsable", "-N3", "--gpus-per-node=8", "--wrap", "sleep 60");
        mesh.berth("sbatch", "--wait", "--wrap", "true").succeeded();
        List<String> runsAndWaits =
                List.of(
                        mesh.berth(wholeCluster.toArray(String[]::new)).succeeded().out().strip(),
                        mesh.berth(wholeCluster.toArray(String[]::new)).succeeded().out().strip());
        try {
            for (String service :
                    List.of("submit", "priority", "placement", "accounting", "agent")) {
                Map<String, Set<String>> documented = Metrics.documented(service);
                // Nobody gives way here: PreemptionMeshTest looks for it.
                documented.remove(PreemptionMeshTest.METRIC);
                await().atMost(PATIENCE)
                        .untilAsserted(() ->
                                assertThat(Metrics.of(mesh.port(service))).isEqualTo(documented));
            }
        } finally {
            mesh.berth("scancel", runsAndWaits.get(1), runsAndWaits.get(0)).succeeded();
        }
    }

    @Test
    void each_task_of_an_array_runs_once_with_its_index() throws IOException {
        String id =
                mesh.berth(
                                "sbatch",
                                "--wait",
                                "--parsable",
                                "--array=2-6:2%2",
                                "--wrap",
                                "echo task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT")
                        .succeeded()
                        .out()
                        .strip();

        for (int task : List.of(2, 4, 6)) {
            assertThat(mesh.work().resolve("slurm-" + id + "_" + task + ".out"))
                    .content()
                    .isEqualTo("task " + task + " of 3\n");
        }
    }

    @Test
    void a_chain_waits_for_its_first_job_which_waits_for_its_release() throws IOException {
        String first = submitted("--hold", "--wrap", "echo first >> chain");
        String second = submitted("-d", "afterok:" + first, "--wrap", "echo second >> chain");
        String never =
                submitted(
                        "--dependency=afternotok:" + first,
                        "--kill-on-invalid-dep=yes",
                        "--wrap",
                        "echo never >> chain");
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth(
                                                        "squeue",
                                                        "-h",
                                                        "-j",
                                                        first + "," + second,
                                                        "-S",
                                                        "i",
                                                        "-o",
                                                        "%r")
                                                .out())
                                .isEqualTo("JobHeldUser\nDependency\n"));

        mesh.berth("scontrol", "release", first).succeeded();

        awaitState(second, "COMPLETED");
        awaitState(never, "CANCELLED");
        assertThat(mesh.work().resolve("chain")).content().isEqualTo("first\nsecond\n");
    }

    @Test
    void a_drained_node_gets_no_work_until_it_is_resumed() throws IOException {
        String node = mesh.operator().get("/v1/nodes").at("/nodes/1/name").asText();
        String features = "Features=drained-once";
        mesh.berth("scontrol", "update", "NodeName=" + node, "State=DRAIN", "Reason=fan", features)
                .succeeded();
        String id = submitted("-C", "drained-once", "--wrap", "true");
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("squeue", "-h", "-j", id, "-o", "%T %r").out())
                                .isEqualTo("PENDING ReqNodeNotAvail\n"));
        assertThat(mesh.berth("sinfo", "-h", "-R", "-o", "%E %n %t").out())
                .isEqualTo("fan " + node + " drain\n");

        mesh.berth("scontrol", "update", "NodeName=" + node, "State=RESUME").succeeded();

        awaitState(id, "COMPLETED");
        assertThat(job(Long.parseLong(id)).path("nodeList").asText()).isEqualTo(node);
    }

    @Test
    void a_reserved_node_is_for_the_jobs_of_its_reservation_alone() throws IOException {
        String node = mesh.operator().get("/v1/nodes").at("/nodes/2/name").asText();
        mesh.berth(
                        "scontrol",
                        "create",
                        "reservation",
                        "ReservationName=course",
                        "Duration=60",
                        "Nodes=" + node,
                        "Users=" + System.getProperty("user.name"),
                        "Flags=IGNORE_JOBS")
                .succeeded();
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("sinfo", "-T").succeeded().out())
                                .containsPattern("course +ACTIVE .* " + node + "\n"));
        String stranger = submitted("-w", node, "-t", "10", "--wrap", "true");

        String own = submitted("--reservation=course", "-t", "10", "--wrap", "true");

        awaitState(own, "COMPLETED");
        assertThat(job(Long.parseLong(own)).path("nodeList").asText()).isEqualTo(node);
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("squeue", "-h", "-o", "%T %r", "-j", stranger).out())
                                .isEqualTo(
                                        "PENDING ReqNodeNotAvail, May be reserved for other job\n"));
        mesh.berth("scontrol", "delete", "ReservationName=course").succeeded();
        awaitState(stranger, "COMPLETED");
    }

    @Test
    void a_gang_that_wants_one_switch_waits_until_its_nodes_lie_under_one() throws IOException {
        JsonNode before = mesh.operator().accounting("/v1/configuration").path("document");
        String host = node(0);
        String left = node(1);
        String right = node(2);
        ObjectNode racked = before.deepCopy();
        racked.putPOJO(
                "switches",
                Map.of(
                        "s0", Map.of("nodes", host),
                        "s1", Map.of("nodes", left + "," + right),
                        "top", Map.of("switches", List.of("s0", "s1"))));
        ((ObjectNode) racked.path("partitions")).putObject("racked");
        apply(racked);
        String holder =
                await().atMost(PATIENCE)
                        .until(
                                () ->
                                        mesh.berth(
                                                "sbatch",
                                                "--parsable",
                                                "-pracked",
                                                "-w" + right,
                                                "--gres=gpu:8",
                                                "--wrap",
                                                "sleep 300"),
                                it -> it.status() == 0)
                        .out()
                        .strip();
        awaitState(holder, "RUNNING");

        String gang =
                submitted(
                        "-pracked",
                        "-N2",
                        "--gres=gpu:a100:4",
                        "--switches=1",
                        "--wrap",
                        "srun sh -c 'echo $SLURM_PROCID has $SLURM_GPUS_ON_NODE'");
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("squeue", "-h", "-o", "%T %r", "-j", gang).out())
                                .isEqualTo("PENDING Resources\n"));
        assertThat(mesh.berth("why", gang).succeeded().out())
                .contains("any number of switches instead of 1");
        mesh.berth("scancel", holder).succeeded();

        awaitState(gang, "COMPLETED");
        assertThat(job(Long.parseLong(gang)).path("nodeNames"))
                .extracting(JsonNode::asText)
                .containsExactlyInAnyOrder(left, right);
        assertThat(mesh.work().resolve("slurm-" + gang + ".out"))
                .content()
                .contains("0 has 4\n", "1 has 4\n");
        apply(before);
    }

    @Test
    void a_job_of_two_partitions_runs_in_the_one_that_has_room_first() throws IOException {
        JsonNode before = mesh.operator().accounting("/v1/configuration").path("document");
        ObjectNode halves = before.deepCopy();
        var partitions = (ObjectNode) halves.path("partitions");
        partitions.putObject("left").put("nodes", node(1));
        partitions.putObject("right").put("nodes", node(2));
        apply(halves);
        List<String> holders =
                List.of("left", "right").stream()
                        .map(it ->
                                await().atMost(PATIENCE)
                                        .until(
                                                () ->
                                                        mesh.berth(
                                                                "sbatch",
                                                                "--parsable",
                                                                "-p" + it,
                                                                "--gres=gpu:8",
                                                                "--wrap",
                                                                "sleep 300"),
                                                outcome -> outcome.status() == 0)
                                        .out()
                                        .strip())
                        .toList();
        for (String holder : holders) {
            awaitState(holder, "RUNNING");
        }

        String listed =
                submitted("-pleft,right", "--gres=gpu:8", "--wrap", "echo in $SLURM_JOB_PARTITION");
        String moved = submitted("-pleft", "--gres=gpu:8", "--hold", "--wrap", "true");
        mesh.berth("scontrol", "update", "JobId=" + moved, "Partition=right,left").succeeded();
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth("squeue", "-h", "-pright", "-o", "%P %r")
                                                .succeeded()
                                                .out()
                                                .lines())
                                .contains("left,right Resources", "right,left JobHeldUser"));
        assertThat(mesh.berth("scontrol", "show", "job", listed).succeeded().out())
                .contains("Partition=left,right ");
        assertThat(mesh.berth("why", listed).succeeded().out())
                .contains("It may start in any of its partitions.");
        mesh.berth("scancel", moved, holders.getLast()).succeeded();

        awaitState(listed, "COMPLETED");
        assertThat(mesh.work().resolve("slurm-" + listed + ".out")).hasContent("in right");
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth(
                                                        "sacct",
                                                        "-X",
                                                        "-P",
                                                        "-n",
                                                        "-j",
                                                        listed,
                                                        "-o",
                                                        "Partition,State")
                                                .succeeded()
                                                .out())
                                .isEqualTo("right|COMPLETED\n"));
        mesh.berth("scancel", holders.getFirst()).succeeded();
        // The books let a partition go when they know that its jobs have ended.
        await().atMost(PATIENCE).untilAsserted(() -> apply(before));
    }

    @Test
    void jobs_of_a_partition_have_their_cpus_together_or_some_of_each_socket() throws IOException {
        JsonNode before = mesh.operator().accounting("/v1/configuration").path("document");
        ObjectNode changed = before.deepCopy();
        var partitions = (ObjectNode) changed.path("partitions");
        partitions.putObject("together").put("nodes", node(1)).put("overSubscribe", "FORCE:2");
        partitions.putObject("bounded").put("nodes", node(2)).put("maxCpusPerSocket", 1);
        apply(changed);
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("scontrol", "show", "partition").out())
                                .contains("OverSubscribe=FORCE:2\n", "MaxCPUsPerSocket=1\n"));
        JsonNode node = mesh.operator().get("/v1/nodes").path("nodes").path(1);
        String all = "-n" + node.path("cpus").asInt();
        var jobs = new ArrayList<String>();
        while (jobs.size() < 3) {
            jobs.add(
                    submitted("-ptogether", all, "--exclusive", "--mem=16", "--wrap", "sleep 300"));
        }
        JsonNode bounded = mesh.operator().get("/v1/nodes").path("nodes").path(2);
        String each = "-n" + Math.max(1, bounded.path("sockets").asInt());
        String both = submitted("-pbounded", each, "--mem=16", "--wrap", "sleep 300");
        String one = submitted("-pbounded", "-n1", "--mem=16", "--wrap", "sleep 300");

        for (String running : List.of(jobs.get(0), jobs.get(1), both)) {
            awaitState(running, "RUNNING");
        }
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth(
                                                        "squeue",
                                                        "-h",
                                                        "-o",
                                                        "%T %r",
                                                        "-j",
                                                        jobs.get(2) + "," + one)
                                                .out())
                                .isEqualTo("PENDING Resources\nPENDING Resources\n"));
        assertThat(job(Long.parseLong(jobs.get(0))).at("/allocations/0/cpus"))
                .isEqualTo(job(Long.parseLong(jobs.get(1))).at("/allocations/0/cpus"));
        assertThat(mesh.berth("scontrol", "show", "job", jobs.get(0)).succeeded().out())
                .contains("OverSubscribe=YES ");
        mesh.berth("scancel", jobs.get(0), both).succeeded();

        awaitState(jobs.get(2), "RUNNING");
        awaitState(one, "RUNNING");
        mesh.berth("scancel", jobs.get(1), jobs.get(2), one).succeeded();
        // The books let a partition go when they know that its jobs have ended.
        await().atMost(PATIENCE).untilAsserted(() -> apply(before));
    }

    private String node(int index) throws IOException {
        return mesh.operator().get("/v1/nodes").path("nodes").path(index).path("name").asText();
    }

    /// As soon as the books know that the jobs of a partition that goes have ended.
    private void apply(JsonNode configuration) throws IOException {
        Path file = mesh.work().resolve("cluster.json");
        Files.writeString(file, configuration.toString());
        await().atMost(PATIENCE)
                .untilAsserted(() -> mesh.berth("apply", "-i", "-f", file.toString()).succeeded());
    }

    @Test
    void a_signal_reaches_the_batch_script() throws IOException {
        String id =
                submitted("--wrap", "trap 'exit 7' USR1; touch ready; while :; do sleep 0.1; done");
        await().atMost(PATIENCE).until(() -> Files.exists(mesh.work().resolve("ready")));

        mesh.berth("scancel", "--batch", "--signal=USR1", id).succeeded();

        awaitState(id, "FAILED");
        assertThat(job(Long.parseLong(id)).path("exit").asText()).isEqualTo("7:0");
    }

    private String submitted(String... words) throws IOException {
        var command = new ArrayList<>(List.of("sbatch", "--parsable"));
        command.addAll(List.of(words));
        return mesh.berth(command.toArray(String[]::new)).succeeded().out().strip();
    }

    private void awaitState(String id, String state) {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(job(Long.parseLong(id)).path("state").asText())
                                .isEqualTo(state));
    }

    private JsonNode job(long id) throws IOException {
        return mesh.operator().get("/v1/jobs/" + id);
    }

    private static String example(String name) {
        return TestMesh.ROOT.resolve("examples").resolve(name).toString();
    }
}
