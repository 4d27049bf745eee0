package io.berth.agent.launch;

import io.berth.agent.group.RunMark;
import io.berth.agent.host.LocalNode;
import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobSpec;
import io.berth.contracts.event.Order.HetGroup;
import io.berth.contracts.event.Order.Launch;
import io.berth.slurm.GresText;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/// The variables of a run's script: those of the submission, and over them what Slurm's scripts
/// expect to find.
///
/// Source: sbatch(1), "OUTPUT ENVIRONMENT VARIABLES". Unlike Slurm, `CUDA_VISIBLE_DEVICES` names
/// GPUs by UUID, which holds whatever the driver lets the run see, and is empty without GPUs.
///
/// @param clusterName for `SLURM_CLUSTER_NAME`; empty for the one that the job was submitted to
/// @param startSeconds the time of the start, in epoch seconds
/// @param account the operating system's account that the script runs under
public record JobEnvironment(
        LocalNode node,
        Launch launch,
        JobSpec spec,
        String clusterName,
        long startSeconds,
        Account account) {

    /// Slurm's own names that a submission from inside another job brings along, and that this run
    /// may not set.
    private static final Set<String> STALE =
            Set.of(
                    "SLURM_ARRAY_JOB_ID",
                    "SLURM_ARRAY_TASK_COUNT",
                    "SLURM_ARRAY_TASK_ID",
                    "SLURM_ARRAY_TASK_MAX",
                    "SLURM_ARRAY_TASK_MIN",
                    "SLURM_ARRAY_TASK_STEP",
                    "SLURM_CONTAINER",
                    "SLURM_CPUS_PER_GPU",
                    "SLURM_GPUS",
                    "SLURM_GPUS_ON_NODE",
                    "SLURM_GPUS_PER_NODE",
                    "SLURM_GPUS_PER_TASK",
                    "SLURM_HET_SIZE",
                    "SLURM_JOB_END_TIME",
                    "SLURM_JOB_GPUS",
                    "SLURM_JOB_LICENSES",
                    "SLURM_JOB_RESERVATION",
                    "SLURM_MEM_PER_CPU",
                    "SLURM_MEM_PER_GPU",
                    "SLURM_MEM_PER_NODE",
                    "SLURM_NTASKS_PER_NODE",
                    "SLURM_RESTART_COUNT",
                    "SLURM_SHARDS_ON_NODE",
                    "SLURM_STEPID",
                    "SLURM_STEP_GPUS",
                    "SLURM_STEP_ID",
                    "SLURM_STEP_NODELIST",
                    "BERTH_GRES",
                    "BERTH_GRES_FILES",
                    "NVIDIA_IMEX_CHANNELS",
                    "BERTH_GPU_CPUS",
                    "BERTH_GPU_TYPES",
                    "BERTH_HOSTS",
                    "BERTH_SIMULATED_GPUS",
                    "BERTH_STEP_NODES");

    /// What a task of a job brings along beside Slurm's names when it submits another one.
    private static final Set<String> OF_THE_SUBMITTING_TASK =
            Set.of(
                    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                    "CUDA_MPS_LOG_DIRECTORY",
                    "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
                    "CUDA_MPS_PIPE_DIRECTORY",
                    "DMLC_NUM_WORKER",
                    "DMLC_TASK_ID",
                    "DMLC_TRACKER_PORT",
                    "DMLC_TRACKER_URI",
                    "LOCAL_RANK",
                    "LOCAL_WORLD_SIZE",
                    "MASTER_ADDR",
                    "MASTER_PORT",
                    "PADDLE_CURRENT_ENDPOINT",
                    "PADDLE_TRAINERS_NUM",
                    "PADDLE_TRAINER_ENDPOINTS",
                    "PADDLE_TRAINER_ID",
                    "RANK",
                    "TF_CONFIG",
                    "WORLD_SIZE");

    /// What a variable's name ends in, with the component's number, that is told of each component.
    private static final String OF_COMPONENT = "_HET_GROUP_";

    private static final int FIRST_MASTER_PORT = 20_000;
    private static final int MASTER_PORTS = 10_000;

    public Map<String, String> variables() {
        var variables = new TreeMap<>(spec.environment());
        STALE.forEach(variables::remove);
        variables.keySet().removeIf(it -> it.matches(".*" + OF_COMPONENT + "\\d+"));
        if (variables.containsKey("SLURM_JOB_ID")) {
            OF_THE_SUBMITTING_TASK.forEach(variables::remove);
        }
        person(variables);
        job(variables);
        String shared = variables.get("SLURM_NTASKS");
        shape(variables, launch.allocations(), job(), launch.here());
        if (shared != null && "1".equals(variables.get("SLURM_OVERCOMMIT"))) {
            // Its tasks share the CPUs of one on each node, which is all that the job was given.
            variables.put("SLURM_NTASKS", shared);
            variables.put("SLURM_NPROCS", shared);
            variables.remove("SLURM_NTASKS_PER_NODE");
        }
        stepNodes(variables, variables, launch.allocations());
        place(variables);
        gpus(variables);
        components(variables);
        gres(variables);
        for (String mark : RunMark.of(node.name(), launch.run())) {
            int equals = mark.indexOf('=');
            variables.put(mark.substring(0, equals), mark.substring(equals + 1));
        }
        return variables;
    }

    private void person(Map<String, String> variables) {
        String user = job().user();
        variables.putIfAbsent("HOME", account.home());
        variables.putIfAbsent("USER", user);
        variables.putIfAbsent("LOGNAME", user);
        variables.putIfAbsent("SHELL", "/bin/sh");
        variables.putIfAbsent("PATH", "/usr/local/bin:/usr/bin:/bin");
    }

    /// The job as placement knows it; of older orders as it was submitted.
    private JobDescription job() {
        return launch.job() == null ? spec.description() : launch.job();
    }

    private void job(Map<String, String> variables) {
        JobDescription job = job();
        String id = launch.run().job().toString();
        variables.put("SLURM_JOBID", id);
        variables.put("SLURM_JOB_NAME", job.name());
        variables.put("SLURM_JOB_USER", job.user());
        variables.put("SLURM_JOB_UID", Long.toString(account.uid()));
        variables.put("SLURM_JOB_GID", Long.toString(account.gid()));
        variables.put("SLURM_JOB_ACCOUNT", job.account());
        variables.put("SLURM_JOB_PARTITION", job.partition());
        variables.put("SLURM_JOB_QOS", job.qos());
        if (!clusterName.isEmpty()) {
            variables.put("SLURM_CLUSTER_NAME", clusterName);
        }
        variables.put("SLURM_SUBMIT_DIR", spec.workingDirectory());
        variables.put("SLURM_SUBMIT_HOST", spec.submitHost());
        variables.put("SLURM_JOB_START_TIME", Long.toString(startSeconds));
        if (launch.timeLimitSeconds() > 0) {
            variables.put(
                    "SLURM_JOB_END_TIME", Long.toString(startSeconds + launch.timeLimitSeconds()));
        }
        String reservation = job.request().where().reservation();
        if (reservation != null) {
            variables.put("SLURM_JOB_RESERVATION", reservation);
        }
        if (!job.request().licensesHeld().isEmpty()) {
            variables.put(
                    "SLURM_JOB_LICENSES",
                    job.request().licensesHeld().entrySet().stream()
                            .map(it -> it.getKey() + ":" + it.getValue())
                            .collect(Collectors.joining(",")));
        }
        ArrayTask task = job.array();
        if (task != null) {
            variables.put("SLURM_ARRAY_JOB_ID", task.array().toString());
            variables.put("SLURM_ARRAY_TASK_ID", Integer.toString(task.task()));
            variables.put("SLURM_ARRAY_TASK_COUNT", Integer.toString(task.count()));
            variables.put("SLURM_ARRAY_TASK_MIN", Integer.toString(task.min()));
            variables.put("SLURM_ARRAY_TASK_MAX", Integer.toString(task.max()));
            variables.put("SLURM_ARRAY_TASK_STEP", Integer.toString(task.step()));
        }
        if (spec.container() != null) {
            variables.put("SLURM_CONTAINER", spec.container());
        }
        if (launch.run().lease() > 1) {
            variables.put("SLURM_RESTART_COUNT", Integer.toString(launch.run().lease() - 1));
        }
    }

    /// What the components of a heterogeneous job are, each by Slurm's name of the same for a job.
    private void components(Map<String, String> variables) {
        if (launch.hetGroups().isEmpty()) {
            return;
        }
        variables.put("SLURM_HET_SIZE", Integer.toString(launch.hetGroups().size()));
        int number = 0;
        for (HetGroup group : launch.hetGroups()) {
            JobDescription job = group.job();
            Allocation first = group.allocations().getFirst();
            var its = new TreeMap<String, String>();
            its.put("SLURM_JOB_ID", group.run().job().toString());
            its.put("SLURM_JOB_ACCOUNT", job.account());
            its.put("SLURM_JOB_PARTITION", job.partition());
            its.put("SLURM_JOB_QOS", job.qos());
            its.put("SLURM_GPUS_ON_NODE", Integer.toString(first.wholeGpus()));
            its.put("MASTER_ADDR", firstNode(group.allocations()));
            shape(its, group.allocations(), job, first);
            stepNodes(variables, its, group.allocations());
            for (Map.Entry<String, String> one : its.entrySet()) {
                variables.put(one.getKey() + OF_COMPONENT + number, one.getValue());
            }
            number++;
        }
    }

    /// @param node whose memory is told
    private static void shape(
            Map<String, String> variables,
            List<Allocation> all,
            JobDescription job,
            Allocation node) {
        // In the order of the run: the script is on the first, and counts per node follow it.
        String nodes = HostList.inOrder(all.stream().map(each -> each.node().value()).toList());
        String count = Integer.toString(all.size());
        String tasks = Integer.toString(all.stream().mapToInt(Allocation::tasks).sum());
        variables.put("SLURM_JOB_NODELIST", nodes);
        variables.put("SLURM_NODELIST", nodes);
        variables.put("SLURM_JOB_NUM_NODES", count);
        variables.put("SLURM_NNODES", count);
        variables.put("SLURM_NTASKS", tasks);
        variables.put("SLURM_NPROCS", tasks);
        variables.put("SLURM_TASKS_PER_NODE", perNode(all, Allocation::tasks));
        variables.put("SLURM_JOB_CPUS_PER_NODE", perNode(all, each -> each.cpus().size()));
        if (all.stream().mapToInt(Allocation::tasks).distinct().count() == 1) {
            variables.put("SLURM_NTASKS_PER_NODE", Integer.toString(all.getFirst().tasks()));
        }
        variables.put("SLURM_CPUS_PER_TASK", Integer.toString(job.request().cpusPerTask()));
        GpuRequest gpus = job.request().gpus();
        if (gpus.total() != null) {
            variables.put("SLURM_GPUS", gpus.text());
        }
        if (gpus.perTask() != null) {
            variables.put("SLURM_GPUS_PER_TASK", gpus.text());
        }
        var memory = job.request().memory();
        switch (memory.per()) {
            case NODE -> variables.put("SLURM_MEM_PER_NODE", Long.toString(node.memoryMib()));
            case CPU -> variables.put("SLURM_MEM_PER_CPU", Long.toString(memory.mib()));
            case GPU -> variables.put("SLURM_MEM_PER_GPU", Long.toString(memory.mib()));
        }
    }

    /// What `srun` must know of the nodes of a job that meet at the gateway.
    ///
    /// @param of the variables of the job, which tell whether they do
    private static void stepNodes(
            Map<String, String> of, Map<String, String> into, List<Allocation> all) {
        if (of.containsKey(StepPlace.SECRET)) {
            into.put(
                    "BERTH_STEP_NODES",
                    all.stream()
                            .map(it ->
                                    "%s:%d:%d".formatted(it.node(), it.tasks(), it.cpus().size()))
                            .collect(Collectors.joining(",")));
        }
    }

    private void place(Map<String, String> variables) {
        Allocation here = launch.here();
        int firstTask =
                launch.allocations().stream()
                        .filter(each -> each.index() < here.index())
                        .mapToInt(Allocation::tasks)
                        .sum();
        variables.put("SLURM_CPUS_ON_NODE", Integer.toString(here.cpus().size()));
        variables.put("SLURM_NODEID", Integer.toString(here.index()));
        variables.putIfAbsent("MASTER_ADDR", firstNode(launch.allocations()));
        variables.putIfAbsent("MASTER_PORT", Long.toString(masterPort()));
        variables.put("SLURM_PROCID", Integer.toString(firstTask));
        variables.put("SLURM_LOCALID", "0");
        variables.put("SLURM_GTIDS", Integer.toString(firstTask));
    }

    /// Where the first node of a run answers the others. Virtual ones are this host, whose names
    /// nobody resolves.
    private String firstNode(List<Allocation> all) {
        return all.size() == 1 || node.virtual() ? "127.0.0.1" : all.getFirst().node().value();
    }

    /// A port below those that Linux hands out, which differs between jobs that follow one another.
    private long masterPort() {
        return FIRST_MASTER_PORT + launch.run().job().value() % MASTER_PORTS;
    }

    private void gpus(Map<String, String> variables) {
        List<String> held = launch.here().gpus();
        String visible = String.join(",", held);
        Map<String, String> telling = node.variables(held);
        variables.putAll(telling);
        if (telling.equals(
                Map.of("CUDA_VISIBLE_DEVICES", visible, "NVIDIA_VISIBLE_DEVICES", visible))) {
            // Those of a job that this one was submitted from.
            variables.remove("BERTH_GPUS");
            variables.remove("BERTH_GPU_VARIABLES");
        } else {
            variables.put("BERTH_GPUS", visible);
            variables.put("BERTH_GPU_VARIABLES", String.join(" ", telling.keySet()));
        }
        if (held.isEmpty()) {
            return;
        }
        Map<String, Integer> indexOf =
                node.inventory().gpus().stream().collect(Collectors.toMap(Gpu::uuid, Gpu::index));
        String indices =
                held.stream()
                        .map(uuid -> String.valueOf(indexOf.get(uuid)))
                        .collect(Collectors.joining(","));
        String count = Integer.toString(held.size());
        variables.put("SLURM_JOB_GPUS", indices);
        variables.put("BERTH_GPU_CPUS", nearestCpus(held));
        String types = types(held);
        if (types.contains(";")) {
            variables.put("BERTH_GPU_TYPES", types);
        }
        ImexChannel.of(node, launch)
                .ifPresent(it -> variables.put("NVIDIA_IMEX_CHANNELS", Integer.toString(it)));
        if (launch.here().share() == null) {
            variables.put("SLURM_GPUS_ON_NODE", count);
            if (launch.allocations().stream().mapToInt(Allocation::wholeGpus).distinct().count()
                    == 1) {
                variables.put("SLURM_GPUS_PER_NODE", count);
            }
        }
        if (node.inventory().simulated()) {
            variables.put("BERTH_SIMULATED_GPUS", "1");
        }
    }

    /// Berth's own: what the run has here of resources other than GPUs, and their device files.
    private void gres(Map<String, String> variables) {
        List<Gres> held = launch.here().gres();
        if (!held.isEmpty()) {
            variables.put("BERTH_GRES", GresText.text(held));
            variables.put(
                    "BERTH_GRES_FILES",
                    held.stream()
                            .flatMap(it -> it.files().stream())
                            .flatMap(it -> node.said().filesOf(it).stream())
                            .collect(Collectors.joining(",")));
        }
    }

    /// Its GPUs of each type, for `srun`: `a100=UUID,UUID;v100=UUID`.
    private String types(List<String> held) {
        var ofTypes = new TreeMap<String, List<String>>();
        for (Gpu gpu : node.inventory().gpus()) {
            if (held.contains(gpu.uuid())) {
                ofTypes.computeIfAbsent(gpu.type(), _ -> new ArrayList<>()).add(gpu.uuid());
            }
        }
        return ofTypes.entrySet().stream()
                .map(it -> it.getKey() + "=" + String.join(",", it.getValue()))
                .collect(Collectors.joining(";"));
    }

    /// By the kernel's numbers the CPUs nearest to each GPU, for `srun`; empty where nobody tells.
    private String nearestCpus(List<String> held) {
        var nearest = new TreeMap<String, String>();
        for (Gpu gpu : node.inventory().gpus()) {
            IndexSet cpus = gpu.hardware() == null ? null : gpu.hardware().cpus();
            if (cpus != null && !node.virtual()) {
                nearest.put(gpu.uuid(), node.onHost(cpus).toString());
            }
        }
        return held.stream()
                .map(uuid -> nearest.getOrDefault(uuid, ""))
                .collect(Collectors.joining(";"));
    }

    /// A number for each node, repetitions counted: `2(x3),1`.
    static String perNode(List<Allocation> allocations, ToIntFunction<Allocation> number) {
        var text = new StringBuilder();
        int[] numbers = allocations.stream().mapToInt(number).toArray();
        for (int first = 0; first < numbers.length; ) {
            int end = first;
            while (end < numbers.length && numbers[end] == numbers[first]) {
                end++;
            }
            text.append(text.isEmpty() ? "" : ",").append(numbers[first]);
            if (end - first > 1) {
                text.append("(x").append(end - first).append(')');
            }
            first = end;
        }
        return text.toString();
    }
}
