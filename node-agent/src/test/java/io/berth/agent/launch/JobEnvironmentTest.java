package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.Jobs;
import io.berth.agent.host.GpuProfile;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.Sharing;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order.HetGroup;
import io.berth.contracts.event.Order.Launch;
import io.berth.slurm.GresConf;
import io.berth.slurm.SlurmConf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobEnvironmentTest {

    private static final Host HOST =
            new Host("lab", IndexSet.firstN(4), 1, 4, 1, 14_000, "Linux", "amd64");
    private static final LocalNode NODE =
            LocalNode.virtual(HOST, "node02", GpuProfile.named("dgx-a100"));
    private static final LocalNode NOT_VIRTUAL =
            new LocalNode(NODE.name(), false, NODE.hostCpus(), NODE.inventory());
    private static final List<String> UUIDS =
            NODE.inventory().gpus().stream().map(gpu -> gpu.uuid()).toList();

    private static JobSpec spec(
            ResourceRequest request, LaunchMode mode, Map<String, String> environment) {
        JobDescription job = Jobs.description();
        JobSpec base = Jobs.spec(new JobId(1007), "/data", "", List.of(), environment, "o", null);
        return new JobSpec(
                base.job(),
                new JobDescription(
                        job.user(),
                        job.account(),
                        job.partition(),
                        job.qos(),
                        job.name(),
                        request,
                        mode,
                        0,
                        0,
                        true),
                base.script(),
                base.arguments(),
                base.environment(),
                base.workingDirectory(),
                base.standardOutput(),
                null,
                null,
                false,
                base.submitHost());
    }

    private static Map<String, String> variables(
            JobSpec spec, int lease, List<Allocation> allocations, long limit) {
        return variables(spec, launch(spec, lease, allocations, limit));
    }

    private static Launch launch(
            JobSpec spec, int lease, List<Allocation> allocations, long limit) {
        return new Launch(
                NODE.name(),
                1,
                1,
                new RunId(spec.job(), lease),
                new SpecReference(0, 0, ""),
                spec.description().launch(),
                true,
                allocations,
                limit);
    }

    private static Map<String, String> variables(JobSpec spec, Launch launch) {
        return variables(NODE, spec, launch);
    }

    private static Map<String, String> variables(LocalNode node, JobSpec spec, Launch launch) {
        return new JobEnvironment(
                        node,
                        launch,
                        spec,
                        "small",
                        1_700_000_000,
                        Account.own(0, 0, "/home/agent"))
                .variables();
    }

    private static List<Allocation> two(int tasks, int cpus, List<String> gpus) {
        var all = new ArrayList<Allocation>();
        for (int i = 0; i < 2; i++) {
            all.add(
                    new Allocation(
                            new NodeName("node0" + (i + 1)),
                            i,
                            tasks,
                            IndexSet.firstN(cpus),
                            800,
                            gpus));
        }
        return all;
    }

    /// The values are those that a real Slurm gave to the same job: 2 nodes, 2 tasks of 4 CPUs and
    /// 8 GPUs on each, 100 MiB per CPU.
    @Test
    void a_job_of_two_nodes_finds_what_it_finds_under_slurm() {
        JobSpec spec =
                spec(
                        new ResourceRequest(
                                2, 4, 4, MemoryRequest.perCpu(100), new GpuRequest(8, null)),
                        LaunchMode.BATCH,
                        Map.of());

        Map<String, String> found = variables(spec, 1, two(2, 8, UUIDS), 0);

        assertThat(found)
                .containsEntry("SLURM_JOB_NODELIST", "node[01-02]")
                .containsEntry("SLURM_NODELIST", "node[01-02]")
                .containsEntry("SLURM_NNODES", "2")
                .containsEntry("SLURM_JOB_NUM_NODES", "2")
                .containsEntry("SLURM_NTASKS", "4")
                .containsEntry("SLURM_NPROCS", "4")
                .containsEntry("SLURM_NTASKS_PER_NODE", "2")
                .containsEntry("SLURM_TASKS_PER_NODE", "2(x2)")
                .containsEntry("SLURM_JOB_CPUS_PER_NODE", "8(x2)")
                .containsEntry("SLURM_CPUS_ON_NODE", "8")
                .containsEntry("SLURM_CPUS_PER_TASK", "4")
                .containsEntry("SLURM_MEM_PER_CPU", "100")
                .containsEntry("SLURM_JOB_GPUS", "0,1,2,3,4,5,6,7")
                .containsEntry("SLURM_GPUS_ON_NODE", "8")
                .containsEntry("SLURM_JOB_ID", "1007")
                .containsEntry("SLURM_JOBID", "1007")
                .containsEntry("SLURM_JOB_UID", "0")
                .containsEntry("SLURM_CLUSTER_NAME", "small")
                .containsEntry("SLURM_SUBMIT_DIR", "/data")
                .containsEntry("SLURM_LOCALID", "0")
                .doesNotContainKeys("SLURM_RESTART_COUNT", "SLURM_MEM_PER_NODE");
    }

    @Test
    void the_second_node_of_a_replicated_run_knows_its_place() {
        JobSpec spec =
                spec(
                        new ResourceRequest(2, 4, 1, MemoryRequest.perNode(800), GpuRequest.NONE),
                        LaunchMode.PER_NODE,
                        Map.of());

        Map<String, String> found = variables(spec, 1, two(2, 2, List.of()), 0);

        assertThat(found)
                .containsEntry("SLURM_NODEID", "1")
                .containsEntry("SLURM_PROCID", "2")
                .containsEntry("SLURMD_NODENAME", "node02")
                .containsEntry("SLURM_MEM_PER_NODE", "800")
                .containsEntry("CUDA_VISIBLE_DEVICES", "")
                .containsEntry("NVIDIA_VISIBLE_DEVICES", "")
                .doesNotContainKeys("SLURM_JOB_GPUS", "BERTH_SIMULATED_GPUS");
    }

    @Test
    void where_other_variables_or_none_tell_its_gpus_srun_knows_them_all_the_same() {
        JobSpec spec =
                spec(
                        Jobs.description().request(),
                        LaunchMode.BATCH,
                        Map.of("BERTH_GPUS", "of another job"));
        List<String> held = UUIDS.subList(0, 2);
        var launch =
                new Launch(
                        NODE.name(),
                        1,
                        1,
                        new RunId(spec.job(), 1),
                        new SpecReference(0, 0, ""),
                        LaunchMode.BATCH,
                        false,
                        two(1, 1, held),
                        0);
        GresConf silent =
                GresConf.of(
                        SlurmConf.parse("gres.conf", "Name=gpu Flags=no_gpu_env"),
                        NODE.name().value());

        assertThat(variables(NODE.saying(silent), spec, launch))
                .containsEntry("BERTH_GPUS", String.join(",", held))
                .containsEntry("BERTH_GPU_VARIABLES", "")
                .containsEntry("SLURM_JOB_GPUS", "0,1")
                .doesNotContainKeys("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES");
        assertThat(variables(spec, launch))
                .containsEntry("CUDA_VISIBLE_DEVICES", String.join(",", held))
                .doesNotContainKeys("BERTH_GPUS", "BERTH_GPU_VARIABLES");
    }

    @Test
    void the_tasks_of_a_run_meet_at_its_first_node_unless_the_submission_says_where() {
        var request = Jobs.description().request();
        JobSpec plain = spec(request, LaunchMode.PER_NODE, Map.of());
        JobSpec chosen = spec(request, LaunchMode.PER_NODE, Map.of("MASTER_ADDR", "10.0.0.7"));

        assertThat(variables(NOT_VIRTUAL, plain, launch(plain, 1, two(1, 1, List.of()), 0)))
                .containsEntry("MASTER_ADDR", "node01")
                .containsEntry("MASTER_PORT", "21007");
        assertThat(variables(NOT_VIRTUAL, chosen, launch(chosen, 1, two(1, 1, List.of()), 0)))
                .containsEntry("MASTER_ADDR", "10.0.0.7");
    }

    @Test
    void the_tasks_of_a_run_on_virtual_nodes_meet_on_their_host() {
        JobSpec spec = spec(Jobs.description().request(), LaunchMode.PER_NODE, Map.of());

        assertThat(variables(NODE, spec, launch(spec, 1, two(1, 1, List.of()), 0)))
                .containsEntry("MASTER_ADDR", "127.0.0.1");
    }

    @Test
    void lists_of_nodes_and_counts_per_node_are_in_the_order_of_the_run() {
        JobSpec spec =
                spec(
                        Jobs.description().request(),
                        LaunchMode.BATCH,
                        Map.of("BERTH_STEP_SECRET", "s"));
        List<Allocation> all =
                List.of(
                        new Allocation(
                                new NodeName("node02"), 0, 3, IndexSet.firstN(3), 8, List.of()),
                        new Allocation(
                                new NodeName("node01"), 1, 1, IndexSet.firstN(1), 8, List.of()));

        Map<String, String> found = variables(spec, 1, all, 0);

        assertThat(found)
                .containsEntry("SLURM_NODELIST", "node[02,01]")
                .containsEntry("SLURM_JOB_NODELIST", "node[02,01]")
                .containsEntry("SLURM_TASKS_PER_NODE", "3,1")
                .containsEntry("SLURM_JOB_CPUS_PER_NODE", "3,1")
                .containsEntry("SLURM_NODEID", "0")
                .containsEntry("BERTH_STEP_NODES", "node02:3:3,node01:1:1");
    }

    @Test
    void a_job_of_uneven_gpus_finds_those_of_its_node() {
        JobSpec spec =
                spec(
                        new ResourceRequest(
                                2,
                                3,
                                1,
                                MemoryRequest.perNode(800),
                                new GpuRequest(0, null, 1, null, null, null)),
                        LaunchMode.BATCH,
                        Map.of());
        List<Allocation> even = two(1, 1, UUIDS.subList(0, 2));
        List<Allocation> uneven = List.of(even.getFirst(), two(1, 1, UUIDS.subList(0, 1)).get(1));

        assertThat(variables(spec, 1, even, 0)).containsEntry("SLURM_GPUS_PER_NODE", "2");
        assertThat(variables(spec, 1, uneven, 0))
                .containsEntry("SLURM_GPUS_ON_NODE", "1")
                .containsEntry("SLURM_JOB_GPUS", "0")
                .doesNotContainKey("SLURM_GPUS_PER_NODE");
    }

    @Test
    void a_job_finds_its_reservation_and_its_licenses() {
        var where = new NodeConstraints(null, List.of(), List.of(), Sharing.SHARED, null, "course");
        var request =
                new ResourceRequest(
                        1,
                        1,
                        1,
                        MemoryRequest.perNode(800),
                        GpuRequest.NONE,
                        where,
                        Map.of("matlab", 2, "ansys", 1));
        JobSpec spec = spec(request, LaunchMode.BATCH, Map.of());

        assertThat(variables(spec, 1, two(1, 1, List.of()), 0))
                .containsEntry("SLURM_JOB_RESERVATION", "course")
                .containsEntry("SLURM_JOB_LICENSES", "ansys:1,matlab:2");
    }

    @Test
    void a_requeued_run_with_a_limit_knows_both() {
        JobSpec spec = spec(Jobs.description().request(), LaunchMode.BATCH, Map.of());

        Map<String, String> found = variables(spec, 3, two(1, 1, List.of()), 60);

        assertThat(found)
                .containsEntry("SLURM_RESTART_COUNT", "2")
                .containsEntry("BERTH_LEASE", "3")
                .containsEntry("SLURM_JOB_START_TIME", "1700000000")
                .containsEntry("SLURM_JOB_END_TIME", "1700000060");
    }

    @Test
    void tasks_that_share_cpus_are_as_many_as_were_asked_for() {
        var shared = Map.of("SLURM_OVERCOMMIT", "1", "SLURM_NTASKS", "8");
        var leftBehind = Map.of("SLURM_NTASKS", "8");
        var request = Jobs.description().request();

        assertThat(variables(spec(request, LaunchMode.BATCH, shared), 1, two(1, 1, List.of()), 0))
                .containsEntry("SLURM_NTASKS", "8")
                .containsEntry("SLURM_NPROCS", "8")
                .containsEntry("SLURM_TASKS_PER_NODE", "1(x2)")
                .doesNotContainKey("SLURM_NTASKS_PER_NODE");
        assertThat(
                        variables(
                                spec(request, LaunchMode.BATCH, leftBehind),
                                1,
                                two(1, 1, List.of()),
                                0))
                .containsEntry("SLURM_NTASKS", "2");
    }

    @Test
    void what_the_submission_brings_along_stays_unless_it_is_slurms_own() {
        JobSpec spec =
                spec(
                        Jobs.description().request(),
                        LaunchMode.BATCH,
                        Map.of(
                                "PATH", "/opt/bin",
                                "HOME", "/home/alice",
                                "LR", "0.1",
                                "SLURM_JOB_ID", "4",
                                "SLURM_STEP_ID", "0",
                                "SLURM_JOB_GPUS", "7",
                                "SLURM_JOB_ID_HET_GROUP_1", "5",
                                "RANK", "3",
                                "MASTER_ADDR", "another",
                                "CUDA_VISIBLE_DEVICES", "0"));

        Map<String, String> found = variables(spec, 1, two(1, 1, List.of()), 0);

        assertThat(found)
                .containsEntry("PATH", "/opt/bin")
                .containsEntry("HOME", "/home/alice")
                .containsEntry("LR", "0.1")
                .containsEntry("USER", "alice")
                .containsEntry("SLURM_JOB_ID", "1007")
                .containsEntry("CUDA_VISIBLE_DEVICES", "")
                .containsEntry("MASTER_ADDR", "127.0.0.1")
                .doesNotContainKeys(
                        "RANK", "SLURM_STEP_ID", "SLURM_JOB_GPUS", "SLURM_JOB_ID_HET_GROUP_1");
    }

    @Test
    void the_script_of_a_heterogeneous_job_is_told_of_each_component() {
        JobSpec spec =
                spec(
                        Jobs.description().request(),
                        LaunchMode.BATCH,
                        Map.of("BERTH_STEP_SECRET", "s", "BERTH_STEP_GATEWAY", "ws://g"));
        JobDescription job = spec.description();
        Allocation here = new Allocation(NODE.name(), 0, 1, IndexSet.firstN(2), 400, List.of());
        var groups =
                List.of(
                        new HetGroup(new RunId(new JobId(1007), 1), job, List.of(here)),
                        new HetGroup(new RunId(new JobId(1008), 1), job, two(2, 8, UUIDS)));
        var launch =
                new Launch(
                        NODE.name(),
                        1,
                        1,
                        new RunId(spec.job(), 1),
                        new SpecReference(0, 0, ""),
                        LaunchMode.BATCH,
                        true,
                        List.of(here),
                        0,
                        job,
                        null,
                        groups);

        Map<String, String> found = variables(spec, launch);

        assertThat(found)
                .containsEntry("SLURM_HET_SIZE", "2")
                .containsEntry("SLURM_JOB_ID", "1007")
                .containsEntry("SLURM_NTASKS", "1")
                .containsEntry("SLURM_JOB_ID_HET_GROUP_0", "1007")
                .containsEntry("SLURM_JOB_NODELIST_HET_GROUP_0", "node02")
                .containsEntry("SLURM_JOB_ID_HET_GROUP_1", "1008")
                .containsEntry("SLURM_JOB_NODELIST_HET_GROUP_1", "node[01-02]")
                .containsEntry("SLURM_JOB_NUM_NODES_HET_GROUP_1", "2")
                .containsEntry("SLURM_NNODES_HET_GROUP_1", "2")
                .containsEntry("SLURM_NTASKS_HET_GROUP_1", "4")
                .containsEntry("SLURM_TASKS_PER_NODE_HET_GROUP_1", "2(x2)")
                .containsEntry("SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1", "8(x2)")
                .containsEntry("BERTH_STEP_NODES_HET_GROUP_1", "node01:2:8,node02:2:8");
    }

    @Test
    void repetitions_are_counted() {
        List<Allocation> all = new ArrayList<>(two(2, 1, List.of()));
        all.addAll(two(2, 1, List.of()).subList(0, 1));
        all.addAll(two(1, 1, List.of()).subList(0, 1));

        assertThat(JobEnvironment.perNode(all, Allocation::tasks)).isEqualTo("2(x3),1");
    }
}
