package io.berth.standalone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.standalone.demo.Entry.RunEntry;
import io.berth.standalone.mesh.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The accounting of the demo's jobs, and whether it is right.
///
/// @param entries all jobs, by id
/// @param usage what `/v1/accounting/usage` answered
/// @param balance what `/v1/accounting/balance` answered
record Books(List<Entry> entries, JsonNode usage, JsonNode balance) {

    Books {
        entries = List.copyOf(entries);
    }

    /// Every way in which the books are wrong; none if they are right.
    List<String> differences() {
        var differences = new ArrayList<String>();
        for (Entry entry : entries) {
            check(entry, differences);
        }
        checkUsage(differences);
        if (!balance.path("balanced").asBoolean()) {
            differences.add("the accounting service finds: " + balance.path("differences"));
        }
        return differences;
    }

    /// What each user used, as a table.
    String table() {
        var table = new Table("USER", "ACCOUNT", "JOBS", "GPU-SECONDS", "BILLED");
        Map<String, List<Entry>> byUser =
                entries.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Entry::user, TreeMap::new, Collectors.toList()));
        byUser.forEach((user, jobs) ->
                table.row(
                        user,
                        jobs.getFirst().account(),
                        Integer.toString(jobs.size()),
                        decimal(jobs.stream().mapToLong(Entry::gpuMillis).sum(), 1_000),
                        decimal(jobs.stream().mapToLong(Entry::billingMicros).sum(), 1_000_000)));
        return table.toString();
    }

    private static void check(Entry entry, List<String> differences) {
        String job = "job " + entry.id();
        if (!entry.state().equals("COMPLETED")) {
            differences.add(job + " is " + entry.state() + ", not COMPLETED");
        }
        if (entry.runs().size() != 1) {
            differences.add(job + " ran " + entry.runs().size() + " times, not once");
        }
        for (RunEntry run : entry.runs()) {
            compare(job + " GPU-ms", entry.gpus() * run.heldMillis(), run.gpuMillis(), differences);
            compare(job + " CPU-ms", entry.cpus() * run.heldMillis(), run.cpuMillis(), differences);
        }
        compare(
                job + " GPU-ms of all runs",
                entry.runs().stream().mapToLong(RunEntry::gpuMillis).sum(),
                entry.gpuMillis(),
                differences);
    }

    private void checkUsage(List<String> differences) {
        Map<String, Long> used =
                entries.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Entry::user,
                                        TreeMap::new,
                                        Collectors.summingLong(Entry::gpuMillis)));
        used.forEach((user, gpuMillis) -> {
            long booked = 0;
            for (JsonNode row : usage.path("usage")) {
                booked +=
                        row.path("user").asText().equals(user) ? row.path("gpuMillis").asLong() : 0;
            }
            compare(user + "'s GPU-ms of all jobs", gpuMillis, booked, differences);
        });
    }

    private static void compare(String what, long expected, long found, List<String> differences) {
        if (expected != found) {
            differences.add("%s: %d expected, %d booked".formatted(what, expected, found));
        }
    }

    private static String decimal(long amount, long unit) {
        return "%.1f".formatted((double) amount / unit);
    }
}
