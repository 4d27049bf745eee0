package io.berth.cli;

import io.berth.cli.Clause.Setting;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmDate;
import io.berth.slurm.SlurmTime;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `scontrol create|update|delete reservation`: changes of the configuration's reservations.
///
/// Source: scontrol(1), "RESERVATIONS - SPECIFICATIONS FOR CREATE, UPDATE, AND DELETE COMMANDS".
final class ReservationChanges {

    private static final String PURGE = "PURGE_COMP";
    private static final DateTimeFormatter UTC =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);

    /// Slurm's infinite reservation.
    private static final long YEAR_SECONDS = 365L * 86_400;

    private final Terminal terminal;
    private final Admin admin;

    ReservationChanges(Terminal terminal) throws CommandFailure {
        this.terminal = terminal;
        this.admin = Admin.of(terminal, "scontrol");
    }

    /// `create reservation NAME=VALUE…`; the name may be left out, and is then made of the first
    /// user or account.
    int create(List<String> words) throws CommandFailure {
        Clause clause = Clause.of(words);
        String name = name(clause);
        if (name.isEmpty()) {
            name = freeName(clause);
        } else if (reservations().has(name)) {
            throw failure("creating", "Duplicate reservation name: " + name);
        }
        checkNodes("creating", clause);
        checkComplete(clause);
        send("creating", name, entry(JsonObject.EMPTY, clause));
        terminal.out().print("Reservation created: " + name + "\n");
        return 0;
    }

    /// `update ReservationName=R NAME=VALUE…`
    int update(List<String> words) throws CommandFailure {
        Clause clause = Clause.of(words);
        String name = known("updating", name(clause));
        checkNodes("updating", clause);
        send("updating", name, entry(reservations().object(name), clause));
        terminal.out().print("Reservation updated.\n");
        return 0;
    }

    /// `delete ReservationName=R`
    int delete(List<String> words) throws CommandFailure {
        String name = known("deleting", name(Clause.of(words)));
        send("deleting", name, JsonText.NULL);
        return 0;
    }

    /// What a new one cannot be without, in Slurm's order.
    private static void checkComplete(Clause clause) throws CommandFailure {
        require(clause, "A start time", "starttime");
        require(clause, "An end time or duration", "endtime", "duration");
        require(
                clause,
                "Nodes, NodeCnt or PartitionName",
                "nodes",
                "nodecnt",
                "partitionname",
                "partition");
        require(clause, "Either Users or Accounts", "users", "user", "accounts", "account");
    }

    private static void require(Clause clause, String what, String... keys) throws CommandFailure {
        if (clause.named(keys).isEmpty()) {
            throw CommandFailure.error(
                    "scontrol", what + " must be specified.  No reservation created.");
        }
    }

    private JsonObject reservations() {
        return admin.document().object("reservations");
    }

    private static String name(Clause clause) {
        List<String> names = clause.named("reservationname", "reservation", Clause.NAME);
        return names.isEmpty() ? "" : names.getFirst();
    }

    private String known(String doing, String name) throws CommandFailure {
        if (!reservations().has(name)) {
            throw failure(doing, "Requested reservation is invalid: there is no " + name);
        }
        return name;
    }

    private String freeName(Clause clause) throws CommandFailure {
        List<String> owners = clause.named("users", "user", "accounts", "account");
        String owner = owners.isEmpty() ? "resv" : owners.getFirst().replaceFirst("^-", "");
        int number = 1;
        while (reservations().has(owner + "_" + number)) {
            number++;
        }
        return owner + "_" + number;
    }

    /// Of nodes that nobody knows it would be a reservation of nothing. (A cluster file may name
    /// those that come later.)
    private void checkNodes(String doing, Clause clause) throws CommandFailure {
        for (String list : clause.named("nodes")) {
            if (list.equalsIgnoreCase("ALL")) {
                continue;
            }
            Set<String> known =
                    MeshClient.of(terminal, "scontrol").get("/v1/nodes").objects("nodes").stream()
                            .map(node -> node.text("name"))
                            .collect(Collectors.toSet());
            for (String name : names(doing, list)) {
                if (!known.contains(name)) {
                    throw failure(doing, "Invalid node name specified: there is no node " + name);
                }
            }
        }
    }

    private static List<String> names(String doing, String list) throws CommandFailure {
        try {
            return HostList.expand(list);
        } catch (IllegalArgumentException e) {
            throw failure(doing, "Invalid node name specified: " + e.getMessage());
        }
    }

    private void send(String doing, String name, Object entry) throws CommandFailure {
        Answer answer = admin.ask(Admin.patch(Map.of("reservations", Map.of(name, entry))));
        if (!answer.ok()) {
            throw failure(
                    doing,
                    answer.code().equals("in_use")
                            ? "Requested reservation is in use: " + answer.detail()
                            : answer.detail());
        }
    }

    private static CommandFailure failure(String doing, String why) {
        return new CommandFailure(1, "Error " + doing + " the reservation: " + why + "\n");
    }

    private Map<String, Object> entry(JsonObject before, Clause clause) throws CommandFailure {
        var entry = new LinkedHashMap<String, Object>();
        @Nullable Long start = null;
        @Nullable Long end = null;
        @Nullable Long duration = null;
        for (Setting setting : clause.without("reservationname", "reservation", Clause.NAME)) {
            switch (setting.key()) {
                case "starttime" -> start = time(setting.value());
                case "endtime" -> end = time(setting.value());
                case "duration" -> duration = seconds(setting.value());
                case "nodes" -> {
                    entry.put("nodes", setting.value());
                    entry.put("nodeCount", JsonText.NULL);
                }
                case "nodecnt" -> {
                    entry.put("nodeCount", count(setting.value()));
                    entry.put("nodes", JsonText.NULL);
                }
                case "partitionname", "partition" -> entry.put("partition", setting.value());
                case "users", "user" -> entry.put("users", list(before, "users", setting));
                case "accounts", "account" ->
                        entry.put("accounts", list(before, "accounts", setting));
                case "flags", "flag" -> {
                    entry.put("flags", flags(before, setting));
                    if (before.has("purgeAfter") || setting.value().contains("=")) {
                        entry.put("purgeAfter", purgeAfter(before, setting));
                    }
                }
                default -> throw Scontrol.unsupported(setting.key() + "=" + setting.value());
            }
        }
        if (start != null || end != null || duration != null) {
            times(entry, before, start, end, duration);
        }
        return entry;
    }

    private void times(
            Map<String, Object> entry,
            JsonObject before,
            @Nullable Long newStart,
            @Nullable Long newEnd,
            @Nullable Long duration)
            throws CommandFailure {
        boolean made = !before.has("start");
        long start = newStart != null ? newStart : made ? terminal.now() : startOf(before);
        long seconds;
        if (duration != null) {
            seconds = duration;
        } else if (newEnd != null) {
            seconds = (newEnd - start) / 1000;
        } else {
            seconds =
                    made
                            ? YEAR_SECONDS
                            : (startOf(before) - start) / 1000 + seconds(before.text("duration"));
        }
        if (seconds <= 0) {
            throw failure(made ? "creating" : "updating", "it would end before it starts");
        }
        entry.put("start", UTC.format(Instant.ofEpochMilli(start).atOffset(ZoneOffset.UTC)));
        entry.put("duration", SlurmTime.full(seconds));
    }

    private static long startOf(JsonObject before) {
        return LocalDateTime.parse(before.text("start")).toInstant(ZoneOffset.UTC).toEpochMilli();
    }

    private long time(String value) throws CommandFailure {
        OptionalLong time =
                SlurmDate.parse(value, terminal.clock().instant().atZone(terminal.zone().get()));
        if (time.isEmpty()) {
            throw new CommandFailure(1, "Invalid time specification (pos=0): " + value + "\n");
        }
        return time.getAsLong();
    }

    private static long seconds(String value) throws CommandFailure {
        OptionalLong seconds = SlurmTime.parseLimit(value);
        if (seconds.isEmpty()) {
            throw new CommandFailure(1, "Invalid Duration: " + value + "\n");
        }
        return seconds.getAsLong() == 0 ? YEAR_SECONDS : seconds.getAsLong();
    }

    private static Object count(String value) throws CommandFailure {
        try {
            return Long.valueOf(value);
        } catch (NumberFormatException e) {
            throw new CommandFailure(1, "Invalid NodeCnt: " + value + "\n");
        }
    }

    private static Object list(JsonObject before, String key, Setting setting) {
        return listed(before.texts(key), setting, setting.values());
    }

    private static Object flags(JsonObject before, Setting setting) {
        List<String> asked =
                setting.values().stream()
                        .map(it ->
                                it.toUpperCase(Locale.ROOT).replaceFirst("^(PURGE_COMP)=.*", "$1"))
                        .toList();
        return listed(
                before.texts("flags"),
                setting,
                asked.stream().filter(it -> !it.equals("SPEC_NODES")).toList());
    }

    /// `Flags=PURGE_COMP=00:10:00`: how long an idle reservation stays.
    private static Object purgeAfter(JsonObject before, Setting setting) throws CommandFailure {
        Object kept =
                setting.sign() == '=' || !before.has("purgeAfter")
                        ? JsonText.NULL
                        : before.text("purgeAfter");
        for (String flag : setting.values()) {
            if (flag.toUpperCase(Locale.ROOT).startsWith(PURGE)) {
                kept =
                        setting.sign() == '-' || flag.length() <= PURGE.length() + 1
                                ? JsonText.NULL
                                : SlurmTime.full(seconds(flag.substring(PURGE.length() + 1)));
            }
        }
        return kept;
    }

    private static Object listed(List<String> before, Setting setting, List<String> values) {
        var now = new ArrayList<>(setting.sign() == '=' ? List.<String>of() : before);
        if (setting.sign() == '-') {
            now.removeAll(values);
        } else {
            values.stream().filter(it -> !now.contains(it)).forEach(now::add);
        }
        return now.isEmpty() ? JsonText.NULL : now;
    }
}
