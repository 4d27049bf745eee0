package io.berth.cli;

import static io.berth.cli.Table.Title.right;

import io.berth.cli.ReportRows.Unit;
import io.berth.client.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The lines of `sreport job SizesByAccount`: how much CPU time the jobs of each account used,
/// apart by how many CPUs a job had. An account counts what is below it, unless `FlatView` is said.
///
/// A job's CPUs are those of its last run, and its time is that between `start` and `end`.
///
/// Source: sreport(1) of Slurm 22.05, "SizesByAccount"; the layout is its.
///
/// @param document the configuration, for the tree of accounts
/// @param start epoch milliseconds
/// @param end epoch milliseconds, not after now
record JobSizes(
        JsonObject document,
        List<JsonObject> jobs,
        Clause clause,
        Unit unit,
        List<Integer> bounds,
        long start,
        long end) {

    private static final String USUAL = "50,250,500,1000";

    /// The sizes at which groups part: `grouping=50,250`, in rising order.
    static List<Integer> bounds(Clause clause) throws CommandFailure {
        List<String> given = clause.named("grouping");
        var bounds = new ArrayList<Integer>();
        for (String text : given.isEmpty() ? CliOption.split(USUAL) : given) {
            Long bound = JobIds.parse(text);
            int before = bounds.isEmpty() ? 0 : bounds.getLast();
            if (bound == null || bound > Integer.MAX_VALUE || bound <= before) {
                throw CommandFailure.error(
                        "sreport",
                        "Invalid Grouping: %s; it is a list of rising numbers, such as %s"
                                .formatted(String.join(",", given), USUAL));
            }
            bounds.add(bound.intValue());
        }
        return bounds;
    }

    /// Whether jobs are counted in place of their time.
    boolean counts() {
        return said("printjobcount");
    }

    private boolean said(String word) {
        return clause.named(Clause.NAME).contains(word);
    }

    /// The columns that `format=` may name.
    private static final Table FIRST = new Table(List.of(right("Cluster", 9), right("Account", 9)));

    /// The columns: those that are asked for of the cluster and the account, then all others.
    Table table() throws CommandFailure {
        Table first = ReportWords.columns(FIRST, clause.named("format"), FIRST);
        return with(first);
    }

    Table all() {
        return with(FIRST);
    }

    private Table with(Table first) {
        var titles = new ArrayList<>(first.titles());
        int amount = counts() ? 13 : unit.widened(13);
        int from = 0;
        for (int bound : bounds) {
            titles.add(right("%d-%d CPUs".formatted(from, bound - 1), amount));
            from = bound;
        }
        titles.add(right(">= %d CPUs".formatted(from), amount));
        titles.add(right("% of cluster", 12));
        return new Table(titles);
    }

    List<List<String>> lines() {
        Map<String, long[]> sums = new TreeMap<>();
        long all = 0;
        List<String> tops = clause.named("account");
        for (JsonObject job : jobs) {
            long seconds = seconds(job);
            String account = shownAs(job.text("account"), tops);
            if (seconds > 0 && wanted(job)) {
                long amount = counts() ? 1 : seconds;
                all += amount;
                if (!account.isEmpty()) {
                    sums.computeIfAbsent(account, _ -> new long[bounds.size() + 1])[group(job)] +=
                            amount;
                }
            }
        }
        var lines = new ArrayList<List<String>>();
        for (var entry : sums.entrySet()) {
            lines.add(line(entry.getKey(), entry.getValue(), all));
        }
        return lines;
    }

    private List<String> line(String account, long[] sums, long all) {
        var line = new ArrayList<>(List.of(document.text("name"), account));
        long its = 0;
        for (long sum : sums) {
            its += sum;
            line.add(counts() ? Long.toString(sum) : unit.told(sum, all));
        }
        line.add(String.format(Locale.ROOT, "%.2f%%", 100.0 * its / all));
        return line;
    }

    private boolean wanted(JsonObject job) {
        List<String> users = clause.named("user");
        List<String> partitions = clause.named("partition");
        return (users.isEmpty() || users.contains(job.text("user")))
                && (partitions.isEmpty() || partitions.contains(job.text("partition")));
    }

    private int group(JsonObject job) {
        int group = 0;
        while (group < bounds.size() && job.number("cpus") >= bounds.get(group)) {
            group++;
        }
        return group;
    }

    /// The account whose line counts those of this one; "" if none does.
    private String shownAs(String account, List<String> tops) {
        if (said("flatview")) {
            return tops.isEmpty() || tops.contains(account) ? account : "";
        }
        JsonObject accounts = document.object("accounts");
        String shown = account;
        for (int depth = 0; depth < accounts.fields().size(); depth++) {
            if (tops.contains(shown)) {
                return shown;
            }
            String parent = accounts.object(shown).text("parent");
            if (parent.isEmpty() || parent.equals("root")) {
                break;
            }
            shown = parent;
        }
        return tops.isEmpty() ? shown : "";
    }

    /// CPU time, without that for which a run that lies in the time as a whole was suspended.
    private long seconds(JsonObject job) {
        long seconds = 0;
        for (JsonObject run : job.objects("runs")) {
            long freedAt = run.has("freedAt") ? run.number("freedAt") : end;
            long from = Math.max(start, run.number("placedAt"));
            long until = Math.min(end, freedAt);
            boolean whole = from == run.number("placedAt") && until == freedAt;
            long held = (until - from) / 1000 - (whole ? run.number("suspendedSeconds") : 0);
            seconds += Math.max(0, held) * job.number("cpus");
        }
        return seconds;
    }
}
