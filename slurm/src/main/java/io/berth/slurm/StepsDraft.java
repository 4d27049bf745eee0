package io.berth.slurm;

import io.berth.slurm.GetOpt.Given;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What options of a job say of its steps, while they are read: steps find it in their environment,
/// as Slurm's `srun` does. Beside them stand options of which Berth has the one value that is its
/// own way.
///
/// Source: sbatch(1) of Slurm 22.05, "OUTPUT ENVIRONMENT VARIABLES"; srun(1), "INPUT ENVIRONMENT
/// VARIABLES".
final class StepsDraft {

    private static final Pattern DISTRIBUTION =
            Pattern.compile("(block|cyclic|\\*)(:(block|cyclic|fcyclic|\\*))*+(,(no)?pack)?");
    private static final Pattern OTHER_DISTRIBUTION = Pattern.compile("plane(=\\d+)?|arbitrary");
    private static final Pattern GPU_BIND =
            Pattern.compile(
                    "(verbose,|v,)*+(none|closest|single:[1-9]\\d*|per_task:\\d+|map_gpu:.+|mask_gpu:.+)?");
    private static final Pattern OTHER_MEMORY_BIND =
            Pattern.compile("rank|(map_mem|mask_mem):.+|prefer|sort|nosort");

    private static final String OVERCOMMIT = "SLURM_OVERCOMMIT";
    private static final String TASKS = "SLURM_NTASKS";
    private static final String TASKS_PER_GPU = "SLURM_NTASKS_PER_GPU";
    private static final String BIND = "SLURM_GPU_BIND";

    private final Map<String, String> variables = new TreeMap<>();
    private Set<ResourceLimit> limits = Set.of();

    void set(SbatchSetting setting, Given<SbatchOption> given) throws InvalidOption {
        String value = given.value() == null ? "" : given.value();
        String word = value.toLowerCase(Locale.ROOT);
        switch (setting) {
            case DISTRIBUTION -> {
                take(
                        given,
                        DISTRIBUTION.matcher(word).matches(),
                        OTHER_DISTRIBUTION,
                        "block or cyclic");
                variables.put("SLURM_DISTRIBUTION", word);
            }
            case GPU_BIND -> {
                String some = "none, closest, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST";
                if (!GPU_BIND.matcher(word).matches()) {
                    throw unsupported(given, some);
                }
                variables.put(BIND, word);
            }
            case GRES_FLAGS ->
                    take(
                            given,
                            word.equals("disable-binding"),
                            Pattern.compile(
                                    "enforce-binding|allow-task-sharing|(one-task|multiple-tasks)-per-sharing"),
                            "disable-binding; --gpus-per-socket has a job's CPUs beside its GPUs");
            case HINT -> {
                if (word.equals("memory_bound")) {
                    throw unsupported(
                            given,
                            "multithread, nomultithread or compute_bound; --ntasks-per-socket=1 has one task on a socket");
                }
                if (!word.matches("multithread|nomultithread|compute_bound")) {
                    throw InvalidOption.refused(
                            "unrecognized --hint argument \"" + value + "\", see --hint=help");
                }
                variables.put("SLURM_HINT", word);
            }
            case MEM_BIND -> {
                take(
                        given,
                        word.matches("((quiet|verbose|q|v),?)*+(none|no|local)?"),
                        OTHER_MEMORY_BIND,
                        "none or local");
                variables.put("SLURM_MEM_BIND", word.endsWith("local") ? "local" : "none");
            }
            case PROPAGATE -> limits = ResourceLimit.parse(value);
            case NO_KILL -> {
                if (!word.equals("off")) {
                    throw unsupported(
                            given, "a job ends, or is queued again, when it loses a node");
                }
            }
            case OVERCOMMIT -> variables.put(OVERCOMMIT, "1");
            default -> throw new IllegalStateException(setting + " says nothing of steps");
        }
    }

    private static void take(Given<SbatchOption> given, boolean taken, Pattern others, String some)
            throws InvalidOption {
        if (!taken) {
            throw others.matcher(String.valueOf(given.value()).toLowerCase(Locale.ROOT)).matches()
                    ? unsupported(given, some)
                    : SbatchDraft.invalid(given);
        }
    }

    private static InvalidOption unsupported(Given<SbatchOption> given, String some) {
        return InvalidOption.refused(
                "--"
                        + given.option().longName()
                        + (given.value() == null ? "" : "=" + given.value())
                        + " is not supported yet: "
                        + some);
    }

    /// So many tasks of each GPU, which see that one alone unless `--gpu-bind` says otherwise.
    void tasksPerGpu(int count) {
        variables.put(TASKS_PER_GPU, Integer.toString(count));
    }

    /// Whether steps are told anything that follows from no shape of the job.
    boolean sayMore() {
        return variables.keySet().stream().anyMatch(it -> !it.equals(TASKS_PER_GPU));
    }

    /// Whether tasks share the CPUs of one of them on each node.
    boolean overcommit() {
        return variables.containsKey(OVERCOMMIT);
    }

    /// How many tasks a step has that shares the CPUs of one.
    void share(int tasks) {
        variables.put(TASKS, Integer.toString(tasks));
    }

    /// The environment with what steps are to find there, and with the limits that are handed on.
    Map<String, String> in(Map<String, String> environment) {
        var all = new TreeMap<>(environment);
        // Beside the other it would tell the tasks of a job that this is submitted from.
        if (all.containsKey(OVERCOMMIT)) {
            all.remove(TASKS);
        }
        ResourceLimit.keep(limits, all);
        all.putAll(variables);
        String each = variables.get(TASKS_PER_GPU);
        if (each != null && !variables.containsKey(BIND)) {
            all.put(BIND, "single:" + each);
        }
        return all;
    }
}
