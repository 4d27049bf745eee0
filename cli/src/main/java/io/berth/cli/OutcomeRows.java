package io.berth.cli;

import static io.berth.cli.Table.Title.right;

import io.berth.client.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/// The lines of `sreport job Outcomes`: which parts of the jobs of a partition that ended on a day
/// had completed, had failed and were cancelled. Failed is whatever is neither of the others.
///
/// @param cluster its name
/// @param outcomes by the beginning of the day, partition and state
record OutcomeRows(String cluster, List<JsonObject> outcomes, ZoneId zone) {

    static final Table TABLE =
            new Table(
                    List.of(
                            right("Cluster", 9),
                            right("Partition", 15),
                            right("Day", 10),
                            right("Jobs", 8),
                            right("Completed", 9),
                            right("Failed", 9),
                            right("Cancelled", 9)));

    private static final Set<String> NOT_FAILED = Set.of("COMPLETED", "CANCELLED");

    private record Day(long start, String partition) implements Comparable<Day> {

        @Override
        public int compareTo(Day other) {
            int byPartition = partition.compareTo(other.partition);
            return byPartition != 0 ? byPartition : Long.compare(start, other.start);
        }
    }

    private record Counts(long jobs, long completed, long failed, long cancelled) {

        Counts plus(Counts other) {
            return new Counts(
                    jobs + other.jobs,
                    completed + other.completed,
                    failed + other.failed,
                    cancelled + other.cancelled);
        }

        static Counts of(String state, long jobs) {
            return new Counts(
                    jobs,
                    state.equals("COMPLETED") ? jobs : 0,
                    NOT_FAILED.contains(state) ? 0 : jobs,
                    state.equals("CANCELLED") ? jobs : 0);
        }

        private String percent(long part) {
            return Math.round(100.0 * part / jobs) + "%";
        }
    }

    List<List<String>> lines() {
        var days = new TreeMap<Day, Counts>();
        for (JsonObject row : outcomes) {
            days.merge(
                    new Day(row.number("start"), row.text("partition")),
                    Counts.of(row.text("state"), row.number("jobs")),
                    Counts::plus);
        }
        var lines = new ArrayList<List<String>>();
        days.forEach((day, its) ->
                lines.add(
                        List.of(
                                cluster,
                                day.partition(),
                                Instant.ofEpochMilli(day.start())
                                        .atZone(zone)
                                        .toLocalDate()
                                        .toString(),
                                Long.toString(its.jobs()),
                                its.percent(its.completed()),
                                its.percent(its.failed()),
                                its.percent(its.cancelled()))));
        return lines;
    }
}
