package io.berth.agent.launch;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.agent.Jobs;
import io.berth.agent.host.GpuProfile;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.json.Json;
import io.berth.slurm.HostList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The variables that batch scripts found under a real Slurm (`job-environment.json`), each beside
/// what the same job finds here.
class JobEnvironmentGoldenTest {

    private static final Host HOST =
            new Host("lab", IndexSet.firstN(64), 1, 64, 1, 500_000, "Linux", "amd64");

    /// What Berth has no value for, or has elsewhere.
    private static final Set<String> WITHOUT =
            Set.of(
                    // Of its files, daemons and processes.
                    "SLURM_CONF",
                    "SLURM_NODE_ALIASES",
                    "SLURM_PRIO_PROCESS",
                    "SLURM_TASK_PID",
                    "SLURM_TOPOLOGY_ADDR",
                    "SLURM_TOPOLOGY_ADDR_PATTERN",
                    "SLURM_WORKING_CLUSTER",
                    // Of a login shell, which no script is.
                    "ENVIRONMENT",
                    "HOSTNAME",
                    "SLURM_GET_USER_ENV",
                    "TMPDIR",
                    // Of what was submitted: sbatch hands its options on by itself.
                    "SLURM_CPUS_PER_GPU",
                    "SLURM_EXPORT_ENV",
                    "SLURM_GPU_BIND",
                    // Of GPUs of other makers.
                    "GPU_DEVICE_ORDINAL",
                    "ROCR_VISIBLE_DEVICES",
                    "ZE_AFFINITY_MASK");

    /// GPUs by their UUIDs, which are the same in a container.
    private static final Set<String> DIFFERENT = Set.of("CUDA_VISIBLE_DEVICES");

    /// Of jobs with whole GPUs, or none.
    static Stream<Arguments> scripts() throws IOException {
        JsonNode all = Json.mapper().readTree(Files.readString(file()));
        return all.properties().stream()
                .filter(it -> it.getKey().endsWith(".batch") && !it.getKey().startsWith("mps"))
                .map(it -> Arguments.of(it.getKey(), it.getValue()));
    }

    private static Path file() {
        String named = System.getenv("BERTH_GOLDEN");
        Path file =
                Path.of(named == null ? "../../shared/golden" : named)
                        .resolve("job-environment.json");
        Assumptions.assumeTrue(
                Files.isReadable(file), () -> file + " is absent: set BERTH_GOLDEN to its folder");
        return file;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scripts")
    void a_batch_script_finds_what_it_finds_under_slurm(String name, JsonNode recorded) {
        Map<String, String> theirs =
                Json.mapper()
                        .convertValue(recorded, new TypeReference<TreeMap<String, String>>() {});

        Map<String, String> ours = variables(theirs);

        var expected = new TreeMap<>(theirs);
        expected.keySet().removeAll(WITHOUT);
        expected.keySet().removeAll(DIFFERENT);
        assertThat(ours)
                .containsAllEntriesOf(expected)
                .doesNotContainKeys(WITHOUT.toArray(String[]::new));
        assertThat(ours.getOrDefault("CUDA_VISIBLE_DEVICES", "").split(","))
                .hasSize(theirs.getOrDefault("CUDA_VISIBLE_DEVICES", "").split(",").length);
    }

    /// Those of the job that these variables tell of.
    private static Map<String, String> variables(Map<String, String> theirs) {
        LocalNode node =
                LocalNode.virtual(
                        HOST, text(theirs, "SLURMD_NODENAME"), GpuProfile.named("dgx-a100"));
        List<String> uuids = node.inventory().gpus().stream().map(gpu -> gpu.uuid()).toList();
        List<String> gpus =
                Stream.of(theirs.getOrDefault("SLURM_JOB_GPUS", "").split(","))
                        .filter(it -> !it.isEmpty())
                        .map(it -> uuids.get(Integer.parseInt(it)))
                        .toList();
        List<String> nodes = HostList.expand(text(theirs, "SLURM_JOB_NODELIST"));
        int tasks =
                Integer.parseInt(text(theirs, "SLURM_TASKS_PER_NODE").replaceFirst("\\(.*", ""));
        int cpus = number(theirs, "SLURM_CPUS_ON_NODE", 0);
        int perNode = number(theirs, "SLURM_MEM_PER_NODE", 0);
        var allocations = new ArrayList<Allocation>();
        for (String each : nodes) {
            allocations.add(
                    new Allocation(
                            new NodeName(each),
                            allocations.size(),
                            tasks,
                            IndexSet.firstN(cpus),
                            perNode,
                            gpus));
        }
        var request =
                new ResourceRequest(
                        nodes.size(),
                        tasks * nodes.size(),
                        number(theirs, "SLURM_CPUS_PER_TASK", 1),
                        memory(theirs),
                        gpus(theirs, gpus.size()));
        var job = new JobId(Long.parseLong(text(theirs, "SLURM_JOB_ID")));
        JobSpec spec = spec(job, theirs, request);
        var launch =
                new Launch(
                        node.name(),
                        1,
                        1,
                        new RunId(job, 1),
                        new SpecReference(0, 0, ""),
                        LaunchMode.BATCH,
                        true,
                        allocations,
                        0);
        return new JobEnvironment(
                        node,
                        launch,
                        spec,
                        text(theirs, "SLURM_CLUSTER_NAME"),
                        1_700_000_000,
                        Account.own(0, 0, "/root"))
                .variables();
    }

    private static GpuRequest gpus(Map<String, String> theirs, int perNode) {
        String total = theirs.get("SLURM_GPUS");
        if (total != null) {
            String[] words = total.split(":");
            String type = words.length == 2 ? words[0] : null;
            int count = Integer.parseInt(words[words.length - 1]);
            return new GpuRequest(0, type, null, count, null, null);
        }
        return theirs.containsKey("SLURM_GPUS_PER_TASK")
                ? new GpuRequest(
                        0, null, number(theirs, "SLURM_GPUS_PER_TASK", 0), null, null, null)
                : perNode == 0 ? GpuRequest.NONE : new GpuRequest(perNode, null);
    }

    private static MemoryRequest memory(Map<String, String> theirs) {
        if (theirs.containsKey("SLURM_MEM_PER_CPU")) {
            return MemoryRequest.perCpu(number(theirs, "SLURM_MEM_PER_CPU", 0));
        }
        return theirs.containsKey("SLURM_MEM_PER_GPU")
                ? new MemoryRequest(MemoryRequest.Per.GPU, number(theirs, "SLURM_MEM_PER_GPU", 0))
                : MemoryRequest.perNode(number(theirs, "SLURM_MEM_PER_NODE", 0));
    }

    private static JobSpec spec(JobId job, Map<String, String> theirs, ResourceRequest request) {
        var description =
                new JobDescription(
                        text(theirs, "SLURM_JOB_USER"),
                        text(theirs, "SLURM_JOB_ACCOUNT"),
                        text(theirs, "SLURM_JOB_PARTITION"),
                        text(theirs, "SLURM_JOB_QOS"),
                        text(theirs, "SLURM_JOB_NAME"),
                        request,
                        LaunchMode.BATCH,
                        0,
                        0,
                        true,
                        JobTerms.NONE.with(to -> to.array = array(theirs)));
        JobSpec base =
                Jobs.spec(
                        job, text(theirs, "SLURM_SUBMIT_DIR"), "", List.of(), Map.of(), "o", null);
        return new JobSpec(
                job,
                description,
                base.script(),
                base.arguments(),
                base.environment(),
                base.workingDirectory(),
                base.standardOutput(),
                null,
                null,
                false,
                text(theirs, "SLURM_SUBMIT_HOST"));
    }

    private static @Nullable ArrayTask array(Map<String, String> theirs) {
        return theirs.containsKey("SLURM_ARRAY_JOB_ID")
                ? new ArrayTask(
                        new JobId(number(theirs, "SLURM_ARRAY_JOB_ID", 0)),
                        number(theirs, "SLURM_ARRAY_TASK_ID", 0),
                        number(theirs, "SLURM_ARRAY_TASK_COUNT", 0),
                        number(theirs, "SLURM_ARRAY_TASK_MIN", 0),
                        number(theirs, "SLURM_ARRAY_TASK_MAX", 0),
                        number(theirs, "SLURM_ARRAY_TASK_STEP", 0),
                        0)
                : null;
    }

    private static String text(Map<String, String> theirs, String name) {
        return requireNonNull(theirs.get(name), name);
    }

    private static int number(Map<String, String> theirs, String name, int otherwise) {
        String text = theirs.get(name);
        return text == null ? otherwise : Integer.parseInt(text);
    }
}
