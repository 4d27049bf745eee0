package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.standalone.TestMesh.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// What a user does with a job that runs, through a whole mesh: steps by `srun`, allocations by
/// `salloc`, terminals and files.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("mesh")
class InteractiveMeshTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestMesh mesh;
    private @Nullable CrunHost containers;

    InteractiveMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
    }

    @BeforeAll
    void start() throws IOException {
        containers = CrunHost.in(Files.createDirectories(mesh.home().root())).orElse(null);
        String runtime = containers == null ? "" : containers.runtime().toString();
        mesh.run(
                        List.of(
                                "env",
                                "BERTH_AGENT_CONTAINER_RUNTIME=" + runtime,
                                TestMesh.ROOT.resolve("berth").toString(),
                                "up",
                                "--detach",
                                "--gpu-profile",
                                "dgx-a100",
                                "--virtual",
                                "2xdgx-a100"))
                .succeeded();
    }

    @AfterAll
    void stop() throws IOException {
        mesh.berth("down").succeeded();
        mesh.assertGone();
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
    void what_runs_and_waits_outlives_the_gateway() throws Exception {
        Path work = Files.createDirectory(mesh.work().resolve("outliving"));
        Path out = work.resolve("steps.out");
        mesh.berth(
                        "sbatch",
                        "-N2",
                        "-o",
                        out.toString(),
                        "--wrap",
                        "srun -l sh -c 'for i in $(seq 25); do echo $i; sleep 0.4; done'; srun -l echo next; echo over")
                .succeeded();
        var terminals =
                CompletableFuture.supplyAsync(this::runsAtTerminals, Thread::startVirtualThread);
        for (String begun :
                List.of(
                        "steps.out",
                        "typed.out",
                        "held.out",
                        "waiting.err",
                        "joined.out",
                        "seen.err")) {
            await(begun)
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> Files.size(work.resolve(begun)) > 0);
        }

        mesh.killAndAwait("submit");
        Files.createFile(work.resolve("gone"));

        await().atMost(PATIENCE).until(() -> Files.readString(out).endsWith("over\n"));
        List<String> lines = Files.readAllLines(out);
        for (String task : List.of("0: ", "1: ")) {
            assertThat(lines.stream().filter(it -> it.startsWith(task)))
                    .containsExactlyElementsOf(
                            Stream.concat(
                                            IntStream.rangeClosed(1, 25).mapToObj(String::valueOf),
                                            Stream.of("next"))
                                    .map(task::concat)
                                    .toList());
        }
        assertThat(lines).hasSize(2 * 26 + 1);
        assertRan(work.resolve("typed"), "5", "a\nb\n");
        assertRan(work.resolve("held"), "4", "in\nstill\nnext\n");
        assertRan(work.resolve("waiting"), "6", "released\n");
        assertRan(work.resolve("joined"), "7", "c\nd\n");
        assertRan(work.resolve("seen"), "5", "b\n");
        terminals.get(60, TimeUnit.SECONDS).succeeded();
    }

    private static void assertRan(Path run, String code, String output) {
        await(run.toString())
                .atMost(PATIENCE)
                .untilAsserted(() -> {
                    assertThat(run.resolveSibling(run.getFileName() + ".out"))
                            .as(Files.readString(run.resolveSibling(run.getFileName() + ".err")))
                            .hasContent(output);
                    assertThat(run).hasContent(code);
                });
    }

    /// A program that reads what is typed, one who is attached to it, a step in its job, steps in
    /// an allocation and a job that waits for its time. Each leaves what it wrote, and its exit
    /// code.
    private Outcome runsAtTerminals() {
        String script =
                """
                cd outliving
                gone() { until [ -e gone ]; do sleep 0.1; done; }
                { (echo a; gone; until grep -q 'attached again' seen.err; do sleep 0.1; done; echo b) | "$0" srun -J typed sh -c 'cat; exit 5' >typed.out 2>typed.err; echo $? >typed; } &
                { "$0" salloc sh -c '"$0" srun sh -c "echo in; until [ -e gone ]; do sleep 0.1; done; echo still"; "$0" srun echo next; exit 4' "$0" >held.out 2>held.err; echo $? >held; } &
                { "$0" srun -b now+1hour -J waits sh -c 'echo released; exit 6' >waiting.out 2>waiting.err; echo $? >waiting; } &
                until [ -s typed.out ]; do sleep 0.1; done
                typed=$("$0" squeue -h -n typed -o %i)
                { (until [ -e typed ]; do sleep 0.1; done) | "$0" sattach -v $typed.0 >seen.out 2>seen.err; echo $? >seen; } &
                { (echo c; gone; echo d) | "$0" srun --jobid=$typed --overlap sh -c 'cat; exit 7' >joined.out 2>joined.err; echo $? >joined; } &
                gone
                "$0" scontrol update jobid=$("$0" squeue -h -n waits -o %i) starttime=now
                wait
                """;
        try {
            return mesh.run(List.of("sh", "-c", script, TestMesh.ROOT.resolve("berth").toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_program_has_the_variables_that_it_is_to_have() throws IOException {
        Outcome outcome =
                mesh.berth("srun", "--export=FOO=bar", "sh", "-c", "echo $FOO ${OTHER-none}");

        assertThat(outcome.out()).as(outcome.err()).isEqualTo("bar none\n");
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
    void a_step_over_two_nodes_is_in_a_container_on_each() throws IOException {
        assumeThat(containers).as("crun, and the right to mount").isNotNull();
        CrunHost.makeBundle(mesh.work().resolve("image"));
        String tell = "sh -c \"cat /mark; echo of \\$SLURM_NODEID; exit \\$SLURM_PROCID\"";

        assertContained("out", List.of(), "srun --container=image -N2 -l " + tell);
        assertContained("in", List.of("--container=image"), "cat /mark && srun -N2 -l " + tell);
    }

    /// The script's exit status is its step's, which is the highest of its tasks'.
    private void assertContained(String name, List<String> options, String script)
            throws IOException {
        var command =
                Stream.of(
                                List.of("sbatch", "--wait", "-N2", "--ntasks-per-node=1"),
                                options,
                                List.of("-o", name, "-e", name + ".err", "--wrap", script))
                        .flatMap(List::stream)
                        .toArray(String[]::new);

        Outcome outcome = mesh.berth(command);

        Path errors = mesh.work().resolve(name + ".err");
        String said = Files.exists(errors) ? Files.readString(errors) : outcome.err();
        assertThat(outcome.status()).as(said).isEqualTo(1);
        assertThat(Files.readAllLines(mesh.work().resolve(name)))
                .as(said)
                .filteredOn(it -> it.contains(":"))
                .containsExactlyInAnyOrder("0: inside", "0: of 0", "1: inside", "1: of 1");
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

        long id = Long.parseLong(mesh.submitted("--wait", script.toString()));

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

        long sleeps = Long.parseLong(mesh.submitted("-n1", ":", "-G1", "--wrap", "sleep 600"));
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
    void accounting_has_the_steps_of_a_script() throws IOException {
        String id =
                mesh.berth(
                                "sbatch",
                                "--wait",
                                "--parsable",
                                "--wrap",
                                "srun -O -n2 true; srun -J two sh -c 'exit 3'; true")
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
        JsonNode held = mesh.job(Long.parseLong(id)).path("allocations");
        String first = held.path(0).path("node").asText();
        String second = held.path(1).path("node").asText();
        assertThat(Files.readAllLines(mesh.work().resolve("out." + id)))
                .filteredOn(
                        line -> line.startsWith("srun: error: ") || !line.contains("Terminated"))
                .containsExactlyInAnyOrder(
                        "0: typed",
                        "0: to all 0 of 3, 0 on 0 %s 0".formatted(first),
                        "1: to all 1 of 3, 1 on 0 %s 1".formatted(first),
                        "2: to all 2 of 3, 0 on 1 %s 2".formatted(second),
                        "second 1 %s GPU".formatted(second),
                        "met",
                        "srun: error: %s: task 1: Exited with exit code 7".formatted(second),
                        "srun: error: %s: task 0: Terminated".formatted(first));
    }

    @Test
    void srun_has_a_job_of_several_nodes_and_a_program_for_each_task() throws IOException {
        Files.writeString(mesh.work().resolve("programs"), "0 echo leads\n* echo follows %o\n");

        Outcome outcome = mesh.berth("srun", "-N2", "-n3", "-l", "--multi-prog", "programs");

        assertThat(outcome.status()).as(outcome.err()).isZero();
        assertThat(outcome.out().lines())
                .containsExactlyInAnyOrder("0: leads", "1: follows 1", "2: follows 2");
    }
}
