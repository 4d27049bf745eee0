package io.berth.slurm;

import io.berth.slurm.SbatchOption.Treatment.Different;
import io.berth.slurm.SbatchOption.Treatment.Same;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// One option of `srun` where it starts a job of its own, or of `salloc`.
///
/// @param variables of the environment, of which the first that is set gives the option where the
///   command line does not
///
///   Source: srun(1) and salloc(1) of Slurm 22.05, "OPTIONS" and "INPUT ENVIRONMENT VARIABLES";
///   `--external-launcher` came later.
public record SrunOption(
        String longName, char letter, Argument argument, Meaning meaning, List<String> variables)
        implements OptionName {

    private SrunOption(String longName, char letter, Argument argument, Meaning meaning) {
        this(longName, letter, argument, meaning, List.of());
    }

    private SrunOption from(List<String> names) {
        return new SrunOption(longName, letter, argument, meaning, names);
    }

    /// Whom an option speaks to.
    public sealed interface Meaning {

        /// The job: it means what it means to `sbatch`.
        record OfJob(SbatchOption option) implements Meaning {}

        /// The step in the job, which is handed the option as it is.
        record OfStep() implements Meaning {}

        /// `srun` itself.
        record Own(Setting setting) implements Meaning {}

        /// Nobody: it changes nothing of what runs.
        record Ignored() implements Meaning {}

        /// The command is refused, in one line that names the option.
        ///
        /// @param instead what to do; empty if there is nothing
        record Refused(String instead) implements Meaning {}
    }

    /// What an option sets in the command itself.
    public enum Setting {
        BELL,
        HELP,
        IMMEDIATE,
        JOBID,
        KILL_COMMAND,
        NO_SHELL,
        PTY,
        QUIET,
        VERSION
    }

    /// Of `sbatch`'s, these say what becomes of a script or of the command itself.
    private static final Set<SbatchSetting> NOT_OF_SRUN =
            EnumSet.of(
                    SbatchSetting.ARRAY,
                    SbatchSetting.CONTAINER,
                    SbatchSetting.ERROR,
                    SbatchSetting.GPU_BIND,
                    SbatchSetting.HELP,
                    SbatchSetting.HOLD,
                    SbatchSetting.INPUT,
                    SbatchSetting.NO_REQUEUE,
                    SbatchSetting.OPEN_MODE,
                    SbatchSetting.OUTPUT,
                    SbatchSetting.PARSABLE,
                    SbatchSetting.QUIET,
                    SbatchSetting.REQUEUE,
                    SbatchSetting.TEST_ONLY,
                    SbatchSetting.USAGE,
                    SbatchSetting.VERSION,
                    SbatchSetting.WAIT,
                    SbatchSetting.WRAP);

    /// Options that a variable gives to `srun` by the name that it has after `SLURM_`, and to
    /// `salloc` after `SALLOC_`.
    private static final Map<String, String> OF_BOTH =
            Map.ofEntries(
                    Map.entry("account", "ACCOUNT"),
                    Map.entry("constraint", "CONSTRAINT"),
                    Map.entry("cpus-per-gpu", "CPUS_PER_GPU"),
                    Map.entry("exclusive", "EXCLUSIVE"),
                    Map.entry("gpu-bind", "GPU_BIND"),
                    Map.entry("gpus", "GPUS"),
                    Map.entry("gpus-per-node", "GPUS_PER_NODE"),
                    Map.entry("gpus-per-task", "GPUS_PER_TASK"),
                    Map.entry("immediate", "IMMEDIATE"),
                    Map.entry("mem", "MEM_PER_NODE"),
                    Map.entry("mem-per-cpu", "MEM_PER_CPU"),
                    Map.entry("mem-per-gpu", "MEM_PER_GPU"),
                    Map.entry("partition", "PARTITION"),
                    Map.entry("qos", "QOS"),
                    Map.entry("reservation", "RESERVATION"),
                    Map.entry("signal", "SIGNAL"),
                    Map.entry("time", "TIMELIMIT"));

    private static final Map<String, List<String>> OF_SRUN =
            Map.ofEntries(
                    Map.entry("bcast", List.of("SLURM_BCAST")),
                    Map.entry("chdir", List.of("SLURM_WORKING_DIR", "SLURM_REMOTE_CWD")),
                    Map.entry("container", List.of("SLURM_CONTAINER")),
                    Map.entry("cpu-bind", List.of("SLURM_CPU_BIND")),
                    Map.entry("cpus-per-task", List.of("SRUN_CPUS_PER_TASK")),
                    Map.entry("dependency", List.of("SLURM_DEPENDENCY")),
                    Map.entry("distribution", List.of("SLURM_DISTRIBUTION")),
                    Map.entry("error", List.of("SLURM_STDERRMODE")),
                    Map.entry("exact", List.of("SLURM_EXACT")),
                    Map.entry("export", List.of("SRUN_EXPORT_ENV", "SLURM_EXPORT_ENV")),
                    Map.entry("input", List.of("SLURM_STDINMODE")),
                    Map.entry("job-name", List.of("SLURM_JOB_NAME")),
                    Map.entry("jobid", List.of("SLURM_JOB_ID")),
                    Map.entry("kill-on-bad-exit", List.of("SLURM_KILL_BAD_EXIT")),
                    Map.entry("label", List.of("SLURM_LABELIO")),
                    Map.entry("nodes", List.of("SLURM_NNODES", "SLURM_JOB_NUM_NODES")),
                    Map.entry("ntasks", List.of("SLURM_NTASKS", "SLURM_NPROCS")),
                    Map.entry("ntasks-per-node", List.of("SLURM_NTASKS_PER_NODE")),
                    Map.entry("output", List.of("SLURM_STDOUTMODE")),
                    Map.entry("overcommit", List.of("SLURM_OVERCOMMIT")),
                    Map.entry("overlap", List.of("SLURM_OVERLAP")),
                    Map.entry("wait", List.of("SLURM_WAIT")));

    private static final Map<String, List<String>> OF_SALLOC =
            Map.of(
                    "bell", List.of("SALLOC_BELL"),
                    "gres", List.of("SALLOC_GRES"),
                    "kill-command", List.of("SALLOC_KILL_CMD"));

    private static final String NO_LIBRARIES = ": libraries are not sent with --bcast";

    /// Every option of `srun`, those of the job first.
    public static final List<SrunOption> TABLE = ofSrun();

    /// Every option of `salloc`, those of the job first.
    public static final List<SrunOption> SALLOC = ofSalloc();

    private static List<SrunOption> ofJob() {
        var rows = new ArrayList<SrunOption>();
        for (SbatchOption option : SbatchOption.TABLE) {
            if (isOfJob(option)) {
                rows.add(ofJob(option));
            }
        }
        step(rows, "container", '\0', Argument.REQUIRED);
        own(rows, "help", 'h', Setting.HELP);
        own(rows, "immediate", 'I', Argument.OPTIONAL, Setting.IMMEDIATE);
        own(rows, "quiet", 'Q', Setting.QUIET);
        own(rows, "version", 'V', Setting.VERSION);
        ignored(rows, "verbose", 'v', Argument.NONE);
        return rows;
    }

    private static SrunOption ofJob(SbatchOption option) {
        return new SrunOption(
                option.longName(), option.letter(), option.argument(), new Meaning.OfJob(option));
    }

    private static List<SrunOption> ofSalloc() {
        List<SrunOption> rows = ofJob();
        // To srun it is the step's; here it is that of the steps in the shell.
        SbatchOption.TABLE.stream()
                .filter(it -> it.longName().equals("gpu-bind"))
                .forEach(it -> rows.add(ofJob(it)));
        own(rows, "bell", '\0', Setting.BELL);
        own(rows, "kill-command", 'K', Argument.OPTIONAL, Setting.KILL_COMMAND);
        ignored(rows, "no-bell", '\0', Argument.NONE);
        own(rows, "no-shell", '\0', Setting.NO_SHELL);
        return with("SALLOC_", OF_SALLOC, rows);
    }

    private static List<SrunOption> ofSrun() {
        List<SrunOption> rows = ofJob();
        // Of its own job it is the step's.
        rows.removeIf(it -> it.longName().equals("overcommit"));
        step(rows, "cpu-bind", '\0', Argument.REQUIRED);
        step(rows, "error", 'e', Argument.REQUIRED);
        step(rows, "exact", '\0', Argument.NONE);
        step(rows, "external-launcher", '\0', Argument.OPTIONAL);
        step(rows, "gpu-bind", '\0', Argument.REQUIRED);
        step(rows, "het-group", '\0', Argument.REQUIRED);
        step(rows, "input", 'i', Argument.REQUIRED);
        step(rows, "kill-on-bad-exit", 'K', Argument.OPTIONAL);
        step(rows, "label", 'l', Argument.NONE);
        step(rows, "mpi", '\0', Argument.REQUIRED);
        step(rows, "multi-prog", '\0', Argument.NONE);
        step(rows, "output", 'o', Argument.REQUIRED);
        step(rows, "overcommit", 'O', Argument.NONE);
        step(rows, "overlap", '\0', Argument.NONE);
        step(rows, "relative", 'r', Argument.REQUIRED);
        step(rows, "test-only", '\0', Argument.NONE);
        step(rows, "wait", 'W', Argument.REQUIRED);
        own(rows, "jobid", '\0', Argument.REQUIRED, Setting.JOBID);
        own(rows, "pty", '\0', Setting.PTY);
        ignored(rows, "disable-status", 'X', Argument.NONE);
        ignored(rows, "preserve-env", 'E', Argument.NONE);
        ignored(rows, "threads", 'T', Argument.REQUIRED);
        ignored(rows, "unbuffered", 'u', Argument.NONE);
        step(rows, "bcast", '\0', Argument.OPTIONAL);
        ignored(rows, "compress", '\0', Argument.OPTIONAL);
        refused(rows, "bcast-exclude", '\0', Argument.REQUIRED, NO_LIBRARIES);
        refused(rows, "send-libs", '\0', Argument.OPTIONAL, NO_LIBRARIES);
        return with("SLURM_", OF_SRUN, rows);
    }

    /// With the variables of each: those of this command alone, and those that are named alike.
    private static List<SrunOption> with(
            String prefix, Map<String, List<String>> own, List<SrunOption> rows) {
        return rows.stream()
                .map(row -> {
                    String alike = OF_BOTH.get(row.longName());
                    List<String> names =
                            alike == null
                                    ? own.getOrDefault(row.longName(), List.of())
                                    : List.of(prefix + alike);
                    return row.from(names);
                })
                .toList();
    }

    private static boolean isOfJob(SbatchOption option) {
        return switch (option.treatment()) {
            case Same same -> !NOT_OF_SRUN.contains(same.setting());
            case Different different -> !NOT_OF_SRUN.contains(different.setting());
            case SbatchOption.Treatment.Ignored _ -> !option.longName().equals("verbose");
            case SbatchOption.Treatment.Refused _ -> true;
        };
    }

    private static void step(List<SrunOption> rows, String name, char letter, Argument argument) {
        rows.add(new SrunOption(name, letter, argument, new Meaning.OfStep()));
    }

    private static void own(List<SrunOption> rows, String name, char letter, Setting setting) {
        own(rows, name, letter, Argument.NONE, setting);
    }

    private static void own(
            List<SrunOption> rows, String name, char letter, Argument argument, Setting setting) {
        rows.add(new SrunOption(name, letter, argument, new Meaning.Own(setting)));
    }

    private static void ignored(
            List<SrunOption> rows, String name, char letter, Argument argument) {
        rows.add(new SrunOption(name, letter, argument, new Meaning.Ignored()));
    }

    private static void refused(
            List<SrunOption> rows, String name, char letter, Argument argument, String instead) {
        rows.add(new SrunOption(name, letter, argument, new Meaning.Refused(instead)));
    }
}
