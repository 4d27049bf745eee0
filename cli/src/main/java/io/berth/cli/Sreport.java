package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.ReportRows.Unit;
import io.berth.client.JsonObject;
import io.berth.client.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `sreport`: who used how much in a time, from the books.
///
/// Source: sreport(1); the layouts are those of Slurm 22.05.
final class Sreport implements Command {

    private static final int TOP = 10;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final long DAY_MILLIS = 24 * HOUR_MILLIS;
    private static final String SIZES = "job SizesByAccount";

    private static final Keywords UNITS =
            Keywords.of(
                    """
                    SecPer:6=SECONDS_PERCENT MinPer:6=MINUTES_PERCENT HourPer:6=HOURS_PERCENT
                    Seconds:1=SECONDS Minutes:1=MINUTES Hours:1=HOURS Percent:1=PERCENT
                    """);

    private static final List<CliOption> OPTIONS =
            Table.options(
                    valued("tres", 'T', "resources, such as cpu,gres/gpu,gres/gpu:a100,billing"),
                    valued(
                            "time",
                            't',
                            "Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer"),
                    CliOption.CLUSTER,
                    flag("all_clusters", 'a', "nothing: there is one cluster"),
                    flag("quiet", 'Q', "nothing: what is done is what is asked"),
                    CliOption.FEDERATION,
                    CliOption.LOCAL,
                    CliOption.VERBOSE);

    @Override
    public String synopsis() {
        return "sreport cluster|user|job REPORT [start=TIME] [end=TIME] [-T gres/gpu]: who used how much, and how jobs ended";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        String report = ReportWords.report(operands);
        boolean sizes = SIZES.equalsIgnoreCase(report);
        ReportRows.Kind kind = sizes ? null : kind(operands, report);
        Clause clause =
                ReportWords.clause(
                        report == null ? "" : report, operands.subList(2, operands.size()));
        Main.requireThisCluster(terminal, "sreport", clause.named("cluster"));
        long end = time(terminal, clause, "end", midnight(terminal));
        long start = time(terminal, clause, "start", midnight(terminal) - DAY_MILLIS);
        if (end <= start) {
            end = start + HOUR_MILLIS;
        }
        return kind == null
                ? sizes(terminal, words, clause, start, end)
                : usage(terminal, words, kind, clause, start, end);
    }

    private static int usage(
            Terminal terminal,
            Words words,
            ReportRows.Kind kind,
            Clause clause,
            long start,
            long end)
            throws CommandFailure {
        if (kind == ReportRows.Kind.OUTCOMES && (words.has("tres") || words.has("time"))) {
            throw CommandFailure.error(
                    "sreport", "job Outcomes tells of jobs, not of resources: leave out -T and -t");
        }
        Unit unit = unit(words.value("time", "Minutes"));
        Table table =
                ReportWords.columns(
                        kind.all(unit),
                        clause.named("format"),
                        kind.table(words.has("tres"), unit));
        MeshClient client = MeshClient.of(terminal, "sreport");
        JsonObject answer = told(client, kind, start, end);
        JsonObject document = client.accounting("/v1/configuration").object("document");
        List<String> tres = words.has("tres") ? words.list("tres") : List.of("cpu");
        var rows =
                new ReportRows(
                        document,
                        kind.rows(answer),
                        clause,
                        unit,
                        unit.ofTotal() ? reported(client, start, end) : Map.of(),
                        (end - start) / 1000,
                        terminal.zone().get());
        var values = new ArrayList<List<String>>();
        for (String resource : tres) {
            values.addAll(rows.of(kind, resource, top(clause)));
        }
        if (!words.has("noheader")) {
            head(
                    terminal,
                    kind.title(),
                    kind == ReportRows.Kind.OUTCOMES
                            ? "Parts of the jobs that ended on a day"
                            : "Usage reported in " + unit.heading(),
                    start,
                    end);
        }
        boolean tree = clause.named(Clause.NAME).contains("tree");
        (tree ? table.leftOf("Account", 20) : table)
                .print(terminal.out(), words, kind.all(unit), values);
        return 0;
    }

    private static JsonObject told(MeshClient client, ReportRows.Kind kind, long start, long end)
            throws CommandFailure {
        return client.accounting(
                new Query(kind.path())
                        .with("start", List.of(start))
                        .with("end", List.of(end))
                        .toString());
    }

    /// How many seconds there were of each of the cluster's resources.
    private static Map<String, Long> reported(MeshClient client, long start, long end)
            throws CommandFailure {
        ReportRows.Kind utilization = ReportRows.Kind.UTILIZATION;
        return utilization.rows(told(client, utilization, start, end)).stream()
                .collect(Collectors.toMap(it -> it.text("resource"), it -> it.number("reported")));
    }

    private static int sizes(Terminal terminal, Words words, Clause clause, long start, long end)
            throws CommandFailure {
        if (words.has("tres")) {
            throw CommandFailure.error("sreport", SIZES + " tells of CPUs: leave out -T");
        }
        Unit unit = unit(words.value("time", "Minutes"));
        List<Integer> bounds = JobSizes.bounds(clause);
        MeshClient client = MeshClient.of(terminal, "sreport");
        JsonObject answer =
                client.accounting(
                        new Query("/v1/accounting/jobs")
                                .with("start", List.of(start))
                                .with("end", List.of(end))
                                .toString());
        var sizes =
                new JobSizes(
                        client.accounting("/v1/configuration").object("document"),
                        answer.objects("jobs"),
                        clause,
                        unit,
                        bounds,
                        start,
                        Math.min(end, terminal.now()));
        Table table = sizes.table();
        if (!words.has("noheader")) {
            head(
                    terminal,
                    "Job Sizes",
                    sizes.counts()
                            ? "Units are in number of jobs ran"
                            : "Time reported in " + unit.title(),
                    start,
                    end);
        }
        table.print(terminal.out(), words, sizes.all(), sizes.lines());
        return 0;
    }

    private static ReportRows.Kind kind(List<String> operands, @Nullable String report)
            throws CommandFailure {
        String name = operands.size() < 2 ? "" : operands.get(0) + " " + operands.get(1);
        if ((report == null ? name : report).toLowerCase(Locale.ROOT).contains("wckey")) {
            throw CommandFailure.error(
                    "sreport",
                    name
                            + " is not supported: jobs have no WCKeys here; accounts and comments tell them apart");
        }
        if ("reservation utilization".equals(report)) {
            throw CommandFailure.error("sreport", name + " is not supported");
        }
        for (ReportRows.Kind kind : ReportRows.Kind.values()) {
            if (kind.words().equalsIgnoreCase(report)) {
                return kind;
            }
        }
        var known = new ArrayList<String>();
        for (ReportRows.Kind kind : ReportRows.Kind.values()) {
            known.add(kind.words());
        }
        known.add(SIZES);
        throw CommandFailure.error(
                "sreport", "which report? There are: " + String.join(", ", known));
    }

    private static long midnight(Terminal terminal) {
        return Dates.midnight(terminal.now(), terminal.zone().get());
    }

    private static long time(Terminal terminal, Clause clause, String key, long otherwise)
            throws CommandFailure {
        List<String> given = clause.named(key);
        if (given.isEmpty()) {
            return otherwise;
        }
        OptionalLong time = Dates.parse(given.getLast(), terminal.now(), terminal.zone().get());
        if (time.isEmpty()) {
            throw CommandFailure.error("sreport", "Invalid time specification: " + given.getLast());
        }
        return time.getAsLong();
    }

    private static int top(Clause clause) throws CommandFailure {
        List<String> given = clause.named("topcount");
        Long count = given.isEmpty() ? Long.valueOf(TOP) : JobIds.parse(given.getLast());
        if (count == null || count > 100_000) {
            throw CommandFailure.error("sreport", "Invalid TopCount: " + given.getLast());
        }
        return count.intValue();
    }

    private static Unit unit(String name) throws CommandFailure {
        String unit = UNITS.find(name);
        if (unit == null) {
            throw CommandFailure.error(
                    "sreport",
                    "Invalid time format: "
                            + name
                            + "; Seconds, Minutes, Hours, Percent, SecPer, MinPer and HourPer are known");
        }
        return Unit.valueOf(unit);
    }

    private static void head(Terminal terminal, String title, String what, long start, long end) {
        String line = "-".repeat(80) + "\n";
        terminal.out()
                .print(
                        line
                                + title
                                + " "
                                + Dates.iso(start, terminal.zone().get(), "")
                                + " - "
                                + Dates.iso(end - 1000, terminal.zone().get(), "")
                                + " ("
                                + (end - start) / 1000
                                + " secs)\n"
                                + what
                                + "\n"
                                + line);
    }
}
