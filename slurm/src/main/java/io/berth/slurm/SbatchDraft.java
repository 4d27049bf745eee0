package io.berth.slurm;

import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest.Per;
import io.berth.slurm.GetOpt.Given;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A submission while its options are read, one after the other; a later option replaces an earlier
/// one. Confined to one call.
final class SbatchDraft {

    private static final int MAX_NICE = 2_147_483_645;
    private static final int DEFAULT_NICE = 100;

    private @Nullable String account;
    private @Nullable String chdir;
    private @Nullable String container;
    private @Nullable String error;
    private @Nullable String input;
    private @Nullable String name;
    private @Nullable String output;
    private @Nullable String partition;
    private @Nullable String qos;
    private @Nullable String user;
    private String export = "ALL";
    private String exportFile = "";
    private @Nullable Integer cpusPerGpu;
    private @Nullable Integer cpusPerTask;
    private @Nullable NodeRange nodes;
    private @Nullable Integer tasks;
    private @Nullable Integer tasksPerGpu;
    private @Nullable Integer tasksPerNode;
    private @Nullable Integer nice;
    private @Nullable Boolean append;
    private @Nullable Boolean requeue;
    private @Nullable Long timeLimit;
    private GresList gres = GresList.NONE;
    private @Nullable GpuSpec gpus;
    private @Nullable GpuSpec gpusPerNode;
    private @Nullable GpuSpec gpusPerSocket;
    private @Nullable GpuSpec gpusPerTask;
    private final SubmittedFrom from;
    final TermsDraft terms;
    final NodesDraft where = new NodesDraft();
    private final StepsDraft steps = new StepsDraft();
    private boolean parsable;
    private boolean quiet;
    private boolean wait;
    private boolean testOnly;
    private final Map<Per, Long> memory = new EnumMap<>(Per.class);
    private final Set<Per> memoryByVariable = EnumSet.noneOf(Per.class);

    SbatchDraft(SubmittedFrom from) {
        this.from = from;
        this.terms = new TermsDraft(from.now());
    }

    void set(SbatchSetting setting, Given<SbatchOption> given, boolean byVariable)
            throws InvalidOption {
        switch (setting) {
            case ACCOUNT -> account = given.required();
            case CHDIR -> chdir = given.required();
            case CONTAINER -> container = given.required();
            case CPUS_PER_GPU -> cpusPerGpu = positive(given);
            case CPUS_PER_TASK -> cpusPerTask = positive(given);
            case ERROR -> error = given.required();
            case EXPORT -> export = given.required();
            case EXPORT_FILE -> exportFile = from.text(given);
            case GPUS -> gpus = GpuSpec.ofList(given.required());
            case GPUS_PER_NODE -> gpusPerNode = GpuSpec.ofList(given.required());
            case GPUS_PER_SOCKET -> gpusPerSocket = GpuSpec.ofList(given.required());
            case GPUS_PER_TASK -> gpusPerTask = GpuSpec.ofList(given.required());
            case TRES_PER_TASK -> setPerTask(given);
            case GRES -> gres = GresList.parse(given.required());
            case INPUT -> input = given.required();
            case JOB_NAME -> name = given.required();
            case MEM -> setMemory(Per.NODE, given, byVariable);
            case MEM_PER_CPU -> setMemory(Per.CPU, given, byVariable);
            case MEM_PER_GPU -> setMemory(Per.GPU, given, byVariable);
            case NICE -> nice = nice(given.value());
            case NODES -> nodes = NodeRange.parse(given.required());
            case NO_REQUEUE -> requeue = false;
            case NTASKS -> tasks = positive(given);
            case NTASKS_PER_GPU -> {
                tasksPerGpu = positive(given);
                steps.tasksPerGpu(tasksPerGpu);
            }
            case NTASKS_PER_NODE -> tasksPerNode = positive(given);
            case OPEN_MODE -> append = append(given);
            case OUTPUT -> output = given.required();
            case PARSABLE -> parsable = true;
            case PARTITION -> partition = given.required();
            case QOS -> qos = given.required();
            case QUIET -> quiet = true;
            case REQUEUE -> requeue = true;
            case TEST_ONLY -> testOnly = true;
            case TIME -> timeLimit = time(given);
            case USER -> user = given.required();
            case WAIT -> wait = true;
            case WAIT_ALL_NODES -> checkWaitAllNodes(given);
            case ARRAY,
                    BEGIN,
                    COMMENT,
                    DEADLINE,
                    DEPENDENCY,
                    HOLD,
                    KILL_ON_INVALID_DEP,
                    MAIL_TYPE,
                    MAIL_USER,
                    PRIORITY,
                    SIGNAL,
                    TIME_MIN ->
                    terms.set(setting, given);
            case HINT -> {
                steps.set(setting, given);
                where.hint(given);
            }
            case DISTRIBUTION, GPU_BIND, GRES_FLAGS, MEM_BIND, NO_KILL, OVERCOMMIT, PROPAGATE ->
                    steps.set(setting, given);
            case NODEFILE -> where.file(from.text(given));
            case CONSTRAINT,
                    CONTIGUOUS,
                    PREFER,
                    CORES_PER_SOCKET,
                    EXCLUDE,
                    EXCLUSIVE,
                    EXTRA_NODE_INFO,
                    LICENSES,
                    MIN_CPUS,
                    NODELIST,
                    NTASKS_PER_CORE,
                    NTASKS_PER_SOCKET,
                    OVERSUBSCRIBE,
                    RESERVATION,
                    SEGMENT,
                    SOCKETS_PER_NODE,
                    SPREAD_JOB,
                    SWITCHES,
                    THREADS_PER_CORE,
                    TMP,
                    USE_MIN_NODES ->
                    where.set(setting, given);
            case HELP, USAGE, VERSION, WRAP -> {}
        }
    }

    /// `cpu:4,gres/gpu:a100:2`; Slurm takes `=` before a count too.
    private void setPerTask(Given<SbatchOption> given) throws InvalidOption {
        var each = new ArrayList<String>();
        for (String item : given.required().split(",", -1)) {
            String[] parts = item.replace('=', ':').split(":", 2);
            switch (parts[0]) {
                case "cpu" ->
                        cpusPerTask =
                                positive(
                                        new Given<>(
                                                given.option(), parts.length > 1 ? parts[1] : ""));
                case "gres/gpu" -> each.add(parts.length > 1 ? parts[1] : "1");
                default ->
                        throw InvalidOption.refused(
                                "--tres-per-task=%s is not supported yet: cpu:COUNT and gres/gpu[:TYPE][:COUNT]"
                                        .formatted(given.required()));
            }
        }
        if (!each.isEmpty()) {
            gpusPerTask = GpuSpec.ofList(String.join(",", each));
        }
    }

    private void setMemory(Per per, Given<SbatchOption> given, boolean byVariable)
            throws InvalidOption {
        OptionalLong mib = SlurmMemory.parseMib(given.required());
        if (mib.isEmpty() || (per == Per.GPU && mib.getAsLong() == 0)) {
            throw invalid(given);
        }
        memory.put(per, mib.getAsLong());
        if (byVariable) {
            memoryByVariable.add(per);
        } else {
            memoryByVariable.remove(per);
        }
    }

    static InvalidOption invalid(Given<SbatchOption> given) {
        return InvalidOption.malformed("Invalid --" + given.option().longName() + " specification");
    }

    static int positive(Given<SbatchOption> given) throws InvalidOption {
        OptionalLong number = Counts.plain(given.required());
        if (number.isEmpty() || number.getAsLong() < 1 || number.getAsLong() > Integer.MAX_VALUE) {
            throw InvalidOption.refused(
                    "Invalid numeric value \""
                            + given.required()
                            + "\" for --"
                            + given.option().longName()
                            + ".");
        }
        return (int) number.getAsLong();
    }

    private static void checkWaitAllNodes(Given<SbatchOption> given) throws InvalidOption {
        if (!given.required().equals("0") && !given.required().equals("1")) {
            throw invalid(given);
        }
    }

    /// Slurm reads a nice value that is no number as 0.
    private static int nice(@Nullable String text) throws InvalidOption {
        if (text == null) {
            return DEFAULT_NICE;
        }
        boolean negative = text.startsWith("-");
        OptionalLong size = Counts.plain(negative ? text.substring(1) : text);
        if (size.orElse(0) > MAX_NICE) {
            throw InvalidOption.malformed(
                    "Invalid --nice value, out of range (+/- " + MAX_NICE + ")");
        }
        return (int) (negative ? -size.orElse(0) : size.orElse(0));
    }

    private static boolean append(Given<SbatchOption> given) throws InvalidOption {
        return switch (given.required().toLowerCase(Locale.ROOT)) {
            case "a", "append" -> true;
            case "t", "truncate" -> false;
            default -> throw invalid(given);
        };
    }

    static long time(Given<SbatchOption> given) throws InvalidOption {
        OptionalLong seconds = SlurmTime.parseLimit(given.required());
        if (seconds.isEmpty()) {
            throw invalid(given);
        }
        return seconds.getAsLong();
    }

    /// What it asks for as a component after the first of a heterogeneous job: it has no script.
    SbatchRequest component() throws InvalidOption {
        if (steps.sayMore()) {
            throw InvalidOption.refused(
                    "--distribution, --gpu-bind and --overcommit of a component after the first are not supported yet: give them to srun");
        }
        return request(null, null, null, null, List.of());
    }

    private Map<String, String> exported(Map<String, String> environment) {
        var variables =
                new TreeMap<>(steps.in(ExportedEnvironment.of(export, exportFile, environment)));
        variables.putAll(from.own());
        return variables;
    }

    /// @param script with its `arguments` and `environment` null for a component that has none
    /// @param components the components after this one, the first
    SbatchRequest request(
            @Nullable String script,
            @Nullable List<String> arguments,
            @Nullable Map<String, String> environment,
            @Nullable LaunchMode launch,
            List<SbatchRequest> components)
            throws InvalidOption {
        boolean first = script != null;
        terms.check(timeLimit, !first || !components.isEmpty());
        if (cpusPerGpu != null && cpusPerTask != null) {
            throw InvalidOption.fatal("--cpus-per-task and --cpus-per-gpu are mutually exclusive.");
        }
        NodeRange range = where.range(nodes, tasks);
        var warnings = new ArrayList<String>();
        GpuSpec perNode =
                where.gpus(gpusPerSocket, gpusPerNode == null ? gres.gpus() : gpusPerNode);
        GpuShape shape =
                GpuShape.of(
                        gpus,
                        perNode,
                        gpusPerTask,
                        new TaskShape(
                                range.least(), tasks, steps.overcommit() ? null : tasksPerNode));
        TaskShape layout = allocated(shape.layout().settled(warnings));
        EnumMap<Per, Long> chosen = chosenMemory(shape);
        String directory = first ? directory(from.workingDirectory()) : null;
        components.forEach(it -> warnings.addAll(it.warnings()));
        Map<String, String> exported = environment == null ? null : exported(environment);
        var submission =
                JobSubmission.of(it -> {
                    it.script = script;
                    it.arguments = arguments;
                    it.environment = exported;
                    it.workingDirectory = directory;
                    it.user = first ? (user == null ? from.user() : user) : null;
                    it.account = account;
                    it.partition = partition;
                    it.qos = qos;
                    it.name = name == null ? from.name() : name;
                    it.nodes = layout.nodes();
                    it.tasks = layout.tasks();
                    it.tasksPerNode = layout.tasksPerNode();
                    it.cpusPerTask = cpusPerTask;
                    it.memoryMibPerNode = chosen.get(Per.NODE);
                    it.memoryMibPerCpu = chosen.get(Per.CPU);
                    it.memoryMibPerGpu = chosen.get(Per.GPU);
                    it.gpus = shape.total();
                    it.gpusPerNode = shape.perNode();
                    it.gpusPerTask = shape.perTask();
                    it.cpusPerGpu = cpusPerGpu;
                    it.tasksPerGpu = steps.overcommit() ? null : tasksPerGpu;
                    it.gpuType = shape.type();
                    it.gpuTypes = shape.types();
                    it.gpuPart = gres.part();
                    it.gres = gres.others();
                    it.timeLimitSeconds = timeLimit;
                    it.nice = nice;
                    it.requeue = requeue;
                    it.launch = launch;
                    it.standardOutput = first ? output : null;
                    it.standardError = first ? error : null;
                    it.standardInput = first ? input : null;
                    it.appendOutput = first ? append : null;
                    it.submitHost = first ? from.host() : null;
                    it.container =
                            first && container != null ? inDirectory(container, directory) : null;
                    it.command = first ? from.command() : null;
                    terms.write(it.terms, first);
                    where.write(it.where, range, cpusPerTask == null ? 1 : cpusPerTask);
                    it.components =
                            components.isEmpty()
                                    ? null
                                    : components.stream().map(SbatchRequest::submission).toList();
                });
        return new SbatchRequest(
                submission,
                parsable || components.stream().anyMatch(SbatchRequest::parsable),
                wait || components.stream().anyMatch(SbatchRequest::waits),
                quiet || components.stream().anyMatch(SbatchRequest::quiet),
                testOnly || components.stream().anyMatch(SbatchRequest::testOnly),
                warnings);
    }

    /// What the job holds: with `--overcommit` the CPUs of one task on each node, which its tasks
    /// share.
    private TaskShape allocated(TaskShape asked) throws InvalidOption {
        if (!steps.overcommit()) {
            return asked;
        }
        if (gpusPerTask != null) {
            throw InvalidOption.refused(
                    "--overcommit is not supported yet with --gpus-per-task: --gpus has so many for all tasks");
        }
        if (asked.tasks() != null) {
            steps.share(asked.tasks());
        }
        return new TaskShape(asked.nodes(), null, null);
    }

    private @Nullable String directory(@Nullable String current) {
        if (chdir == null || current == null) {
            return chdir == null ? current : chdir;
        }
        return inDirectory(chdir, current);
    }

    private static String inDirectory(String path, @Nullable String directory) {
        return directory == null ? path : Path.of(directory).resolve(path).normalize().toString();
    }

    /// The one memory that counts: what options say outranks what variables say.
    private EnumMap<Per, Long> chosenMemory(GpuShape shape) throws InvalidOption {
        var chosen = new EnumMap<Per, Long>(Per.class);
        chosen.putAll(memory);
        boolean onlyVariables = memoryByVariable.size() == memory.size();
        if (!onlyVariables) {
            chosen.keySet().removeAll(memoryByVariable);
        }
        if (chosen.size() > 1) {
            throw InvalidOption.fatal(
                    (onlyVariables
                                    ? "SBATCH_MEM_PER_CPU, SBATCH_MEM_PER_GPU, and"
                                            + " SBATCH_MEM_PER_NODE"
                                    : "--mem, --mem-per-cpu, and --mem-per-gpu")
                            + " are mutually exclusive.");
        }
        if (chosen.containsKey(Per.CPU) && chosen.get(Per.CPU) == 0) {
            chosen.remove(Per.CPU);
            chosen.put(Per.NODE, 0L);
        }
        if (chosen.containsKey(Per.GPU) && shape.isEmpty()) {
            throw InvalidOption.refused(
                    "Requested mem_per_tres=gres:gpu:"
                            + chosen.get(Per.GPU)
                            + " but did not request any GPU.\n"
                            + GpuShape.INVALID);
        }
        return chosen;
    }
}
