package io.berth.cli;

import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.contracts.JobState;
import io.berth.slurm.SlurmDate;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What `scontrol update jobid=` asks for, as the gateway reads it.
///
/// Source: scontrol(1), "SPECIFICATIONS FOR UPDATE COMMAND, JOBS".
final class JobChanges {

    private static final long MAX_PRIORITY = 4_294_967_294L;

    private final Terminal terminal;
    private final MeshClient client;
    private final String job;
    private final Map<String, @Nullable Object> json = new LinkedHashMap<>();
    private @Nullable String numCpus;

    JobChanges(Terminal terminal, MeshClient client, String job) {
        this.terminal = terminal;
        this.client = client;
        this.job = job;
    }

    /// The body of the request.
    ///
    /// @param settings `name=value` each
    /// @throws CommandFailure naming the first that is not understood
    String body(List<String> settings) throws CommandFailure {
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            String name = setting.substring(0, Math.max(0, equals < 0 ? setting.length() : equals));
            String value = equals < 0 ? "" : setting.substring(equals + 1);
            if (equals < 0 || !take(name.toLowerCase(Locale.ROOT), value)) {
                throw Scontrol.unsupported(setting);
            }
        }
        if (numCpus != null) {
            json.put("cpusPerTask", cpusPerTask(numCpus));
        }
        return JsonText.compact(json);
    }

    private boolean take(String name, String value) throws CommandFailure {
        switch (name) {
            case "account" -> json.put("account", value);
            case "partition" -> json.put("partition", value);
            case "qos" -> json.put("qos", value);
            case "name", "jobname" -> json.put("name", value);
            case "comment" -> json.put("comment", value);
            case "timelimit" -> json.put("timeLimitSeconds", timeLimit(value));
            case "timemin" -> json.put("timeMinSeconds", leastTime(value));
            case "switches" -> json.put("switches", value.equals("0") ? "" : value);
            case "topology" -> json.put("topology", value);
            case "nice" -> json.put("nice", value.isEmpty() ? 100 : number("Nice", value));
            case "sitefactor" -> json.put("siteFactor", number("SiteFactor", value));
            case "priority" -> json.put("priority", priority(value));
            case "requeue" -> json.put("requeue", !value.equals("0"));
            case "starttime" -> json.put("beginAt", time(value));
            case "deadline" -> json.put("deadlineAt", time(value));
            case "dependency" -> json.put("dependency", value);
            case "numnodes", "reqnodes", "minnodes" -> json.put("nodes", nodes(value));
            case "features" -> json.put("constraint", value);
            case "prefer" -> json.put("prefer", value);
            case "reqnodelist", "nodelist" -> json.put("nodeList", value);
            case "reservationname", "reservation" -> json.put("reservation", value);
            case "excnodelist" -> json.put("excludedNodes", value);
            case "numtasks" -> json.put("tasks", number("NumTasks", value));
            case "numcpus", "reqprocs" -> numCpus = value;
            case "cpuspertask", "cpus/task" ->
                    json.put("cpusPerTask", number("CPUsPerTask", value));
            case "mincpusnode" -> json.put("minCpusPerNode", number("MinCPUsNode", value));
            case "minmemorynode" -> json.put("memoryMibPerNode", memory("MinMemoryNode", value));
            case "minmemorycpu" -> json.put("memoryMibPerCpu", memory("MinMemoryCPU", value));
            case "gres", "trespernode" -> json.put("gres", gres(value));
            case "licenses" -> json.put("licenses", value);
            case "contiguous" -> json.put("contiguous", yes("Contiguous", value));
            case "oversubscribe", "shared" -> json.put("exclusive", !yes("OverSubscribe", value));
            case "endtime" -> json.put("timeLimitSeconds", limitUntil(value));
            case "arraytaskthrottle" ->
                    json.put("arrayThrottle", number("ArrayTaskThrottle", value));
            default -> {
                return false;
            }
        }
        return true;
    }

    /// A limit, or with a sign what is added to or taken from the one that the job has.
    private long timeLimit(String text) throws CommandFailure {
        boolean more = text.startsWith("+");
        boolean less = text.startsWith("-") && !text.equals("-1");
        OptionalLong seconds = SlurmTime.parseLimit(more || less ? text.substring(1) : text);
        if (seconds.isEmpty()) {
            throw new CommandFailure(1, "Invalid TimeLimit specification: " + text + "\n");
        }
        if (!more && !less) {
            return seconds.getAsLong();
        }
        long now = asItIs().number("timeLimitSeconds");
        if (less && seconds.getAsLong() >= now) {
            throw new CommandFailure(
                    1, "Invalid TimeLimit specification: " + text + ": the limit is shorter\n");
        }
        return more ? now + seconds.getAsLong() : now - seconds.getAsLong();
    }

    private static long leastTime(String text) throws CommandFailure {
        OptionalLong seconds = SlurmTime.parseLimit(text);
        if (seconds.isEmpty()) {
            throw new CommandFailure(1, "Invalid TimeMin specification: " + text + "\n");
        }
        return seconds.getAsLong();
    }

    private JsonObject asItIs() throws CommandFailure {
        Answer answer = client.ask("GET", JobIds.path(job));
        if (!answer.ok()) {
            throw Scontrol.refused(answer, job);
        }
        return answer.body();
    }

    /// The limit with which a job that runs ends then.
    private long limitUntil(String text) throws CommandFailure {
        var running = new JobView(asItIs());
        long end = time(text);
        long suspended = running.number("suspendedSeconds");
        long limit = Math.ceilDiv(end - running.number("startedAt"), 1000L) - suspended;
        if (!running.is(JobState.RUNNING) || limit < 1) {
            throw new CommandFailure(
                    1, "Invalid EndTime value: " + text + ": it is set of a job that runs\n");
        }
        return limit;
    }

    /// CPUs of each task, of which there are so many together.
    private long cpusPerTask(String value) throws CommandFailure {
        long all = number("NumCPUs", value);
        long tasks =
                json.get("tasks") instanceof Long given
                        ? given
                        : Math.max(1, asItIs().number("tasks"));
        if (all < 1 || all % tasks != 0) {
            throw new CommandFailure(
                    1,
                    "Invalid NumCPUs value: %s: a multiple of the job's %d tasks, or CPUsPerTask=\n"
                            .formatted(value, tasks));
        }
        return all / tasks;
    }

    private static long nodes(String value) throws CommandFailure {
        if (value.matches("\\d+-\\d+")) {
            throw new CommandFailure(
                    1,
                    "Invalid NumNodes value: "
                            + value
                            + ": one number is taken here, a range by sbatch -N\n");
        }
        return number("NumNodes", value);
    }

    private static long memory(String name, String value) throws CommandFailure {
        OptionalLong mib = SlurmMemory.parseMib(value);
        if (mib.isEmpty()) {
            throw new CommandFailure(1, "Invalid " + name + " value: " + value + "\n");
        }
        return mib.getAsLong();
    }

    /// `gres:gpu:2` as scontrol shows it, and `gres/gpu:2` as newer ones do.
    private static String gres(String value) {
        return value.replace("gres/", "").replace("gres:", "");
    }

    private static boolean yes(String name, String value) throws CommandFailure {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "ok" -> true;
            case "0", "no" -> false;
            default -> throw new CommandFailure(1, "Invalid " + name + " value: " + value + "\n");
        };
    }

    private long priority(String value) throws CommandFailure {
        return value.equalsIgnoreCase("TOP") ? MAX_PRIORITY : number("Priority", value);
    }

    private static long number(String name, String value) throws CommandFailure {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new CommandFailure(1, "Invalid " + name + " value: " + value + "\n");
        }
    }

    private long time(String value) throws CommandFailure {
        OptionalLong time =
                SlurmDate.parse(value, terminal.clock().instant().atZone(terminal.zone().get()));
        if (time.isEmpty()) {
            throw new CommandFailure(1, "Invalid time specification (pos=0): " + value + "\n");
        }
        return time.getAsLong();
    }
}
