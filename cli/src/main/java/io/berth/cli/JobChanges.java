package io.berth.cli;

import io.berth.cli.MeshClient.Answer;
import io.berth.slurm.SlurmDate;
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
            case "nice" -> json.put("nice", value.isEmpty() ? 100 : number("Nice", value));
            case "sitefactor" -> json.put("siteFactor", number("SiteFactor", value));
            case "priority" -> json.put("priority", priority(value));
            case "requeue" -> json.put("requeue", !value.equals("0"));
            case "starttime" -> json.put("beginAt", time(value));
            case "deadline" -> json.put("deadlineAt", time(value));
            case "dependency" -> json.put("dependency", value);
            case "numnodes", "reqnodes", "minnodes" -> json.put("nodes", number("NumNodes", value));
            case "features" -> json.put("constraint", value);
            case "reqnodelist", "nodelist" -> json.put("nodeList", value);
            case "reservationname", "reservation" -> json.put("reservation", value);
            case "excnodelist" -> json.put("excludedNodes", value);
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
        Answer answer = client.ask("GET", JobIds.path(job));
        if (!answer.ok()) {
            throw Scontrol.refused(answer, job);
        }
        long now = answer.body().number("timeLimitSeconds");
        if (less && seconds.getAsLong() >= now) {
            throw new CommandFailure(
                    1, "Invalid TimeLimit specification: " + text + ": the limit is shorter\n");
        }
        return more ? now + seconds.getAsLong() : now - seconds.getAsLong();
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
