package io.berth.cli;

import io.berth.client.JsonText;
import io.berth.slurm.SlurmTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What `scontrol update partitionname=` changes of a partition in the cluster file.
///
/// Source: scontrol(1), "SPECIFICATIONS FOR CREATE, UPDATE, AND DELETE COMMANDS, PARTITIONS".
final class PartitionChange {

    private static final Set<String> STATES = Set.of("up", "down", "drain", "inactive");

    /// The cluster file's name of each list, of which Slurm's ALL is none.
    private static final Map<String, String> LISTS =
            Map.of(
                    "allocnodes", "allocNodes",
                    "allowaccounts", "allowAccounts",
                    "allowgroups", "allowGroups",
                    "allowqos", "allowQos",
                    "denyaccounts", "denyAccounts",
                    "denyqos", "denyQos");

    private static final Map<String, String> FLAGS =
            Map.of(
                    "disablerootjobs", "disableRootJobs",
                    "exclusivetopo", "exclusiveTopo",
                    "exclusiveuser", "exclusiveUser",
                    "hidden", "hidden",
                    "lln", "leastLoaded",
                    "reqresv", "reservedOnly",
                    "rootonly", "rootOnly");

    private static final Map<String, String> TIMES =
            Map.of(
                    "defaulttime", "defaultTime",
                    "maxtime", "maxTime",
                    "overtimelimit", "overTimeLimit");

    private static final Set<String> NO_LIMIT = Set.of("UNLIMITED", "INFINITE", "NONE", "-1");

    private final Map<String, Object> patch = new LinkedHashMap<>();

    private PartitionChange() {}

    /// The patch that the settings ask for.
    ///
    /// @param settings `name=value` each
    /// @throws CommandFailure naming the first that is not understood
    static Map<String, Object> patch(List<String> settings) throws CommandFailure {
        var change = new PartitionChange();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            String key = equals < 0 ? "" : setting.substring(0, equals);
            if (!change.take(key.toLowerCase(Locale.ROOT), setting.substring(equals + 1))) {
                throw Scontrol.unsupported(setting);
            }
        }
        return change.patch;
    }

    private boolean take(String key, String value) throws CommandFailure {
        String number = SlurmPartitions.NUMBERS.get(key);
        if (number != null) {
            number(key, number, value);
        } else if (LISTS.containsKey(key)) {
            boolean all = value.isEmpty() || value.equalsIgnoreCase("ALL");
            put(LISTS.get(key), all ? null : CliOption.split(value));
        } else if (FLAGS.containsKey(key)) {
            put(FLAGS.get(key), yes(key, value) ? true : null);
        } else if (TIMES.containsKey(key)) {
            put(TIMES.get(key), isNone(value) ? null : time(key, value));
        } else {
            return other(key, value);
        }
        return true;
    }

    private boolean other(String key, String value) throws CommandFailure {
        switch (key) {
            case "state" -> put("state", state(value));
            case "nodes" -> put("nodes", value);
            case "preemptmode" -> put("preemptMode", value.toUpperCase(Locale.ROOT));
            case "qos" -> put("qos", value.isEmpty() || value.equals("N/A") ? null : value);
            case "oversubscribe" -> {
                String said = value.toUpperCase(Locale.ROOT);
                boolean alone = said.equals("EXCLUSIVE");
                put("exclusive", alone ? true : null);
                put("overSubscribe", alone || said.equals("NO") ? null : said);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void number(String key, String name, String value) throws CommandFailure {
        if (!isNone(value) && !SlurmCluster.WHOLE.matcher(value).matches()) {
            throw new CommandFailure(
                    1,
                    "Invalid "
                            + key
                            + " value: "
                            + value
                            + ": "
                            + SlurmPartitions.NO_NUMBER
                            + "\n");
        }
        String rival = SlurmPartitions.RIVALS.get(name);
        if (rival != null) {
            put(rival, null);
        }
        put(name, isNone(value) ? null : Long.valueOf(value));
    }

    /// @param value null takes the setting away
    private void put(@Nullable String name, @Nullable Object value) {
        patch.put(String.valueOf(name), value == null ? JsonText.NULL : value);
    }

    private static boolean isNone(String value) {
        return NO_LIMIT.contains(value.toUpperCase(Locale.ROOT));
    }

    private static String time(String key, String value) throws CommandFailure {
        if (SlurmTime.parseLimit(value).isEmpty()) {
            throw new CommandFailure(
                    1,
                    "Invalid input: %s=%s: it is a time, such as 1-12:00:00 or minutes, or UNLIMITED\n"
                            .formatted(key, value));
        }
        return value;
    }

    private static String state(String value) throws CommandFailure {
        String state = value.toLowerCase(Locale.ROOT);
        if (!STATES.contains(state)) {
            throw new CommandFailure(
                    1,
                    "Invalid input: State="
                            + value
                            + "\nAcceptable State values are UP, DOWN, DRAIN, and INACTIVE\n");
        }
        return state;
    }

    private static boolean yes(String key, String value) throws CommandFailure {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "yes" -> true;
            case "no" -> false;
            default ->
                    throw new CommandFailure(
                            1, "Invalid input: " + key + "=" + value + ": it is YES or NO\n");
        };
    }
}
