package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Urgent jobs on a full node, with real processes: the cluster file of the documentation. Beside
/// the node is the host, with a GPU in MIG mode where the machine lets a test make one up.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("mesh")
class PreemptionMeshTest {

    static final String METRIC = "training_job_preemptions_total";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path EXAMPLE = TestMesh.ROOT.resolve("examples/preemption.yaml");

    /// Of 64 CPUs.
    private static final String NODE = "l4-01";

    private static final String UNTIL_ENDED = "#!/bin/sh\nwhile :; do sleep 0.1; done\n";

    /// Writes down what it was told and makes way; when it runs again it has nothing left to do.
    private static final String MAKES_WAY =
            """
            #!/bin/sh
            echo "restart ${SLURM_RESTART_COUNT:-0}" >>"trace-$SLURM_JOB_ID"
            [ -z "$SLURM_RESTART_COUNT" ] || exit 0
            while [ ! -e "$BERTH_NOTICE_FILE" ]; do sleep 0.1; done
            cat "$BERTH_NOTICE_FILE" >"told-$SLURM_JOB_ID"
            exit 1
            """;

    private static final List<String> UP =
            List.of("up", "--detach", "--gpu-profile", "none", "--virtual", "1xl4");

    private final TestMesh mesh;
    private final Workload jobs;
    private boolean mig;

    PreemptionMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
        jobs = new Workload(mesh, PATIENCE);
    }

    @BeforeAll
    void start() throws IOException {
        mig = mesh.run(MigHost.trial()).status() == 0;
        if (!mig) {
            mesh.berth(UP.toArray(String[]::new)).succeeded();
            return;
        }
        MigHost host = MigHost.in(mesh.work().resolve("driver"));
        mesh.run(host.compiling()).succeeded();
        var command = new ArrayList<>(List.of(TestMesh.ROOT.resolve("berth").toString()));
        command.addAll(UP);
        mesh.run(host.running(command.toArray(String[]::new))).succeeded();
    }

    @AfterAll
    void stop() throws IOException {
        mesh.berth("down").succeeded();
        mesh.assertGone();
    }

    private void configure(String type) throws IOException {
        configure(type, "");
    }

    /// @param more lines of the cluster file
    private void configure(String type, String more) throws IOException {
        apply(type, example(type) + more);
    }

    private static String example(String type) throws IOException {
        return Files.readString(EXAMPLE)
                .replace("nodes: ALL", "nodes: " + NODE)
                .replace("type: partition_prio", "type: " + type);
    }

    /// As soon as the books know that the jobs of a partition that goes have ended.
    private void apply(String name, String text) throws IOException {
        Path file = Files.writeString(mesh.work().resolve(name + ".yaml"), text);
        await().atMost(PATIENCE)
                .untilAsserted(() -> mesh.berth("apply", "-i", "-f", file.toString()).succeeded());
    }

    /// As soon as the gateway knows the partition.
    private long submit(String partition, Map<String, ?> fields) {
        var job = new HashMap<String, Object>(fields);
        job.put("partition", partition);
        return await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> jobs.submit(job), id -> id > 0);
    }

    private String states(List<Long> ids) throws IOException {
        var list = String.join(",", ids.stream().map(String::valueOf).toList());
        return mesh.berth("squeue", "-h", "-o", "%t", "--sort=i", "-j", list)
                .succeeded()
                .out()
                .replace("\n", "");
    }

    private void cancel(List<Long> ids) throws IOException {
        var command = new ArrayList<>(List.of("scancel"));
        ids.forEach(id -> command.add(id.toString()));
        mesh.berth(command.toArray(String[]::new)).succeeded();
    }

    @Test
    void an_urgent_job_suspends_exactly_one_of_a_full_node_and_so_does_one_that_is_moved()
            throws IOException {
        configure("partition_prio");
        var filling = new ArrayList<Long>();
        for (int i = 0; i < 4; i++) {
            filling.add(submit("low", Map.of("script", UNTIL_ENDED, "cpusPerTask", 16)));
        }
        jobs.awaitRunning(filling, 4);

        long urgent = submit("urgent", Map.of("script", "#!/bin/sh\nsleep 1\n", "cpusPerTask", 16));
        jobs.awaitCompleted(List.of(urgent));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(Metrics.of(mesh.port("placement")).get(METRIC))
                                .isEqualTo(Metrics.documented("placement").get(METRIC)));
        await().atMost(PATIENCE).until(() -> states(filling).equals("RRRR"));
        long waits = submit("low", Map.of("script", UNTIL_ENDED, "cpusPerTask", 16));
        await().atMost(PATIENCE).until(() -> states(List.of(waits)).equals("PD"));
        mesh.berth("scontrol", "update", "JobId=" + waits, "Partition=urgent").succeeded();
        jobs.awaitRunning(List.of(waits), 1);

        assertThat(states(filling).replace("R", "")).isEqualTo("S");
        assertThat(suspensions(filling)).isEqualTo(2);
        filling.add(waits);
        cancel(filling);
    }

    /// How often these jobs were suspended, by the books.
    private long suspensions(List<Long> ids) throws IOException {
        return JobsAudit.of(jobs.kafka()).suspensions(ids);
    }

    @Test
    void a_job_with_gpus_is_told_makes_way_and_runs_again() throws IOException {
        configure("qos");
        long victim = submit("low", Map.of("script", MAKES_WAY, "gpusPerNode", 4, "qos", "normal"));
        jobs.awaitRunning(List.of(victim), 1);

        long urgent =
                submit(
                        "low",
                        Map.of("script", "#!/bin/sh\nsleep 1\n", "gpusPerNode", 4, "qos", "high"));
        jobs.awaitCompleted(List.of(urgent, victim));
        jobs.audited(List.of(urgent, victim));

        assertThat(mesh.work().resolve("told-" + victim))
                .content()
                .startsWith("reason=PREEMPTED\n");
        assertThat(mesh.work().resolve("trace-" + victim)).hasContent("restart 0\nrestart 1\n");
        assertThat(sacct(victim, "State,Restarts,PreemptedBy,PreemptMode,PreemptReason"))
                .isEqualTo("PREEMPTED|1|" + urgent + "|REQUEUE|qos\nCOMPLETED|1|||\n");
    }

    @Test
    void an_account_has_back_what_it_is_guaranteed_and_another_one_has_borrowed()
            throws IOException {
        String member = "{users: {" + System.getProperty("user.name") + ": 1}}";
        apply(
                "reclaim",
                example("none")
                        .replace("  mode:", "  reclaim: true\n  mode:")
                        .replace(
                                "  default: {shares: 1}",
                                "  default: " + member + "\n  lab: " + member));
        mesh.berth("sacctmgr", "-i", "modify", "account", "lab", "set", "Guarantee=gres/gpu=4")
                .succeeded();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(queue("lab")).isEqualTo("lab|gres/gpu=4||||0|0"));
        long victim =
                submit("low", Map.of("script", MAKES_WAY, "gpusPerNode", 4, "account", "default"));
        jobs.awaitRunning(List.of(victim), 1);
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(queue("default"))
                                .isEqualTo("default||gres/gpu=4|gres/gpu=4||1|0"));

        long own =
                submit(
                        "low",
                        Map.of(
                                "script",
                                "#!/bin/sh\nsleep 1\n",
                                "gpusPerNode",
                                4,
                                "account",
                                "lab"));
        jobs.awaitCompleted(List.of(own, victim));
        jobs.audited(List.of(own, victim));

        assertThat(sacct(victim, "State,PreemptedBy,PreemptMode,PreemptReason"))
                .isEqualTo("PREEMPTED|" + own + "|REQUEUE|reclaim\nCOMPLETED|||\n");
    }

    private String queue(String account) throws IOException {
        return mesh.berth("queues", "-n", "-P")
                .succeeded()
                .out()
                .lines()
                .filter(it -> it.startsWith(account + "|"))
                .findFirst()
                .orElse("");
    }

    private String sacct(long job, String fields) throws IOException {
        return mesh.berth("sacct", "-D", "-X", "-P", "-n", "-j", "" + job, "-o", fields)
                .succeeded()
                .out();
    }

    /// Writes down its GPU and goes on until a file is there.
    private static final String PART =
            "echo $CUDA_VISIBLE_DEVICES >gpu-$SLURM_JOB_ID; until [ -e go ]; do sleep 0.1; done";

    @Test
    void two_parts_of_a_simulated_gpu_run_beside_each_other_and_a_third_waits() throws IOException {
        configure("partition_prio", "sharedGpus: {one: {nodes: %s, gpus: 0}}\n".formatted(NODE));
        long first = submit("low", Map.of("script", "#!/bin/sh\n" + PART, "gpuPart", "mps:60"));
        long second = sbatch("--gres=mps:40", PART);
        jobs.awaitRunning(List.of(first, second), 2);
        long third = sbatch("--gres=mps:50", PART);

        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(squeue("%t %r %b", third))
                                .isEqualTo("PD Resources gres:mps:50"));
        assertThat(mesh.berth("scontrol", "show", "job", Long.toString(second)).out())
                .contains(",gres/mps=40")
                .contains("GpuPart=mps:40 GpuMemory=")
                .contains(" Enforced=none")
                .contains("Comment=GPUs are simulated");
        assertThat(mesh.berth("scontrol", "show", "node", NODE).out())
                .contains(",mps:100\n")
                .contains(",gres/mps=100");
        assertThat(mesh.berth("why", Long.toString(third)).out()).contains("mps:50 of a GPU");
        Files.createFile(mesh.work().resolve("go"));
        jobs.awaitCompleted(List.of(first, second, third));
        assertThat(mesh.work().resolve("gpu-" + second))
                .hasSameTextualContentAs(mesh.work().resolve("gpu-" + first));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(
                                        mesh.berth(
                                                        "sacct",
                                                        "-nPXj",
                                                        Long.toString(third),
                                                        "-oState,AllocTRES")
                                                .out())
                                .startsWith("COMPLETED|")
                                .contains(",gres/mps=50"));
    }

    private long sbatch(String gres, String script) throws IOException {
        return Long.parseLong(
                mesh.berth("sbatch", "--parsable", "-p", "low", gres, "--wrap", script)
                        .succeeded()
                        .out()
                        .strip());
    }

    private String squeue(String format, long job) throws IOException {
        return mesh.berth("squeue", "-h", "-o", format, "-j", Long.toString(job)).out().strip();
    }

    /// Writes down its GPUs, and of the device files in a folder those that it may open.
    private static final String OPENS =
            """
            echo $CUDA_VISIBLE_DEVICES
            for device in '%s'/*; do
                (: <"$device") 2>&1 | grep -q 'not permitted' || echo "${device##*/}"
            done
            """;

    @Test
    void a_gpu_in_mig_mode_is_divided_for_a_job_and_is_whole_again_for_another() throws Exception {
        assumeThat(mig).as("a C compiler, and the right to mount").isTrue();
        String host = host();
        assumeThat(mesh.berth("scontrol", "show", "node", host).succeeded().out())
                .as("device files, and that groups keep them")
                .contains("DEVICES");
        apply(
                "mig",
                example("partition_prio")
                        .replace("partitions:\n", "partitions:\n  beside: {nodes: " + host + "}\n")
                        .concat(
                                "migGpus: {split: {nodes: %s, gpus: 1, costSeconds: 1, holdSeconds: 1}}\n"
                                        .formatted(host)));
        long epoch = epoch(host);

        List<String> seventh = onInstance("1g.5gb");
        long divided = epoch(host);
        String node = mesh.berth("scontrol", "show", "node", host).succeeded().out();
        List<String> whole = onInstance("7g.40gb");

        String first = seventh.removeFirst();
        assertThat(first).startsWith("MIG-1-1g.5gb-");
        int place = Integer.parseInt(first.substring(first.lastIndexOf('-') + 1));
        assertThat(seventh).containsExactlyInAnyOrderElementsOf(MigHost.devices(place + 1));
        assertThat(node).contains("Mig=1:7x1g.5gb");
        assertThat(divided).isGreaterThan(epoch);
        assertThat(whole.removeFirst()).isEqualTo("MIG-1-7g.40gb-0");
        assertThat(whole).containsExactlyInAnyOrderElementsOf(MigHost.devices(1));
        assertThat(epoch(host)).isGreaterThan(divided);
    }

    /// What a job of one such instance writes down.
    private List<String> onInstance(String profile) throws IOException {
        String script = OPENS.formatted(mesh.home().spool().resolve("devices"));
        String id =
                await().atMost(PATIENCE)
                        .until(
                                () ->
                                        mesh.berth(
                                                "sbatch",
                                                "--parsable",
                                                "-pbeside",
                                                "-oopens-%j",
                                                "--gres=gpu:" + profile + ":1",
                                                "--wrap",
                                                script),
                                it -> it.status() == 0)
                        .out()
                        .strip();
        jobs.awaitCompleted(List.of(Long.parseLong(id)));
        return new ArrayList<>(Files.readAllLines(mesh.work().resolve("opens-" + id)));
    }

    /// The node beside.
    private String host() {
        return await().atMost(PATIENCE)
                .until(
                        () ->
                                mesh.berth("sinfo", "-h", "-N", "-o", "%N")
                                        .out()
                                        .lines()
                                        .filter(name -> !name.equals(NODE))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /// The epoch in which a node's agent is.
    private long epoch(String node) throws IOException {
        URL url = URI.create("http://127.0.0.1:%d/v1/agent".formatted(mesh.port("agent"))).toURL();
        try (InputStream body = url.openStream()) {
            for (JsonNode each : Json.mapper().readTree(body).path("nodes")) {
                if (each.path("node").asText().equals(node)) {
                    return each.path("epoch").asLong();
                }
            }
        }
        throw new AssertionError("no node " + node);
    }
}
