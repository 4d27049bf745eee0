package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ReservationFlag;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The reservations of a cluster file.
final class ReservationsSection {

    /// Those of which one has one at most, by which it comes again.
    private static final List<String> RECURRING = List.of("DAILY", "WEEKLY", "WEEKDAY", "WEEKEND");

    private static final long PURGE_SECONDS = 300;
    private static final int LAST_YEAR = 9999;

    private final YamlMap root;

    private ReservationsSection(YamlMap root) {
        this.root = root;
    }

    static List<Unnumbered> of(YamlMap root) throws InvalidClusterFile {
        var section = new ReservationsSection(root);
        YamlMap all = root.map("reservations");
        var records = new ArrayList<Unnumbered>();
        for (String name : all.names()) {
            records.add(section.reservation(name, all.map(name), all.place(name)));
        }
        return records;
    }

    private Unnumbered reservation(String name, YamlMap map, String place)
            throws InvalidClusterFile {
        map.only(
                "start",
                "duration",
                "nodes",
                "nodeCount",
                "partition",
                "users",
                "accounts",
                "flags",
                "purgeAfter");
        if (map.has("nodeCount") && (map.has("nodes") || map.number("nodeCount", 0) == 0)) {
            throw new InvalidClusterFile(
                    map.place("nodeCount"),
                    "a number above 0, in place of nodes, is expected here");
        }
        long start = time(map);
        long duration = map.seconds("duration", 0);
        if (duration == 0) {
            throw new InvalidClusterFile(map.place("duration"), "a time above 0 is required here");
        }
        List<String> nodes = NodeLists.of(map, "nodes");
        String partition = map.has("partition") ? map.name("partition") : null;
        if (partition != null) {
            YamlMap.refuseUnknown(
                    map.place("partition"),
                    "partition",
                    List.of(partition),
                    root.map("partitions").keys());
        }
        List<String> users = map.signedNameList("users");
        List<String> accounts = map.signedNameList("accounts");
        YamlMap.refuseUnknown(
                map.place("accounts"),
                "account",
                accounts.stream().map(ReservationsSection::plain).toList(),
                root.map("accounts").keys());
        if (users.isEmpty() && accounts.isEmpty()) {
            throw new InvalidClusterFile(place, "users or accounts that may use it are required");
        }
        List<String> flags = flags(map);
        @Nullable Long purge = purge(map, flags);
        checkReplacing(map, flags);
        var known =
                new Reservation(
                        new Part(0, 0, 0),
                        name,
                        start,
                        start + duration * 1000,
                        nodes,
                        users,
                        accounts,
                        flags,
                        partition,
                        purge);
        if (known.periodMillis() > 0 && known.periodMillis() < duration * 1000) {
            throw new InvalidClusterFile(
                    map.place("duration"), "is longer than it takes to come again");
        }
        return part ->
                new Reservation(
                        part,
                        name,
                        known.startsAt(),
                        known.endsAt(),
                        nodes,
                        users,
                        accounts,
                        flags,
                        partition,
                        purge);
    }

    private static String plain(String name) {
        return name.startsWith("-") ? name.substring(1) : name;
    }

    private static List<String> flags(YamlMap map) throws InvalidClusterFile {
        var flags = new ArrayList<String>();
        for (String name : map.nameList("flags")) {
            flags.add(YamlMap.choice(map.place("flags"), name, ReservationFlag.class).name());
        }
        if (flags.stream().filter(RECURRING::contains).distinct().count() > 1) {
            throw new InvalidClusterFile(
                    map.place("flags"),
                    "at most one of " + String.join(", ", RECURRING) + " says when it comes again");
        }
        return flags;
    }

    /// For how long an idle one stays, in seconds; null for ever.
    private static @Nullable Long purge(YamlMap map, List<String> flags) throws InvalidClusterFile {
        boolean goes = flags.contains(ReservationFlag.PURGE_COMP.name());
        if (map.has("purgeAfter") && !goes) {
            throw new InvalidClusterFile(map.place("purgeAfter"), "needs the flag PURGE_COMP");
        }
        return goes ? (Long) map.seconds("purgeAfter", PURGE_SECONDS) : null;
    }

    private static void checkReplacing(YamlMap map, List<String> flags) throws InvalidClusterFile {
        boolean replaces =
                flags.contains(ReservationFlag.REPLACE.name())
                        || flags.contains(ReservationFlag.REPLACE_DOWN.name());
        if (replaces && !map.has("nodeCount") && NodeLists.of(map, "nodes").contains("ALL")) {
            throw new InvalidClusterFile(
                    map.place("flags"),
                    "of all nodes none can be replaced: say nodeCount or nodes");
        }
    }

    private static long time(YamlMap map) throws InvalidClusterFile {
        @Nullable String text = map.text("start");
        try {
            LocalDateTime start = LocalDateTime.parse(Objects.requireNonNullElse(text, ""));
            if (start.getYear() >= 0 && start.getYear() <= LAST_YEAR) {
                return start.toInstant(ZoneOffset.UTC).toEpochMilli();
            }
        } catch (DateTimeParseException e) {
            // Refused below, as one of a year that fits no number of milliseconds is.
        }
        throw new InvalidClusterFile(
                map.place("start"),
                "'" + text + "' is not a time of UTC such as 2026-12-24T18:00:00");
    }
}
