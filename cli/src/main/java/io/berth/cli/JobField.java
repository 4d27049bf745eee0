package io.berth.cli;

import io.berth.contracts.JobState;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A column of `squeue`. What Berth has no notion of is printed as Slurm prints it for a job that
/// does not use it.
///
/// Source: squeue(1), options `--format` and `--Format`.
enum JobField {
    ACCOUNT('a', "Account", "ACCOUNT"),
    ACCRUE_TIME('\0', "AccrueTime", "ACCRUE_TIME"),
    ADMIN_COMMENT('\0', "AdminComment", "ADMIN_COMMENT"),
    ALLOC_SID('\0', "AllocSID", "ALLOC_SID"),
    ALLOC_NODES('\0', "AllocNodes", "ALLOC_NODES"),
    ARRAY_JOB('F', "ArrayJobID", "ARRAY_JOB_ID"),
    ARRAY_TASK('K', "ArrayTaskID", "ARRAY_TASK_ID"),
    BARE_ID('A', "JobID", "JOBID"),
    BOARDS_PER_NODE('\0', "BoardsPerNode", "BOARDS_PER_NODE"),
    BATCH_FLAG('\0', "BatchFlag", "BATCH_FLAG"),
    BATCH_HOST('B', "BatchHost", "EXEC_HOST"),
    CLUSTER_FEATURE('\0', "ClusterFeature", "CLUSTER_FEATURES"),
    COMMAND('o', "Command", "COMMAND"),
    COMMENT('k', "Comment", "COMMENT"),
    CONTIGUOUS('O', "Contiguous", "CONTIGUOUS"),
    CORES('I', "Cores", "CORES_PER_SOCKET"),
    CORE_SPEC('X', "CoreSpec", "CORE_SPEC"),
    CPUS('C', "NumCPUs", "CPUS"),
    CPUS_PER_TASK('\0', "cpus-per-task", "CPUS_PER_TASK"),
    CPUS_PER_TRES('\0', "cpus-per-tres", "CPUS_PER_TRES"),
    DEADLINE('\0', "Deadline", "DEADLINE"),
    DEPENDENCY('E', "Dependency", "DEPENDENCY"),
    DERIVED_EXIT_CODE('\0', "DerivedEC", "DERIVED_EC"),
    ELIGIBLE_TIME('\0', "EligibleTime", "ELIGIBLE_TIME"),
    END_TIME('e', "EndTime", "END_TIME"),
    EXCLUDED_NODES('x', "exc_nodes", "EXC_NODES"),
    EXIT_CODE('\0', "exit_code", "EXIT_CODE"),
    FEATURES('f', "Feature", "FEATURES"),
    GROUP('g', "GroupName", "GROUP"),
    GROUP_ID('G', "GroupID", "GROUP"),
    HET_JOB('\0', "HetJobID", "HET_JOB_ID"),
    HET_JOB_SET('\0', "HetJobIDSet", "HET_JOB_ID_SET"),
    HET_OFFSET('\0', "HetJobOffset", "HET_JOB_OFFSET"),
    ID('i', "JobArrayID", "JOBID"),
    LAST_EVALUATION('\0', "LastSchedEval", "LAST_SCHED_EVAL"),
    LICENSES('W', "Licenses", "LICENSES"),
    LOW_GPU_USE('\0', "LowGpuUse", "LOW_GPU_USE"),
    MAX_CPUS('\0', "MaxCPUs", "MAX_CPUS"),
    MAX_NODES('\0', "MaxNodes", "MAX_NODES"),
    MCS_LABEL('\0', "MCSLabel", "MCSLABEL"),
    MEM_PER_TRES('\0', "mem-per-tres", "MEM_PER_TRES"),
    MIN_CPUS('c', "MinCpus", "MIN_CPUS"),
    MIN_MEMORY('m', "MinMemory", "MIN_MEMORY"),
    MIN_TIME('\0', "MinTime", "TIME_MIN"),
    MIN_TMP_DISK('d', "MinTmpDisk", "MIN_TMP_DISK"),
    NAME('j', "Name", "NAME"),
    NETWORK('\0', "Network", "NETWORK"),
    NICE('y', "Nice", "NICE"),
    NODELIST('N', "NodeList", "NODELIST"),
    NODELIST_OR_REASON('R', "ReasonList", "NODELIST(REASON)"),
    NODES('D', "NumNodes", "NODES"),
    OVERSUBSCRIBE('h', "OverSubscribe", "OVER_SUBSCRIBE"),
    PARTITION('P', "Partition", "PARTITION"),
    PENDING_TIME('\0', "PendingTime", "PENDING_TIME"),
    PLANNED_NODES('Y', "SchedNodes", "SCHEDNODES"),
    PREEMPT_TIME('\0', "PreemptTime", "PREEMPT_TIME"),
    PREFER('\0', "Prefer", "PREFER"),
    PRIORITY('Q', "PriorityLong", "PRIORITY"),
    PRIORITY_NORMAL('p', "Priority", "PRIORITY"),
    PROFILE('\0', "Profile", "PROFILE"),
    QOS('q', "QOS", "QOS"),
    REASON('r', "Reason", "REASON"),
    REBOOT('\0', "Reboot", "REBOOT"),
    REQUEUE('\0', "Requeue", "REQUEUE"),
    REQUIRED_NODES('n', "ReqNodes", "REQ_NODES"),
    REQUIRED_SWITCHES('\0', "ReqSwitch", "REQ_SWITCH"),
    RESERVATION('v', "Reservation", "RESERVATION"),
    RESIZE_TIME('\0', "ResizeTime", "RESIZE_TIME"),
    RESTARTS('\0', "RestartCnt", "RESTART_COUNT"),
    SOCKETS('H', "Sockets", "SOCKETS_PER_NODE"),
    SOCKETS_CORES_THREADS('z', "SCT", "S:C:T"),
    STANDARD_ERROR('\0', "STDERR", "STDERR"),
    STANDARD_INPUT('\0', "STDIN", "STDIN"),
    STANDARD_OUTPUT('\0', "STDOUT", "STDOUT"),
    START_TIME('S', "StartTime", "START_TIME"),
    STATE('T', "State", "STATE"),
    STATE_CODE('t', "StateCompact", "ST"),
    SUBMIT_TIME('V', "SubmitTime", "SUBMIT_TIME"),
    SYSTEM_COMMENT('\0', "SystemComment", "SYSTEM_COMMENT"),
    TASKS('\0', "NumTasks", "TASKS"),
    TASKS_PER_BOARD('\0', "NTPerBoard", "NTASKS_PER_BOARD"),
    TASKS_PER_CORE('\0', "NTPerCore", "NTASKS_PER_CORE"),
    TASKS_PER_NODE('\0', "NTPerNode", "NTASKS_PER_NODE"),
    TASKS_PER_SOCKET('\0', "NTPerSocket", "NTASKS_PER_SOCKET"),
    THREADS('J', "Threads", "THREADS_PER_CORE"),
    TIME('M', "TimeUsed", "TIME"),
    TIME_LEFT('L', "TimeLeft", "TIME_LEFT"),
    TIME_LIMIT('l', "TimeLimit", "TIME_LIMIT"),
    TRES('\0', "tres-alloc", "TRES_ALLOC"),
    TRES_BIND('\0', "tres-bind", "TRES_BIND"),
    TRES_FREQ('\0', "tres-freq", "TRES_FREQ"),
    TRES_PER_JOB('\0', "tres-per-job", "TRES_PER_JOB"),
    TRES_PER_NODE('b', "tres-per-node", "TRES_PER_NODE"),
    TRES_PER_SOCKET('\0', "tres-per-socket", "TRES_PER_SOCKET"),
    TRES_PER_STEP('\0', "tres-per-step", "TRES_PER_STEP"),
    TRES_PER_TASK('\0', "tres-per-task", "TRES_PER_TASK"),
    USER('u', "UserName", "USER"),
    USER_ID('U', "UserID", "USER"),
    WAIT_FOR_SWITCH('\0', "Wait4Switch", "WAIT4SWITCH"),
    WCKEY('w', "WCKey", "WCKEY"),
    WORK_DIR('Z', "WorkDir", "WORK_DIR");

    /// What is told only where one job is asked for.
    private static final Set<JobField> OF_LAUNCH =
            Set.of(ALLOC_NODES, COMMAND, STANDARD_ERROR, STANDARD_INPUT, STANDARD_OUTPUT, WORK_DIR);

    private static final String NULL = "(null)";
    private static final String NONE = "N/A";
    private static final double HIGHEST_PRIORITY = 0xffff_ffffL;

    /// When a listing is made, and how it tells times.
    record Moment(long now, Supplier<ZoneId> zone, TimeFormat format) {

        static Moment of(Terminal terminal) {
            return new Moment(
                    terminal.now(),
                    terminal.zone(),
                    TimeFormat.of(terminal.variable("SLURM_TIME_FORMAT", "")));
        }

        String iso(long millis) {
            return text(millis, "N/A");
        }

        /// @param otherwise for a time that is 0
        String text(long millis, String otherwise) {
            return millis == 0 ? otherwise : format.text(millis, now, zone.get());
        }
    }

    private final char letter;
    private final String longName;
    private final String header;

    JobField(char letter, String longName, String header) {
        this.letter = letter;
        this.longName = longName;
        this.header = header;
    }

    String header() {
        return header;
    }

    /// Whether a list of jobs does not tell it.
    boolean ofLaunch() {
        return OF_LAUNCH.contains(this);
    }

    static @Nullable JobField of(char letter) {
        for (JobField field : values()) {
            if (field.letter == letter && letter != 0) {
                return field;
            }
        }
        return null;
    }

    /// The field of a name in the language of `squeue -O`, in any case; null if there is none.
    static @Nullable JobField named(String name) {
        for (JobField field : values()) {
            if (field.longName.equalsIgnoreCase(name)) {
                return field;
            }
        }
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "admin_comment" -> ADMIN_COMMENT;
            case "nodes" -> NODELIST;
            case "system_comment" -> SYSTEM_COMMENT;
            default -> null;
        };
    }

    String value(JobView job, Moment moment) {
        return switch (this) {
            case ACCOUNT -> job.text("account");
            case ACCRUE_TIME -> moment.iso(job.accrueAt(moment.now()));
            case ELIGIBLE_TIME -> moment.iso(job.eligibleAt());
            case ADMIN_COMMENT, CLUSTER_FEATURE, MCS_LABEL, NETWORK, SYSTEM_COMMENT, WCKEY -> NULL;
            case ALLOC_SID -> "0";
            case ALLOC_NODES -> job.orNull("submitHost");
            case ARRAY_JOB -> Long.toString(job.arrayOrSelf());
            case ARRAY_TASK -> job.task();
            case BARE_ID -> Long.toString(job.id());
            case BATCH_FLAG -> job.text("launch").equals("BATCH") ? "1" : "0";
            case BATCH_HOST -> batchHost(job);
            case COMMAND -> job.orNull("command");
            case COMMENT -> job.orNull("comment");
            case CONTIGUOUS -> job.json().flag("contiguous") ? "1" : "0";
            case CORES, SOCKETS -> "*";
            case THREADS -> job.orAny("threadsUsed");
            case BOARDS_PER_NODE,
                    CORE_SPEC,
                    CPUS_PER_TRES,
                    MEM_PER_TRES,
                    RESIZE_TIME,
                    TASKS_PER_BOARD,
                    TASKS_PER_CORE,
                    TRES_BIND,
                    TRES_FREQ,
                    TRES_PER_STEP ->
                    NONE;
            case CPUS, MAX_CPUS -> Long.toString(job.number("cpus"));
            case CPUS_PER_TASK, MIN_CPUS -> cpusPerTask(job);
            case DEADLINE -> moment.iso(job.number("deadlineAt"));
            case DEPENDENCY -> job.orNull("dependency");
            case DERIVED_EXIT_CODE -> "0:0";
            case END_TIME -> moment.iso(job.endAt(moment.now()));
            case EXCLUDED_NODES -> job.text("excludedNodes");
            case EXIT_CODE -> job.number("exitCode") + ":" + job.number("signal");
            case FEATURES -> job.orNull("constraint");
            case GROUP, USER -> job.text("user");
            case GROUP_ID, USER_ID -> userId(job);
            case HET_JOB -> job.het() ? Long.toString(job.number("hetJob")) : NONE;
            case HET_JOB_SET -> job.het() ? job.hetJobs() : NONE;
            case HET_OFFSET -> job.het() ? Long.toString(job.number("hetOffset")) : NONE;
            case ID -> job.name();
            case LAST_EVALUATION -> moment.iso(job.number("startedAt"));
            case LICENSES -> job.orNull("licenses");
            case LOW_GPU_USE -> job.lowGpuUse();
            case MAX_NODES -> maxNodes(job);
            case MIN_MEMORY -> job.memory();
            case MIN_TIME -> SlurmTime.brief(job.number("timeMinSeconds"));
            case MIN_TMP_DISK -> tmpDisk(job);
            case NAME -> job.text("name");
            case NICE -> Long.toString(job.number("nice"));
            case NODELIST -> job.text("nodeList");
            case NODELIST_OR_REASON -> job.nodesOrReason();
            case NODES -> Long.toString(job.nodes());
            case OVERSUBSCRIBE -> job.overSubscribe();
            case PARTITION -> job.text("partition");
            case PENDING_TIME -> Long.toString(job.pendingSeconds(moment.now()));
            case PLANNED_NODES -> job.orNull("plannedNodes");
            case PREFER -> job.orNull("prefer");
            case PREEMPT_TIME -> moment.iso(job.number("preemptAt"));
            case PRIORITY -> Long.toString(job.number("priority"));
            case PRIORITY_NORMAL -> normalPriority(job);
            case PROFILE -> "NotSet";
            case QOS -> job.text("qos");
            case REASON -> job.reason();
            case REBOOT, TASKS_PER_NODE -> "0";
            case REQUEUE -> job.json().flag("requeue") ? "1" : "0";
            case REQUIRED_NODES -> job.text("requiredNodes");
            case REQUIRED_SWITCHES -> switches(job);
            case RESERVATION -> job.orNull("reservation");
            case RESTARTS -> Long.toString(job.number("restarts"));
            case SOCKETS_CORES_THREADS -> "*:*:" + job.orAny("threadsUsed");
            case STANDARD_ERROR -> job.orNull("standardError");
            case STANDARD_INPUT -> job.orNull("standardInput");
            case STANDARD_OUTPUT -> job.orNull("standardOutput");
            case START_TIME -> moment.iso(job.startAt(moment.now()));
            case STATE -> job.state();
            case STATE_CODE -> job.text("stateCode");
            case SUBMIT_TIME -> moment.iso(job.number("submittedAt"));
            case TASKS -> Long.toString(job.number("tasks"));
            case TASKS_PER_SOCKET -> job.orNone("tasksPerSocket");
            case TIME -> SlurmTime.brief(job.elapsedSeconds(moment.now()));
            case TIME_LEFT -> left(job, moment.now());
            case TIME_LIMIT -> limit(job);
            case TRES -> job.tres();
            case TRES_PER_NODE -> job.gresPerNode(NONE);
            case TRES_PER_JOB -> job.counted("gpusPerJob", NONE);
            case TRES_PER_SOCKET -> job.counted("gpusPerSocket", NONE);
            case TRES_PER_TASK -> job.counted("gpusPerTask", NONE);
            case WAIT_FOR_SWITCH -> switchWait(job);
            case WORK_DIR -> job.orNull("workingDirectory");
        };
    }

    /// Of `1@600s` the count.
    private static String switches(JobView job) {
        String asked = job.text("switches");
        return asked.isEmpty() ? "0" : asked.replaceFirst("@.*", "");
    }

    /// Of `1@600s` the time.
    private static String switchWait(JobView job) {
        String seconds = job.text("switches").replaceFirst("^[^@]*@?", "").replace("s", "");
        return SlurmTime.full(seconds.isEmpty() ? 0 : Long.parseLong(seconds));
    }

    private static String batchHost(JobView job) {
        var nodes = job.json().texts("nodeNames");
        return nodes.isEmpty() ? "n/a" : nodes.getFirst();
    }

    private static String cpusPerTask(JobView job) {
        return Long.toString(Math.max(1, job.number("cpusPerTask")));
    }

    private static String maxNodes(JobView job) {
        return Long.toString(job.json().has("maxNodes") ? job.number("maxNodes") : job.nodes());
    }

    private static String tmpDisk(JobView job) {
        long mib = job.number("minTmpMib");
        return mib == 0 ? "0" : SlurmMemory.exact(mib);
    }

    private static String userId(JobView job) {
        return Accounts.ofMachine().idOf(job.text("user"));
    }

    private static String normalPriority(JobView job) {
        return String.format(Locale.ROOT, "%.14f", job.number("priority") / HIGHEST_PRIORITY);
    }

    private static String limit(JobView job) {
        return job.unlimited()
                ? SlurmTime.UNLIMITED
                : SlurmTime.brief(job.number("timeLimitSeconds"));
    }

    private static String left(JobView job, long now) {
        long left = job.number("timeLimitSeconds") - job.elapsedSeconds(now);
        return job.unlimited() ? SlurmTime.UNLIMITED : SlurmTime.brief(Math.max(0, left));
    }

    /// The order of `--sort` by this field, ascending: that of texts unless it is a number.
    int compare(JobView one, JobView other, Moment moment) {
        return switch (this) {
            case BARE_ID, ID, ARRAY_JOB -> Long.compare(one.id(), other.id());
            case ARRAY_TASK -> numbers(one, other, "arrayTask");
            case DEADLINE -> numbers(one, other, "deadlineAt");
            case ELIGIBLE_TIME, ACCRUE_TIME -> Long.compare(one.eligibleAt(), other.eligibleAt());
            case MIN_CPUS, CPUS_PER_TASK -> numbers(one, other, "cpusPerTask");
            case CPUS, MAX_CPUS -> numbers(one, other, "cpus");
            case MIN_TMP_DISK -> numbers(one, other, "minTmpMib");
            case NODES, MAX_NODES -> numbers(one, other, "nodes");
            case TASKS -> numbers(one, other, "tasks");
            case TIME_LIMIT, TIME_LEFT -> numbers(one, other, "timeLimitSeconds");
            case MIN_MEMORY -> numbers(one, other, "memoryMib");
            case PRIORITY, PRIORITY_NORMAL -> numbers(one, other, "priority");
            case RESTARTS -> numbers(one, other, "restarts");
            case START_TIME -> Long.compare(start(one, moment), start(other, moment));
            case SUBMIT_TIME -> numbers(one, other, "submittedAt");
            case END_TIME -> Long.compare(one.endAt(moment.now()), other.endAt(moment.now()));
            case NICE -> numbers(one, other, "nice");
            case USER_ID, GROUP_ID ->
                    Long.compare(
                            Long.parseLong(value(one, moment)),
                            Long.parseLong(value(other, moment)));
            case TIME ->
                    Long.compare(
                            one.elapsedSeconds(moment.now()), other.elapsedSeconds(moment.now()));
            case STATE, STATE_CODE ->
                    Integer.compare(States.rank(one.state()), States.rank(other.state()));
            default -> value(one, moment).compareTo(value(other, moment));
        };
    }

    /// A start that nobody knows comes last.
    private static long start(JobView job, Moment moment) {
        long at = job.startAt(moment.now());
        return at == 0 ? Long.MAX_VALUE : at;
    }

    private static int numbers(JobView one, JobView other, String name) {
        return Long.compare(one.number(name), other.number(name));
    }

    /// Whether a job in this state is listed unless states are asked for.
    static boolean listed(JobView job) {
        return job.is(JobState.PENDING)
                || job.is(JobState.RUNNING)
                || job.is(JobState.SUSPENDED)
                || job.is(JobState.COMPLETING);
    }
}
