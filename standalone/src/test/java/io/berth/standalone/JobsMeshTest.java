package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import io.berth.embedded.TraceCollector;
import io.berth.standalone.TestMesh.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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

    private final TraceCollector traces = TraceCollector.start();
    private final TestMesh mesh;

    JobsMeshTest(@TempDir Path folder) throws IOException {
        String endpoint = traces.endpoint().toString();
        mesh =
                new TestMesh(
                        folder,
                        Map.of(
                                "BERTH_SUBMIT_TRACES_ENDPOINT", endpoint,
                                "BERTH_PLACEMENT_TRACES_ENDPOINT", endpoint,
                                "BERTH_AGENT_TRACES_ENDPOINT", endpoint));
    }

    @BeforeAll
    void start() throws IOException {
        mesh.up("--gpu-profile", "dgx-a100", "--virtual", "2xdgx-a100");
    }

    @AfterAll
    void stop() throws IOException {
        mesh.berth("down").succeeded();
        mesh.assertGone();
        traces.close();
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
        JsonNode gpus = mesh.job(id).at("/allocations/0/gpus");
        assertThat(gpus).hasSize(1);
        assertThat(mesh.work().resolve("slurm-" + id + ".out"))
                .content()
                .contains("GPUs: " + gpus.path(0).asText())
                .contains("They are simulated");
        assertThat(mesh.berth("logs", "-f", Long.toString(id)).succeeded().out())
                .isEqualTo(Files.readString(mesh.work().resolve("slurm-" + id + ".out")));
    }

    /// The wait and the launch are both of the request: neither waits for the other's end.
    @Test
    void a_job_is_one_trace_from_the_request_to_its_first_process() throws IOException {
        String id =
                mesh.berth("sbatch", "--wait", "--parsable", "--wrap", "echo $TRACEPARENT")
                        .succeeded()
                        .out()
                        .strip();
        List<JsonNode> ofJob =
                await().atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(() -> spansOf(id), them -> them.size() == 2);
        JsonNode wait = named(ofJob, "wait for placement");
        JsonNode launch = named(ofJob, "launch");
        String trace = wait.path("traceId").asText();
        JsonNode request =
                await().atMost(PATIENCE)
                        .until(
                                () ->
                                        spans().stream()
                                                .filter(it ->
                                                        it.at("/traceId").asText().equals(trace))
                                                .filter(it ->
                                                        it.path("name")
                                                                .asText()
                                                                .startsWith("POST "))
                                                .toList(),
                                them -> them.size() == 1)
                        .getFirst();

        assertThat(launch.path("traceId").asText()).isEqualTo(trace);
        assertThat(request.has("parentSpanId")).isFalse();
        assertThat(List.of(wait, launch))
                .extracting(it -> it.path("parentSpanId"))
                .containsOnly(request.path("spanId"));
        assertThat(Stream.of(request, wait, launch))
                .extracting(it -> it.path("startTimeUnixNano").asLong())
                .isSorted();
        assertThat(mesh.work().resolve("slurm-" + id + ".out"))
                .content()
                .startsWith("00-%s-%s-".formatted(trace, request.path("spanId").asText()));
    }

    private List<JsonNode> spansOf(String job) throws IOException {
        return spans().stream()
                .filter(span ->
                        span.path("attributes")
                                .valueStream()
                                .anyMatch(it ->
                                        it.path("key").asText().equals("berth.job")
                                                && it.at("/value/stringValue")
                                                        .asText()
                                                        .equals(job)))
                .toList();
    }

    private static JsonNode named(List<JsonNode> spans, String name) {
        return spans.stream()
                .filter(it -> it.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /// What all services have sent.
    private List<JsonNode> spans() throws IOException {
        var spans = new ArrayList<JsonNode>();
        for (String body : traces.bodies()) {
            Json.mapper()
                    .readTree(body)
                    .findValues("spans")
                    .forEach(them -> them.forEach(spans::add));
        }
        return spans;
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
    void a_triggers_program_runs_as_the_user_when_the_job_is_over(@TempDir Path noBlanks)
            throws IOException {
        Path told = noBlanks.resolve("told.txt");
        Path program = noBlanks.resolve("tell.sh");
        Files.writeString(program, "#!/bin/sh\necho \"$2 $(id -un)\" > \"$1\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        String id = mesh.submitted("--hold", "--wrap", "true");

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
        assertThat(mesh.job(Long.parseLong(id)).path("nodeNames")).hasSize(2);
    }

    @Test
    void a_sweep_runs_one_job_for_each_value() throws IOException {
        Outcome sweep = mesh.run(List.of(example("sweep.sh"))).succeeded();

        List<String> ids = sweep.out().lines().toList();
        assertThat(ids).hasSize(4);
        for (String id : ids) {
            await().atMost(PATIENCE)
                    .until(() ->
                            mesh.job(Long.parseLong(id))
                                    .path("state")
                                    .asText()
                                    .equals("COMPLETED"));
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
        Path links = mesh.work().resolve("made/for/links");
        mesh.berth("install-links", links.toString()).succeeded();
        Path taken = Files.createDirectory(mesh.work().resolve("taken"));
        Files.writeString(taken.resolve("squeue"), "another's");

        Outcome refused = mesh.berth("install-links", taken.toString());
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains(taken + "/squeue is there already and no link");
        assertThat(taken).isDirectoryNotContaining("glob:**/sbatch");

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

    /// Without one a start takes twice as long.
    @Test
    void every_part_starts_from_the_cache_of_its_training() throws IOException {
        for (String part :
                List.of("submit", "priority", "placement", "accounting", "agent", "kafka")) {
            assertThat(mesh.hasCache(part)).as(part).isTrue();
        }
    }

    /// Without one a program at a prompt waits twice as long. The command is above it in the job.
    @Test
    void the_command_that_a_node_runs_for_srun_starts_from_its_cache() throws IOException {
        String above =
                "p=$$; while [ $p -gt 1 ]; do grep -qs session.aot /proc/$p/maps && echo cached;"
                        + " p=$(sed -n 's/^PPid:.//p' /proc/$p/status); done";

        assertThat(mesh.berth("srun", "sh", "-c", above).succeeded().out()).isEqualTo("cached\n");
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
        String first = mesh.submitted("--hold", "--wrap", "echo first >> chain");
        String second = mesh.submitted("-d", "afterok:" + first, "--wrap", "echo second >> chain");
        String never =
                mesh.submitted(
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
        String id = mesh.submitted("-C", "drained-once", "--wrap", "true");
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("squeue", "-h", "-j", id, "-o", "%T %r").out())
                                .isEqualTo("PENDING ReqNodeNotAvail\n"));
        assertThat(mesh.berth("sinfo", "-h", "-R", "-o", "%E %n %t").out())
                .isEqualTo("fan " + node + " drain\n");

        mesh.berth("scontrol", "update", "NodeName=" + node, "State=RESUME").succeeded();

        awaitState(id, "COMPLETED");
        assertThat(mesh.job(Long.parseLong(id)).path("nodeList").asText()).isEqualTo(node);
    }

    @Test
    void a_reserved_node_is_for_the_jobs_of_its_reservation_alone() throws IOException {
        String node = mesh.operator().get("/v1/nodes").at("/nodes/2/name").asText();
        mesh.berth(
                        "scontrol",
                        "create",
                        "reservation",
                        "ReservationName=course",
                        "StartTime=now",
                        "Duration=60",
                        "Nodes=" + node,
                        "Users=" + System.getProperty("user.name"),
                        "Flags=IGNORE_JOBS")
                .succeeded();
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.berth("sinfo", "-T").succeeded().out())
                                .containsPattern("course +ACTIVE .* " + node + "\n"));
        String stranger = mesh.submitted("-w", node, "-t", "10", "--wrap", "true");

        String own = mesh.submitted("--reservation=course", "-t", "10", "--wrap", "true");

        awaitState(own, "COMPLETED");
        assertThat(mesh.job(Long.parseLong(own)).path("nodeList").asText()).isEqualTo(node);
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
                mesh.submitted(
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
        assertThat(mesh.job(Long.parseLong(gang)).path("nodeNames"))
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
                mesh.submitted(
                        "-pleft,right", "--gres=gpu:8", "--wrap", "echo in $SLURM_JOB_PARTITION");
        String moved = mesh.submitted("-pleft", "--gres=gpu:8", "--hold", "--wrap", "true");
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
                    mesh.submitted(
                            "-ptogether", all, "--exclusive", "--mem=16", "--wrap", "sleep 300"));
        }
        JsonNode bounded = mesh.operator().get("/v1/nodes").path("nodes").path(2);
        String each = "-n" + Math.max(1, bounded.path("sockets").asInt());
        String both = mesh.submitted("-pbounded", each, "--mem=16", "--wrap", "sleep 300");
        String one = mesh.submitted("-pbounded", "-n1", "--mem=16", "--wrap", "sleep 300");

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
        assertThat(mesh.job(Long.parseLong(jobs.get(0))).at("/allocations/0/cpus"))
                .isEqualTo(mesh.job(Long.parseLong(jobs.get(1))).at("/allocations/0/cpus"));
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
                mesh.submitted(
                        "--wrap", "trap 'exit 7' USR1; touch ready; while :; do sleep 0.1; done");
        await().atMost(PATIENCE).until(() -> Files.exists(mesh.work().resolve("ready")));

        mesh.berth("scancel", "--batch", "--signal=USR1", id).succeeded();

        awaitState(id, "FAILED");
        assertThat(mesh.job(Long.parseLong(id)).path("exit").asText()).isEqualTo("7:0");
    }

    private void awaitState(String id, String state) {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(mesh.job(Long.parseLong(id)).path("state").asText())
                                .isEqualTo(state));
    }

    private static String example(String name) {
        return TestMesh.ROOT.resolve("examples").resolve(name).toString();
    }
}
