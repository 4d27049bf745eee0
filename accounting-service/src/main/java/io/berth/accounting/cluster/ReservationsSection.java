package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry.Reservation;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The reservations of a cluster file.
final class ReservationsSection {

    private static final Set<String> FLAGS = Set.of("MAINT", "IGNORE_JOBS", "FLEX");

    private ReservationsSection() {}

    static List<Unnumbered> of(YamlMap root) throws InvalidClusterFile {
        YamlMap all = root.map("reservations");
        var records = new ArrayList<Unnumbered>();
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only("start", "duration", "nodes", "users", "accounts", "flags");
            long start = time(map);
            long duration = map.seconds("duration", 0);
            if (duration == 0) {
                throw new InvalidClusterFile(
                        map.place("duration"), "a time above 0 is required here");
            }
            List<String> nodes = NodeLists.of(map, "nodes");
            List<String> users = map.nameList("users");
            List<String> accounts = map.nameList("accounts");
            YamlMap.refuseUnknown(
                    map.place("accounts"), "account", accounts, root.map("accounts").keys());
            if (users.isEmpty() && accounts.isEmpty()) {
                throw new InvalidClusterFile(
                        all.place(name), "users or accounts that may use it are required");
            }
            List<String> flags = map.nameList("flags");
            YamlMap.refuseUnknown(map.place("flags"), "flag", flags, FLAGS);
            long end = start + duration * 1000;
            records.add(
                    part -> new Reservation(part, name, start, end, nodes, users, accounts, flags));
        }
        return records;
    }

    private static long time(YamlMap map) throws InvalidClusterFile {
        String text = map.text("start");
        try {
            return LocalDateTime.parse(text == null ? "" : text)
                    .toInstant(ZoneOffset.UTC)
                    .toEpochMilli();
        } catch (DateTimeParseException e) {
            throw new InvalidClusterFile(
                    map.place("start"),
                    "'" + text + "' is not a time of UTC such as 2026-12-24T18:00:00");
        }
    }
}
