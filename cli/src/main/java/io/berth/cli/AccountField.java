package io.berth.cli;

import io.berth.cli.JobField.Moment;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A column of `sacct`.
///
/// Source: sacct(1), "Job Accounting Fields"; `Charge`, `GPUs`, `LostGPUTime`, `PreemptedBy`,
/// `PreemptMode`, `PreemptReason` and `Runs` are Berth's own.
enum AccountField {
    ACCOUNT("Account", 10),
    ALLOC_CPUS("AllocCPUS", 10),
    ALLOC_NODES("AllocNodes", 10),
    ALLOC_TRES("AllocTRES", 10),
    AVE_CPU("AveCPU", 10),
    AVE_DISK_READ("AveDiskRead", 14),
    AVE_DISK_WRITE("AveDiskWrite", 14),
    AVE_RSS("AveRSS", 10),
    CHARGE("Charge", 14),
    CONSUMED_ENERGY("ConsumedEnergy", 14),
    CONSUMED_ENERGY_RAW("ConsumedEnergyRaw", 17),
    CPU_TIME("CPUTime", 10),
    CPU_TIME_RAW("CPUTimeRAW", 10),
    ELAPSED("Elapsed", 10),
    ELAPSED_RAW("ElapsedRaw", 10),
    ELIGIBLE("Eligible", 19),
    END("End", 19),
    EXIT_CODE("ExitCode", 8),
    GPUS("GPUs", 45),
    JOB_ID("JobID", 12),
    JOB_ID_RAW("JobIDRaw", 12),
    JOB_NAME("JobName", 10),
    LOST_GPU_TIME("LostGPUTime", 11),
    MAX_DISK_READ("MaxDiskRead", 12),
    MAX_DISK_READ_NODE("MaxDiskReadNode", 15),
    MAX_DISK_READ_TASK("MaxDiskReadTask", 15),
    MAX_DISK_WRITE("MaxDiskWrite", 12),
    MAX_DISK_WRITE_NODE("MaxDiskWriteNode", 16),
    MAX_DISK_WRITE_TASK("MaxDiskWriteTask", 16),
    MAX_RSS("MaxRSS", 10),
    MAX_RSS_NODE("MaxRSSNode", 10),
    MAX_RSS_TASK("MaxRSSTask", 10),
    MIN_CPU("MinCPU", 10),
    MIN_CPU_NODE("MinCPUNode", 10),
    MIN_CPU_TASK("MinCPUTask", 10),
    NCPUS("NCPUS", 10),
    NNODES("NNodes", 8),
    NODE_LIST("NodeList", 15),
    NTASKS("NTasks", 8),
    PARTITION("Partition", 10),
    PREEMPTED_BY("PreemptedBy", 11),
    PREEMPT_MODE("PreemptMode", 11),
    PREEMPT_REASON("PreemptReason", 14),
    QOS("QOS", 10),
    REASON("Reason", 22),
    REQ_CPUS("ReqCPUS", 8),
    REQ_MEM("ReqMem", 10),
    REQ_NODES("ReqNodes", 8),
    REQ_TRES("ReqTRES", 10),
    RESERVATION("Reservation", 20),
    RESTARTS("Restarts", 8),
    RUNS("Runs", 5),
    START("Start", 19),
    STATE("State", 10),
    SUBMIT("Submit", 19),
    SUSPENDED("Suspended", 10),
    TIME_LIMIT("Timelimit", 10),
    TIME_LIMIT_RAW("TimelimitRaw", 10),
    TOTAL_CPU("TotalCPU", 10),
    TRES_USAGE_IN_AVE("TRESUsageInAve", 14),
    TRES_USAGE_IN_MAX("TRESUsageInMax", 14),
    USER("User", 9),

    // What the books do not know, or know of jobs alone.
    ADMIN_COMMENT("AdminComment", 19),
    ASSOC_ID("AssocID", 7),
    AVE_CPU_FREQ("AveCPUFreq", 10),
    AVE_PAGES("AvePages", 10),
    AVE_VM_SIZE("AveVMSize", 10),
    BLOCK_ID("BlockID", 16),
    CLUSTER("Cluster", 10),
    COMMENT("Comment", 14),
    CONSTRAINTS("Constraints", 19),
    CONTAINER("Container", 19),
    DB_INDEX("DBIndex", 10),
    DERIVED_EXIT_CODE("DerivedExitCode", 15),
    FLAGS("Flags", 20),
    GID("GID", 6),
    GROUP("Group", 9),
    LAYOUT("Layout", 9),
    MAX_PAGES("MaxPages", 8),
    MAX_PAGES_NODE("MaxPagesNode", 12),
    MAX_PAGES_TASK("MaxPagesTask", 14),
    MAX_VM_SIZE("MaxVMSize", 10),
    MAX_VM_SIZE_NODE("MaxVMSizeNode", 14),
    MAX_VM_SIZE_TASK("MaxVMSizeTask", 14),
    MCS_LABEL("McsLabel", 10),
    PLANNED("Planned", 10),
    PLANNED_CPU("PlannedCPU", 10),
    PLANNED_CPU_RAW("PlannedCPURAW", 13),
    PRIORITY("Priority", 10),
    QOS_RAW("QOSRAW", 6),
    REQ_CPU_FREQ("ReqCPUFreq", 10),
    REQ_CPU_FREQ_GOV("ReqCPUFreqGov", 13),
    REQ_CPU_FREQ_MAX("ReqCPUFreqMax", 13),
    REQ_CPU_FREQ_MIN("ReqCPUFreqMin", 13),
    RESERVATION_ID("ReservationId", 13),
    RESERVED("Reserved", 10),
    RESV_CPU("ResvCPU", 10),
    RESV_CPU_RAW("ResvCPURAW", 10),
    SUBMIT_LINE("SubmitLine", 20),
    SYSTEM_COMMENT("SystemComment", 14),
    SYSTEM_CPU("SystemCPU", 10),
    TRES_USAGE_IN_MAX_NODE("TRESUsageInMaxNode", 18),
    TRES_USAGE_IN_MAX_TASK("TRESUsageInMaxTask", 18),
    TRES_USAGE_IN_MIN("TRESUsageInMin", 14),
    TRES_USAGE_IN_MIN_NODE("TRESUsageInMinNode", 18),
    TRES_USAGE_IN_MIN_TASK("TRESUsageInMinTask", 18),
    TRES_USAGE_IN_TOT("TRESUsageInTot", 14),
    TRES_USAGE_OUT_AVE("TRESUsageOutAve", 14),
    TRES_USAGE_OUT_MAX("TRESUsageOutMax", 14),
    TRES_USAGE_OUT_MAX_NODE("TRESUsageOutMaxNode", 18),
    TRES_USAGE_OUT_MAX_TASK("TRESUsageOutMaxTask", 18),
    TRES_USAGE_OUT_MIN("TRESUsageOutMin", 14),
    TRES_USAGE_OUT_MIN_NODE("TRESUsageOutMinNode", 18),
    TRES_USAGE_OUT_MIN_TASK("TRESUsageOutMinTask", 18),
    TRES_USAGE_OUT_TOT("TRESUsageOutTot", 14),
    UID("UID", 6),
    USER_CPU("UserCPU", 10),
    WCKEY("WCKey", 10),
    WCKEY_ID("WCKeyID", 8),
    WORK_DIR("WorkDir", 14);

    private static final int MICROS = 1_000_000;
    private static final String ENERGY = "millijoules";
    private static final String MEMORY = "mostMemory";
    private static final String READ = "mostRead";
    private static final String WRITTEN = "mostWritten";
    private static final long HOUR_MILLIS = 3_600_000;

    private final String header;
    private final int width;

    AccountField(String header, int width) {
        this.header = header;
        this.width = width;
    }

    String header() {
        return header;
    }

    int width() {
        return width;
    }

    /// Ids stand to the left, all else to the right.
    boolean right() {
        return this != JOB_ID && this != JOB_ID_RAW;
    }

    /// All, in the order of their names.
    static List<AccountField> byName() {
        return Stream.of(values())
                .sorted(Comparator.comparing(it -> it.header.toLowerCase(Locale.ROOT)))
                .toList();
    }

    /// The names of all, four in a line.
    static String names() {
        List<String> names = byName().stream().map(AccountField::header).toList();
        var text = new StringBuilder();
        for (int i = 0; i < names.size(); i++) {
            boolean last = i % 4 == 3 || i + 1 == names.size();
            text.append(Layout.fit(names.get(i), 19, false)).append(last ? '\n' : ' ');
        }
        return text.toString();
    }

    /// Whether it tells of sizes, which `--units` puts into one unit.
    boolean ofSizes() {
        return header.matches("ReqMem|.*TRES.*|(Max|Ave)(RSS|Disk(Read|Write))");
    }

    /// The first field whose name begins so, in any case; null if there is none.
    static @Nullable AccountField of(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        for (AccountField field : values()) {
            if (!wanted.isEmpty() && field.header.toLowerCase(Locale.ROOT).startsWith(wanted)) {
                return field;
            }
        }
        return null;
    }

    String value(AccountedJob job, Moment moment) {
        return switch (this) {
            case ACCOUNT -> job.text("account");
            case ALLOC_CPUS, NCPUS -> Long.toString(job.cpus());
            case REQ_CPUS -> Long.toString(job.requestedCpus());
            case ALLOC_NODES -> Long.toString(job.started() ? job.nodes() : 0);
            case ALLOC_TRES -> job.started() ? job.tres() : "";
            case AVE_CPU -> averageCpu(job);
            case AVE_DISK_READ -> job.byTask().averageMib("readMib");
            case AVE_DISK_WRITE -> job.byTask().averageMib("writtenMib");
            case AVE_RSS -> job.byTask().averageMib("memoryMib");
            case CHARGE -> charge(job);
            case CONSUMED_ENERGY -> job.gpu().has(ENERGY) ? energy(joules(job)) : "";
            case CONSUMED_ENERGY_RAW -> job.gpu().has(ENERGY) ? Long.toString(joules(job)) : "";
            case CPU_TIME -> SlurmTime.full(job.cpus() * job.number("elapsedSeconds"));
            case CPU_TIME_RAW -> Long.toString(job.cpus() * job.number("elapsedSeconds"));
            case ELAPSED -> SlurmTime.full(job.number("elapsedSeconds"));
            case ELAPSED_RAW -> Long.toString(job.number("elapsedSeconds"));
            case ELIGIBLE -> time(job, "eligibleAt", moment);
            case END -> time(job, "endedAt", moment);
            case EXIT_CODE -> job.exit();
            case GPUS -> String.join(",", job.gpus());
            case JOB_ID -> job.name();
            case JOB_ID_RAW -> job.id();
            case JOB_NAME -> job.text("name");
            case LOST_GPU_TIME ->
                    job.preemption().has("lostGpuSeconds")
                            ? SlurmTime.full(job.preemption().number("lostGpuSeconds"))
                            : "";
            case MAX_DISK_READ -> most(job, READ, "readMib");
            case MAX_DISK_READ_NODE -> job.byTask().most(READ).node();
            case MAX_DISK_READ_TASK -> job.byTask().most(READ).rank();
            case MAX_DISK_WRITE -> most(job, WRITTEN, "writtenMib");
            case MAX_DISK_WRITE_NODE -> job.byTask().most(WRITTEN).node();
            case MAX_DISK_WRITE_TASK -> job.byTask().most(WRITTEN).rank();
            case MAX_RSS -> most(job, MEMORY, "maxMemoryMib");
            case MAX_RSS_NODE -> job.byTask().most(MEMORY).node();
            case MAX_RSS_TASK -> job.byTask().most(MEMORY).rank();
            case MIN_CPU -> job.byTask().leastCpu().amount();
            case MIN_CPU_NODE -> job.byTask().leastCpu().node();
            case MIN_CPU_TASK -> job.byTask().leastCpu().rank();
            case TOTAL_CPU ->
                    job.ofJob() || job.used().has("cpuMillis")
                            ? cpuTime(job.used().number("cpuMillis"))
                            : "";
            case PREEMPTED_BY ->
                    job.preemption().has("preemptor")
                            ? Long.toString(job.preemption().number("preemptor"))
                            : "";
            case PREEMPT_MODE -> job.preemption().text("mode");
            case PREEMPT_REASON -> job.preemption().text("reason");
            case RESERVATION -> ofJob(job, "reservation");
            case RESTARTS -> job.ofJob() ? Long.toString(job.number("restarts")) : "";
            case SUSPENDED -> SlurmTime.full(job.number("suspendedSeconds"));
            case NNODES -> Long.toString(job.nodes());
            case REQ_NODES -> Long.toString(job.requestedNodes());
            case NODE_LIST ->
                    job.text("nodeList").isEmpty() ? "None assigned" : job.text("nodeList");
            case NTASKS -> job.ofJob() ? "" : Long.toString(job.number("tasks"));
            case PARTITION -> ofJob(job, "partition");
            case QOS -> ofJob(job, "qos");
            case REASON ->
                    job.ofJob() && job.text("reason").isEmpty() ? "None" : ofJob(job, "reason");
            case REQ_MEM -> job.ofJob() ? memory(job) : "";
            case REQ_TRES -> job.ofJob() ? job.requestedTres() : "";
            case RUNS -> job.ofJob() ? Long.toString(job.json().objects("runs").size()) : "";
            case START -> time(job, "startedAt", moment);
            case STATE -> job.state();
            case SUBMIT -> time(job, "submittedAt", moment);
            case TIME_LIMIT -> job.ofJob() ? limit(job) : "";
            case TIME_LIMIT_RAW ->
                    job.ofJob() ? Long.toString(job.number("timeLimitSeconds") / 60) : "";
            case TRES_USAGE_IN_AVE -> {
                String average = job.byTask().averageMib("memoryMib");
                String memory = average.isEmpty() ? ofStep(job, "maxMemoryMib") : average;
                yield usage(job, memory, "gres/gpuutil", "usePercent", "");
            }
            case TRES_USAGE_IN_MAX ->
                    usage(
                            job,
                            most(job, MEMORY, "maxMemoryMib"),
                            "gres/gpumem",
                            "maxMemoryMib",
                            "M");
            case USER, GROUP -> ofJob(job, "user");
            case CLUSTER -> job.text("cluster");
            case COMMENT -> ofJob(job, "comment");
            case DERIVED_EXIT_CODE -> job.ofJob() ? job.highestExit() : "";
            case UID, GID -> job.ofJob() ? Accounts.ofMachine().idOf(job.text("user")) : "";
            case PLANNED, RESERVED ->
                    job.ofJob() ? SlurmTime.full(job.plannedSeconds(moment.now())) : "";
            case PLANNED_CPU, RESV_CPU ->
                    job.ofJob()
                            ? SlurmTime.full(job.plannedSeconds(moment.now()) * job.cpus())
                            : "";
            case PLANNED_CPU_RAW, RESV_CPU_RAW ->
                    job.ofJob() ? Long.toString(job.plannedSeconds(moment.now()) * job.cpus()) : "";
            case REQ_CPU_FREQ, REQ_CPU_FREQ_GOV, REQ_CPU_FREQ_MAX, REQ_CPU_FREQ_MIN -> "Unknown";
            case ADMIN_COMMENT,
                    ASSOC_ID,
                    AVE_CPU_FREQ,
                    AVE_PAGES,
                    AVE_VM_SIZE,
                    BLOCK_ID,
                    CONSTRAINTS,
                    CONTAINER,
                    DB_INDEX,
                    FLAGS,
                    LAYOUT,
                    MAX_PAGES,
                    MAX_PAGES_NODE,
                    MAX_PAGES_TASK,
                    MAX_VM_SIZE,
                    MAX_VM_SIZE_NODE,
                    MAX_VM_SIZE_TASK,
                    MCS_LABEL,
                    PRIORITY,
                    QOS_RAW,
                    RESERVATION_ID,
                    SUBMIT_LINE,
                    SYSTEM_COMMENT,
                    SYSTEM_CPU,
                    TRES_USAGE_IN_MAX_NODE,
                    TRES_USAGE_IN_MAX_TASK,
                    TRES_USAGE_IN_MIN,
                    TRES_USAGE_IN_MIN_NODE,
                    TRES_USAGE_IN_MIN_TASK,
                    TRES_USAGE_IN_TOT,
                    TRES_USAGE_OUT_AVE,
                    TRES_USAGE_OUT_MAX,
                    TRES_USAGE_OUT_MAX_NODE,
                    TRES_USAGE_OUT_MAX_TASK,
                    TRES_USAGE_OUT_MIN,
                    TRES_USAGE_OUT_MIN_NODE,
                    TRES_USAGE_OUT_MIN_TASK,
                    TRES_USAGE_OUT_TOT,
                    USER_CPU,
                    WCKEY,
                    WCKEY_ID,
                    WORK_DIR ->
                    "";
        };
    }

    /// Of the task that has most; where nobody counts tasks, of the step.
    private static String most(AccountedJob job, String ofTasks, String ofStep) {
        String most = job.byTask().most(ofTasks).amount();
        return most.isEmpty() ? ofStep(job, ofStep) : most;
    }

    /// What steps alone have, in MiB.
    private static String ofStep(AccountedJob job, String name) {
        return !job.ofJob() && job.used().has(name)
                ? SlurmMemory.exact(job.used().number(name))
                : "";
    }

    private static long joules(AccountedJob job) {
        return (job.gpu().number(ENERGY) + 500) / 1000;
    }

    /// `999`, `1.25K`, `2M`
    private static String energy(long joules) {
        long unit = 1;
        int power = 0;
        while (joules / unit >= 1000 && power < 3) {
            unit *= 1000;
            power++;
        }
        long hundredths = (joules * 100 + unit / 2) / unit;
        String rest = hundredths % 100 == 0 ? "" : ".%02d".formatted(hundredths % 100);
        return hundredths / 100 + rest + List.of("", "K", "M", "G").get(power);
    }

    /// `cpu=00:00:10,energy=250,gres/gpuutil=80,mem=512M`: of what was measured.
    private static String usage(
            AccountedJob job, String memory, String gpuResource, String name, String unit) {
        if (job.ofJob() || !job.used().has("cpuMillis")) {
            return "";
        }
        return "cpu="
                + averageCpu(job)
                + (job.gpu().has(ENERGY) ? ",energy=" + joules(job) : "")
                + (job.gpu().has(name)
                        ? "," + gpuResource + "=" + job.gpu().number(name) + unit
                        : "")
                + (!memory.isEmpty() ? ",mem=" + memory : "");
    }

    /// Of each task; what was not counted is empty.
    private static String averageCpu(AccountedJob job) {
        if (job.byTask().counted()) {
            return job.byTask().averageCpu();
        }
        long tasks = Math.max(1, job.number("tasks"));
        return !job.ofJob() && job.used().has("cpuMillis")
                ? SlurmTime.full(job.used().number("cpuMillis") / tasks / 1000)
                : "";
    }

    /// `00:01.500` below an hour, `01:00:00` from then on, as nothing at all.
    private static String cpuTime(long millis) {
        return millis > 0 && millis < HOUR_MILLIS
                ? "%02d:%02d.%03d".formatted(millis / 60_000, millis / 1000 % 60, millis % 1000)
                : SlurmTime.full(millis / 1000);
    }

    private static String ofJob(AccountedJob job, String name) {
        return job.ofJob() ? job.text(name) : "";
    }

    private static String memory(AccountedJob job) {
        return SlurmMemory.exact(job.requestedMemory());
    }

    private static String limit(AccountedJob job) {
        long seconds = job.number("timeLimitSeconds");
        return seconds == 0 ? SlurmTime.UNLIMITED : SlurmTime.full(seconds);
    }

    private static String time(AccountedJob job, String name, Moment moment) {
        return job.json().has(name) ? moment.iso(job.number(name)) : "Unknown";
    }

    /// In billing units × seconds, to three decimals.
    private static String charge(AccountedJob job) {
        if (!job.ofJob()) {
            return "";
        }
        long micros = job.json().object("charge").number("billingMicros");
        String thousandths = Long.toString(1000 + Math.abs(micros % MICROS) / 1000).substring(1);
        return micros / MICROS + "." + thousandths;
    }
}
