package io.berth.slurm;

import static io.berth.slurm.OptionName.Argument.NONE;
import static io.berth.slurm.OptionName.Argument.OPTIONAL;
import static io.berth.slurm.OptionName.Argument.REQUIRED;

import io.berth.slurm.OptionName.Argument;
import io.berth.slurm.SbatchOption.Treatment;
import io.berth.slurm.SbatchOption.Treatment.Different;
import io.berth.slurm.SbatchOption.Treatment.Ignored;
import io.berth.slurm.SbatchOption.Treatment.Refused;
import io.berth.slurm.SbatchOption.Treatment.Same;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The rows of [SbatchOption#TABLE].
///
/// Source: sbatch(1) of Slurm 22.05, "OPTIONS" and "INPUT ENVIRONMENT VARIABLES"; `--segment` and
/// `--tres-per-task` came later.
final class SbatchOptionTable {

    private static final Treatment REFUSED = new Refused("");

    private final List<SbatchOption> rows = new ArrayList<>();

    private SbatchOptionTable() {}

    static List<SbatchOption> rows() {
        var table = new SbatchOptionTable();
        table.aboutTheJob();
        table.aboutResources();
        table.aboutTerms();
        table.aboutNodes();
        table.aboutSteps();
        table.ignored();
        table.refusedFirstHalf();
        table.refusedSecondHalf();
        table.rows.sort((a, b) -> a.longName().compareTo(b.longName()));
        return List.copyOf(table.rows);
    }

    private void aboutTheJob() {
        same("account", 'A', REQUIRED, "SBATCH_ACCOUNT", SbatchSetting.ACCOUNT);
        same("chdir", 'D', REQUIRED, null, SbatchSetting.CHDIR);
        same("container", '\0', REQUIRED, "SBATCH_CONTAINER", SbatchSetting.CONTAINER);
        same("error", 'e', REQUIRED, null, SbatchSetting.ERROR);
        same("export", '\0', REQUIRED, "SBATCH_EXPORT", SbatchSetting.EXPORT);
        different(
                "export-file",
                null,
                SbatchSetting.EXPORT_FILE,
                "a file, not the number of a descriptor");
        same("help", 'h', NONE, null, SbatchSetting.HELP);
        same("input", 'i', REQUIRED, null, SbatchSetting.INPUT);
        same("job-name", 'J', REQUIRED, "SBATCH_JOB_NAME", SbatchSetting.JOB_NAME);
        same("nice", '\0', OPTIONAL, null, SbatchSetting.NICE);
        same("no-requeue", '\0', NONE, "SBATCH_NO_REQUEUE", SbatchSetting.NO_REQUEUE);
        same("open-mode", '\0', REQUIRED, "SBATCH_OPEN_MODE", SbatchSetting.OPEN_MODE);
        same("output", 'o', REQUIRED, null, SbatchSetting.OUTPUT);
        same("parsable", '\0', NONE, null, SbatchSetting.PARSABLE);
        same("partition", 'p', REQUIRED, "SBATCH_PARTITION", SbatchSetting.PARTITION);
        same("qos", 'q', REQUIRED, "SBATCH_QOS", SbatchSetting.QOS);
        same("quiet", 'Q', NONE, null, SbatchSetting.QUIET);
        rows.add(
                new SbatchOption(
                        "propagate",
                        '\0',
                        OPTIONAL,
                        null,
                        new Different(
                                SbatchSetting.PROPAGATE,
                                "without it a job has the limits (`ulimit`) of its node's agent; with it the soft ones of the shell that submits, as far as the hard ones on the node allow")));
        same("requeue", '\0', NONE, "SBATCH_REQUEUE", SbatchSetting.REQUEUE);
        same("usage", '\0', NONE, null, SbatchSetting.USAGE);
        different("user", null, SbatchSetting.USER, "Berth's own: an admin submits for this user");
        same("version", 'V', NONE, null, SbatchSetting.VERSION);
        same("tasks-per-node", '\0', REQUIRED, null, SbatchSetting.NTASKS_PER_NODE);
        same("test-only", '\0', NONE, null, SbatchSetting.TEST_ONLY);
        same("wait", 'W', NONE, "SBATCH_WAIT", SbatchSetting.WAIT);
        same("wrap", '\0', REQUIRED, null, SbatchSetting.WRAP);
    }

    private void aboutResources() {
        different(
                "cpus-per-gpu",
                "SBATCH_CPUS_PER_GPU",
                SbatchSetting.CPUS_PER_GPU,
                "the CPUs are shared out among the tasks of a node, rounded up");
        same("cpus-per-task", 'c', REQUIRED, null, SbatchSetting.CPUS_PER_TASK);
        gpus("gpus", 'G', "SBATCH_GPUS", SbatchSetting.GPUS);
        gpus("gpus-per-node", '\0', "SBATCH_GPUS_PER_NODE", SbatchSetting.GPUS_PER_NODE);
        different(
                "gpus-per-socket",
                "SBATCH_GPUS_PER_SOCKET",
                SbatchSetting.GPUS_PER_SOCKET,
                "`[type:]count`, of one type or of several (`a100:2,v100:1`); a job has so many of each of `--sockets-per-node` sockets of a node, and its CPUs on these");
        gpus("gpus-per-task", '\0', "SBATCH_GPUS_PER_TASK", SbatchSetting.GPUS_PER_TASK);
        different(
                "gres",
                "SBATCH_GRES",
                SbatchSetting.GRES,
                "`gpu[:type][:count]`, of one type or of several, of MIG instances also their profile (`gpu:1g.10gb:2`, `mig:1g.10gb:2`); or a part of one GPU, `mps[:type][:hundredths]` or `shard[:type][:count]`, and of its memory (Berth's own, `gpumem:16G`); beside whole GPUs `gpumem:40G` is what each of them has at least; other resources that nodes have, `name[:type][:count]`; or `none`");
        different(
                "licenses",
                'L',
                SbatchSetting.LICENSES,
                "`name[:count]` with commas between them; of the cluster's own, without `|`");
        same("mem", '\0', REQUIRED, "SBATCH_MEM_PER_NODE", SbatchSetting.MEM);
        same("mem-per-cpu", '\0', REQUIRED, "SBATCH_MEM_PER_CPU", SbatchSetting.MEM_PER_CPU);
        same("mem-per-gpu", '\0', REQUIRED, "SBATCH_MEM_PER_GPU", SbatchSetting.MEM_PER_GPU);
        same("mincpus", '\0', REQUIRED, null, SbatchSetting.MIN_CPUS);
        different(
                "nodes",
                'N',
                SbatchSetting.NODES,
                "of a range `min-max` it gets as many nodes as are free when it starts, and waits for `min`");
        same("ntasks", 'n', REQUIRED, null, SbatchSetting.NTASKS);
        different(
                "ntasks-per-core",
                null,
                SbatchSetting.NTASKS_PER_CORE,
                "its tasks run on so many threads of a core at most, times `--cpus-per-task`, and it has the cores; where these are [given out whole](scheduling.md#where-on-a-node)");
        different(
                "ntasks-per-gpu",
                null,
                SbatchSetting.NTASKS_PER_GPU,
                "each of the script's tasks sees its GPU alone, by `SLURM_GPU_BIND=single:N`, unless `--gpu-bind` says otherwise; of a component after the first, only the number of tasks follows from it");
        same("ntasks-per-node", '\0', REQUIRED, null, SbatchSetting.NTASKS_PER_NODE);
        different(
                "ntasks-per-socket",
                null,
                SbatchSetting.NTASKS_PER_SOCKET,
                "so many tasks have their CPUs on a socket at most; where a step's tasks run is said by `--cpu-bind`");
        different(
                "tmp",
                null,
                SbatchSetting.TMP,
                "the size of the file system of the host's `/tmp`; a declared node has none");
        same("time", 't', REQUIRED, "SBATCH_TIMELIMIT", SbatchSetting.TIME);
        different(
                "tres-per-task",
                "SBATCH_TRES_PER_TASK",
                SbatchSetting.TRES_PER_TASK,
                "`cpu:count` and `gres/gpu[:type][:count]`, of several types each, which are `--cpus-per-task` and `--gpus-per-task`");
    }

    private void aboutTerms() {
        different(
                "array",
                'a',
                "SBATCH_ARRAY_INX",
                SbatchSetting.ARRAY,
                "indices up to the gateway's `max-array-size`, 10,000 unless set");
        same("begin", 'b', REQUIRED, null, SbatchSetting.BEGIN);
        same("comment", '\0', REQUIRED, null, SbatchSetting.COMMENT);
        same("deadline", '\0', REQUIRED, null, SbatchSetting.DEADLINE);
        different(
                "dependency",
                'd',
                SbatchSetting.DEPENDENCY,
                "without `expand` and `afterburstbuffer`");
        same("hold", 'H', NONE, null, SbatchSetting.HOLD);
        same("kill-on-invalid-dep", '\0', REQUIRED, null, SbatchSetting.KILL_ON_INVALID_DEP);
        different(
                "mail-type",
                null,
                SbatchSetting.MAIL_TYPE,
                "where the cluster sends mail; nothing is staged, so nothing comes for `STAGE_OUT`;"
                        + " `INVALID_DEPEND` is told of jobs that end for it");
        same("mail-user", '\0', REQUIRED, null, SbatchSetting.MAIL_USER);
        same("priority", '\0', REQUIRED, null, SbatchSetting.PRIORITY);
        different(
                "signal",
                "SBATCH_SIGNAL",
                SbatchSetting.SIGNAL,
                "without `B:` it goes to what the script has started, as there are no steps; `R:` is"
                        + " refused: no reservation has a `MaxStartDelay`");
        same("time-min", '\0', REQUIRED, null, SbatchSetting.TIME_MIN);
        different(
                "wait-all-nodes",
                "SBATCH_WAIT_ALL_NODES",
                SbatchSetting.WAIT_ALL_NODES,
                "checked; all nodes are ready before the script starts");
    }

    private void aboutNodes() {
        different(
                "constraint",
                'C',
                "SBATCH_CONSTRAINT",
                SbatchSetting.CONSTRAINT,
                "`&` binds closer than `|`; a node has its GPUs' types, its profile and its"
                        + " architecture as features, and those that `scontrol update` gives it; a"
                        + " node counts once in `[a*2&b*4]`, and a job that names no number of nodes"
                        + " has as many as are counted");
        different(
                "prefer",
                null,
                SbatchSetting.PREFER,
                "as `--constraint`, in the place of which it is tried first whenever the job is"
                        + " looked for room for; it never waits for such nodes");
        different(
                "contiguous",
                '\0',
                NONE,
                null,
                SbatchSetting.CONTIGUOUS,
                "side by side in the order of the nodes' names, with switches too");
        same("cores-per-socket", '\0', REQUIRED, null, SbatchSetting.CORES_PER_SOCKET);
        same("extra-node-info", 'B', REQUIRED, null, SbatchSetting.EXTRA_NODE_INFO);
        same("nodefile", 'F', REQUIRED, null, SbatchSetting.NODEFILE);
        same("sockets-per-node", '\0', REQUIRED, null, SbatchSetting.SOCKETS_PER_NODE);
        different(
                "threads-per-core",
                "SBATCH_THREADS_PER_CORE",
                SbatchSetting.THREADS_PER_CORE,
                "nodes with at least so many; where cores are [given out whole](scheduling.md#where-on-a-node) its tasks run on so many of a core at most, elsewhere all threads count as CPUs; `srun` in a job binds its tasks to so many of a core");
        same("exclude", 'x', REQUIRED, null, SbatchSetting.EXCLUDE);
        rows.add(
                new SbatchOption(
                        "exclusive",
                        '\0',
                        OPTIONAL,
                        "SBATCH_EXCLUSIVE",
                        new Different(SbatchSetting.EXCLUSIVE, "without `mcs`")));
        same("nodelist", 'w', REQUIRED, null, SbatchSetting.NODELIST);
        different(
                "oversubscribe",
                's',
                NONE,
                null,
                SbatchSetting.OVERSUBSCRIBE,
                "heeded in partitions with `overSubscribe: YES`");
        different(
                "reservation",
                "SBATCH_RESERVATION",
                SbatchSetting.RESERVATION,
                "one reservation, not a list");
        different(
                "segment",
                "SBATCH_SEGMENT_SIZE",
                SbatchSetting.SEGMENT,
                "nodes of each segment, required; not beside `--switches`, `--contiguous`, a range of nodes and uneven tasks or GPUs");
        different(
                "spread-job",
                '\0',
                NONE,
                "SBATCH_SPREAD_JOB",
                SbatchSetting.SPREAD_JOB,
                "with a number of tasks and without `-N` it is `-N 1-TASKS`: as many nodes as are free when it starts");
        different(
                "switches",
                "SBATCH_REQ_SWITCH",
                SbatchSetting.SWITCHES,
                "after the wait it takes any nodes; without configured switches all nodes are under one");
        same("use-min-nodes", '\0', NONE, "SBATCH_USE_MIN_NODES", SbatchSetting.USE_MIN_NODES);
    }

    private void aboutSteps() {
        different(
                "distribution",
                'm',
                "SBATCH_DISTRIBUTION",
                SbatchSetting.DISTRIBUTION,
                "`block` or `cyclic`, the default of the script's steps in `SLURM_DISTRIBUTION`; on a node's sockets tasks lie as `--cpu-bind` says; `plane` and `arbitrary` are refused");
        different(
                "gpu-bind",
                "SBATCH_GPU_BIND",
                SbatchSetting.GPU_BIND,
                "the default of the script's steps, in `SLURM_GPU_BIND`");
        different(
                "gres-flags",
                "SBATCH_GRES_FLAGS",
                SbatchSetting.GRES_FLAGS,
                "`disable-binding`, as jobs are without it; `enforce-binding` is refused, `--gpus-per-socket` has a job's CPUs beside its GPUs");
        different(
                "hint",
                "SBATCH_HINT",
                SbatchSetting.HINT,
                "`multithread`, `nomultithread` and `compute_bound`: the last two run on one thread of each core and have the whole of it, where cores are [given out whole](scheduling.md#where-on-a-node) or have one thread; `memory_bound` is refused");
        different(
                "mem-bind",
                "SBATCH_MEM_BIND",
                SbatchSetting.MEM_BIND,
                "`none`, and `local`, which bounds a step's tasks to the NUMA nodes of their CPUs; the default of the script's steps, in `SLURM_MEM_BIND`; others are refused");
        different(
                "no-kill",
                'k',
                OPTIONAL,
                "SBATCH_NO_KILL",
                SbatchSetting.NO_KILL,
                "`off`; a job ends, or is queued again, when it loses a node");
        different(
                "overcommit",
                'O',
                NONE,
                "SBATCH_OVERCOMMIT",
                SbatchSetting.OVERCOMMIT,
                "the job has the CPUs of one task on each node; its steps find `SLURM_OVERCOMMIT=1` and the tasks of `-n` in `SLURM_NTASKS`, while `scontrol` shows one on each node; not with `--gpus-per-task`");
    }

    private void ignored() {
        ignored("acctg-freq", '\0', REQUIRED, "SBATCH_ACCTG_FREQ", "usage is booked per run");
        ignored(
                "cpu-freq",
                '\0',
                REQUIRED,
                null,
                "a request that a node may decline, and Berth's do");
        ignored("delay-boot", '\0', REQUIRED, "SBATCH_DELAY_BOOT", "Berth boots no nodes");
        ignored(
                "get-user-env",
                '\0',
                OPTIONAL,
                "SBATCH_GET_USER_ENV",
                "the environment of `sbatch` is taken, which outranks it in Slurm too");
        ignored("ignore-pbs", '\0', NONE, "SBATCH_IGNORE_PBS", "`#PBS` lines are never read");
        ignored("power", '\0', REQUIRED, "SBATCH_POWER", "no power management");
        ignored("profile", '\0', REQUIRED, "SBATCH_PROFILE", "no profile files are written");
        ignored("verbose", 'v', NONE, "SBATCH_DEBUG", "there is nothing more to say");
        ignored("wckey", '\0', REQUIRED, "SBATCH_WCKEY", "not kept");
    }

    private void refusedFirstHalf() {
        refused("batch", '\0', REQUIRED, "SBATCH_BATCH");
        refused("bb", '\0', REQUIRED, null);
        refused("bbf", '\0', REQUIRED, null);
        refused("cluster-constraint", '\0', REQUIRED, null);
        refused("clusters", 'M', REQUIRED, "SBATCH_CLUSTERS");
        refused("core-spec", 'S', REQUIRED, "SBATCH_CORE_SPEC");
        refused("gid", '\0', REQUIRED, null);
        refused("gpu-freq", '\0', REQUIRED, "SBATCH_GPU_FREQ");
        refused("mcs-label", '\0', REQUIRED, null);
    }

    private void refusedSecondHalf() {
        refused("network", '\0', REQUIRED, "SBATCH_NETWORK");
        refused("reboot", '\0', NONE, null);
        refused("thread-spec", '\0', REQUIRED, "SBATCH_THREAD_SPEC");
        refused("uid", '\0', REQUIRED, null);
        rows.add(
                new SbatchOption(
                        "x11",
                        '\0',
                        OPTIONAL,
                        null,
                        new Refused(
                                "windows are not forwarded; 'ssh -X' to a node of the job shows them, where its site lets users in")));
    }

    private void same(
            String name,
            char letter,
            Argument argument,
            @Nullable String variable,
            SbatchSetting setting) {
        rows.add(new SbatchOption(name, letter, argument, variable, new Same(setting)));
    }

    private void gpus(String name, char letter, String variable, SbatchSetting setting) {
        different(
                name,
                letter,
                variable,
                setting,
                "`[type:]count`, of one type or of several (`a100:2,v100:1`)");
    }

    private void different(
            String name, @Nullable String variable, SbatchSetting setting, String how) {
        different(name, '\0', variable, setting, how);
    }

    private void different(String name, char letter, SbatchSetting setting, String how) {
        different(name, letter, null, setting, how);
    }

    private void different(
            String name,
            char letter,
            @Nullable String variable,
            SbatchSetting setting,
            String how) {
        different(name, letter, REQUIRED, variable, setting, how);
    }

    private void different(
            String name,
            char letter,
            Argument argument,
            @Nullable String variable,
            SbatchSetting setting,
            String how) {
        rows.add(new SbatchOption(name, letter, argument, variable, new Different(setting, how)));
    }

    private void ignored(
            String name, char letter, Argument argument, @Nullable String variable, String why) {
        rows.add(new SbatchOption(name, letter, argument, variable, new Ignored(why)));
    }

    private void refused(String name, char letter, Argument argument, @Nullable String variable) {
        rows.add(new SbatchOption(name, letter, argument, variable, REFUSED));
    }
}
