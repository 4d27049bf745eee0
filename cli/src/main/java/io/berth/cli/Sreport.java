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
import java.util.OptionalLong;

/// `sreport`: who used how much in a time, from the books.
///
/// Source: sreport(1); the layouts are those of Slurm 22.05.
final class Sreport implements Command {

    private static final int TOP = 10;
    private static final String SIZES = "job SizesByAccount";

    private static final List<CliOption> OPTIONS =
            Table.options(
                    valued("tres", 'T', "resources, such as cpu,gres/gpu,gres/gpu:a100,billing"),
                    valued("time", 't', "Seconds, Minutes or Hours"),
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
        Clause clause = Clause.of(operands.subList(Math.min(2, operands.size()), operands.size()));
        long end = time(terminal, clause, "end", midnight(terminal));
        long start = time(terminal, clause, "start", end - 86_400_000);
        if (start >= end) {
            throw CommandFailure.error(
                    "sreport",
                    "the start is not before the end, which is "
                            + Dates.iso(end, terminal.zone().get(), ""));
        }
        if (name(operands).equalsIgnoreCase(SIZES)) {
            return sizes(terminal, words, clause, start, end);
        }
        ReportRows.Kind kind = kind(operands);
        if (kind == ReportRows.Kind.OUTCOMES && (words.has("tres") || words.has("time"))) {
            throw CommandFailure.error(
                    "sreport", "job Outcomes tells of jobs, not of resources: leave out -T and -t");
        }
        Unit unit = unit(words.value("time", "Minutes"));
        MeshClient client = MeshClient.of(terminal, "sreport");
        JsonObject answer =
                client.accounting(
                        new Query(kind.path())
                                .with("start", List.of(start))
                                .with("end", List.of(end))
                                .toString());
        JsonObject document = client.accounting("/v1/configuration").object("document");
        List<String> tres = words.has("tres") ? words.list("tres") : List.of("cpu");
        var rows = new ReportRows(document, kind.rows(answer), clause, unit, terminal.zone().get());
        if (!words.has("noheader")) {
            head(
                    terminal,
                    kind.title(),
                    kind == ReportRows.Kind.OUTCOMES
                            ? "Parts of the jobs that ended on a day"
                            : "Usage reported in TRES " + unit.title(),
                    start,
                    end);
        }
        var values = new ArrayList<List<String>>();
        for (String resource : tres) {
            values.addAll(rows.of(kind, resource, top(clause)));
        }
        Table table = kind.table(words.has("tres"));
        table.print(terminal.out(), words, kind.table(true), values);
        return 0;
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
        sizes.table().print(terminal.out(), words, sizes.table(), sizes.lines());
        return 0;
    }

    private static String name(List<String> operands) {
        return operands.size() < 2 ? "" : operands.get(0) + " " + operands.get(1);
    }

    private static ReportRows.Kind kind(List<String> operands) throws CommandFailure {
        String name = name(operands);
        if (name.toLowerCase(Locale.ROOT).contains("wckey")) {
            throw CommandFailure.error(
                    "sreport",
                    name
                            + " is not supported: jobs have no WCKeys here; accounts and comments tell them apart");
        }
        for (ReportRows.Kind kind : ReportRows.Kind.values()) {
            if (kind.words().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
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
        for (Unit unit : Unit.values()) {
            if (unit.title().toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT))) {
                return unit;
            }
        }
        throw CommandFailure.error(
                "sreport",
                "Invalid time format: " + name + "; Seconds, Minutes and Hours are known");
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
