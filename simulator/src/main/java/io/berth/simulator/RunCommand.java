package io.berth.simulator;

import static io.berth.simulator.Options.flag;
import static io.berth.simulator.Options.valued;

import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.packing.Policies;
import io.berth.simulator.Options.Option;
import io.berth.simulator.run.AccountUse;
import io.berth.simulator.run.Estimates;
import io.berth.simulator.run.Groups;
import io.berth.simulator.run.Groups.Ran;
import io.berth.simulator.run.HtmlReport;
import io.berth.simulator.run.Order;
import io.berth.simulator.run.Outcome;
import io.berth.simulator.run.RunReport;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.BadLines;
import io.berth.simulator.trace.BadTrace;
import io.berth.simulator.trace.JobTrace;
import io.berth.simulator.trace.TraceFiles;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import io.berth.slurm.SlurmTime;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/// `berth sim run`: jobs of a trace on virtual time, decided by the live engine.
final class RunCommand {

    /// How it is decided.
    static final List<Option> RULES =
            Stream.concat(
                            Stream.of(
                                    valued(
                                            "policy",
                                            "who goes first: "
                                                    + String.join(", ", names(Order.values()))),
                                    valued(
                                            "packing",
                                            "which of the nodes with room is taken, tightest if not given: "
                                                    + String.join(", ", Policies.live())),
                                    valued(
                                            "backfill",
                                            "easy (so if not given), conservative or off"),
                                    valued(
                                            "depth",
                                            "jobs with an expected start, with conservative: 100"),
                                    valued("estimates", "actual, x3, limit, predicted or none"),
                                    valued(
                                            "half-life",
                                            "of usage, with fairshare: 14-0 (days-hours)")),
                            PreemptionOptions.OPTIONS.stream())
                    .toList();

    private static final List<Option> OPTIONS =
            Stream.of(
                            List.of(
                                    valued(
                                            "jobs",
                                            "the trace: CSV or Standard Workload Format (.swf), .gz"),
                                    valued("nodes", "the node list: CSV")),
                            RULES,
                            List.of(
                                    valued(
                                            "nodes-scale",
                                            "0.5 takes every other node, 2 each one twice"),
                                    flag(
                                            "by-group",
                                            "each group of jobs alone, on the nodes of its partition"),
                                    flag(
                                            "by-account",
                                            "also how each group fared that shares the nodes"),
                                    valued(
                                            "from",
                                            "jobs submitted from that second of the trace on"),
                                    valued("to", "jobs submitted before that second of the trace"),
                                    valued("csv", "a file to write what became of each job into"),
                                    valued("html", "a file to write a page with plots into"),
                                    valued("bad-lines", "refuse, as if not given, or skip"),
                                    flag("json", "JSON"),
                                    flag("help", "this text")))
                    .flatMap(List::stream)
                    .toList();

    private static final String USAGE =
            """
            usage: berth sim run --jobs F --nodes F [OPTION...]

            %s
            estimates: actual, as if not given, is the run time itself; x3 three times that; limit is the trace's
            time limit; predicted is learnt from jobs that have ended; none is nothing.
            tiers, preempt: who gives way, and how, is decided as on a live cluster (docs/preemption.md).
            """;

    private static final long PLAN_INTERVAL_MILLIS = TimeUnit.SECONDS.toMillis(30);
    private static final long PROGRESS_MILLIS = 2_000;

    private final PrintStream out;
    private final PrintStream err;

    RunCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    private static List<String> names(Enum<?>... of) {
        return Arrays.stream(of).map(it -> it.name().toLowerCase(Locale.ROOT)).toList();
    }

    void run(List<String> words) throws SimFailure, BadTrace {
        Options options = Options.of(OPTIONS, words);
        if (options.has("help")) {
            var lines = new StringBuilder();
            OPTIONS.forEach(option -> lines.append(option.line()));
            out.print(String.format(Locale.ROOT, USAGE, lines));
            return;
        }
        Rules rules = rules(options);
        Path jobFile = options.file("jobs");
        Path nodeFile = options.file("nodes");
        double scale = options.decimal("nodes-scale", 1, 1e-3, 1e3);
        BadLines bad = options.badLines();
        List<TraceJob> jobs = timed(JobTrace.read(jobFile, bad), options);
        List<TraceNode> nodes = scaled(TraceNode.read(nodeFile, bad), scale);
        bad.report(err);
        if (options.has("by-group") && options.has("by-account")) {
            throw new SimFailure("--by-account: with --by-group the groups share nothing");
        }
        if (options.has("by-group") && rules.givingWay().any()) {
            throw new SimFailure("--by-group: no group meets another one to take its place");
        }
        PreemptionOptions.checkGroups(rules.givingWay(), jobs);
        Groups groups =
                options.has("by-group") ? Groups.apart(jobs, nodes) : Groups.together(jobs, nodes);
        if (!groups.withoutNodes().isEmpty()) {
            throw new SimFailure(
                    nodeFile
                            + " has no nodes of partition "
                            + String.join(", ", groups.withoutNodes()));
        }
        Ran ran = groups.run(rules, progress(jobs.size()));
        String file = options.value("csv");
        if (file != null) {
            write(Path.of(file), ran.outcomes());
        }
        var report =
                new RunReport(
                        String.valueOf(jobFile.getFileName()),
                        describe(rules, scale),
                        ran.all(),
                        ran.groups(),
                        options.has("by-account")
                                ? AccountUse.of(ran.outcomes(), nodes)
                                : List.of());
        String page = options.value("html");
        if (page != null) {
            write(Path.of(page), new HtmlReport(report, ran.outcomes()).html());
        }
        out.print(options.has("json") ? report.json() : report.text());
    }

    private static void write(Path file, String text) throws SimFailure {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new SimFailure("cannot write " + file + ": " + e.getMessage());
        }
    }

    static Rules rules(Options options) throws SimFailure {
        Order order =
                Order.valueOf(
                        options.choice("policy", names(Order.values())).toUpperCase(Locale.ROOT));
        Backfill backfill =
                Backfill.valueOf(
                        options.choice("backfill", List.of("easy", "conservative", "off"))
                                .toUpperCase(Locale.ROOT));
        int depth = options.number("depth", 100, 1, 1_000_000);
        String packing =
                Options.allowed("packing", options.value("packing", "tightest"), Policies.live());
        return new Rules(
                new Settings(backfill, depth, Policies.TIGHTEST),
                packing,
                order,
                estimates(options.value("estimates", "actual")),
                PLAN_INTERVAL_MILLIS,
                halfLife(options.value("half-life", "14-0")),
                PreemptionOptions.read(options));
    }

    private static HalfLife halfLife(String text) throws SimFailure {
        return HalfLife.ofSeconds(
                SlurmTime.parseLimit(text)
                        .orElseThrow(() ->
                                new SimFailure(
                                        "--half-life: '"
                                                + text
                                                + "' is no time, such as 7-0 for seven days")));
    }

    private static Estimates estimates(String word) throws SimFailure {
        return switch (word) {
            case "actual" -> Estimates.EXACT;
            case "limit" -> new Estimates(Estimates.Source.LIMIT, 1);
            case "predicted" -> new Estimates(Estimates.Source.PREDICTED, 1);
            case "none" -> new Estimates(Estimates.Source.NONE, 1);
            default -> {
                if (!word.matches("x[1-9][0-9]{0,3}")) {
                    throw new SimFailure(
                            "--estimates: '"
                                    + word
                                    + "' is none of actual, x1 to x9999, limit, predicted, none");
                }
                yield new Estimates(Estimates.Source.ACTUAL, Integer.parseInt(word.substring(1)));
            }
        };
    }

    static String describe(Rules rules, double scale) {
        Settings settings = rules.settings();
        String depth =
                settings.backfill() == Backfill.CONSERVATIVE ? " of depth " + settings.depth() : "";
        String times = rules.estimates().factor() > 1 ? " x" + rules.estimates().factor() : "";
        return String.format(
                Locale.ROOT,
                "order %s, backfill %s%s, estimates %s%s, nodes x%s%s%s",
                rules.order().name().toLowerCase(Locale.ROOT),
                settings.backfill().name().toLowerCase(Locale.ROOT),
                depth,
                rules.estimates().source().name().toLowerCase(Locale.ROOT),
                times,
                scale,
                rules.packing().equals("tightest") ? "" : ", packing " + rules.packing(),
                rules.givingWay().any() ? ", " + rules.givingWay() : "");
    }

    /// Jobs with known times, of the period that is wanted.
    private List<TraceJob> timed(List<TraceJob> jobs, Options options) throws SimFailure {
        long from = options.number("from", 0, 0, Integer.MAX_VALUE) * 1000L;
        long to = options.number("to", Integer.MAX_VALUE, 0, Integer.MAX_VALUE) * 1000L;
        var timed = new ArrayList<TraceJob>();
        int untimed = 0;
        for (TraceJob job : jobs) {
            if (job.submitMillis() < 0 || job.durationMillis() < 0) {
                untimed++;
            } else if (job.submitMillis() >= from && job.submitMillis() < to) {
                timed.add(job);
            }
        }
        if (untimed > 0) {
            err.print("left out " + untimed + " jobs without a time of submission or a run time\n");
        }
        if (timed.isEmpty()) {
            throw new SimFailure("no job to run: none with known times in that period");
        }
        return timed;
    }

    private static List<TraceNode> scaled(List<TraceNode> nodes, double scale) throws SimFailure {
        var scaled = new ArrayList<TraceNode>();
        for (int i = 0; i < nodes.size(); i++) {
            for (long copy = (long) (i * scale); copy < (long) ((i + 1) * scale); copy++) {
                scaled.add(nodes.get(i));
            }
        }
        if (scaled.isEmpty()) {
            throw new SimFailure("--nodes-scale leaves no node");
        }
        return scaled;
    }

    private IntConsumer progress(int jobs) {
        long[] due = {System.currentTimeMillis() + PROGRESS_MILLIS};
        return ended -> {
            synchronized (due) {
                long now = System.currentTimeMillis();
                if (now >= due[0]) {
                    due[0] = now + PROGRESS_MILLIS;
                    err.print("berth sim: " + ended + " of " + jobs + " jobs have ended\n");
                    err.flush();
                }
            }
        };
    }

    private static void write(Path file, List<Outcome> outcomes) throws SimFailure {
        try (var csv = new PrintWriter(Files.newBufferedWriter(file))) {
            csv.print(
                    "job_id,group,gpus,submit_s,start_s,end_s,wait_s,expected_start_s,backfilled\n");
            for (Outcome outcome : outcomes) {
                TraceJob job = outcome.job();
                csv.print(job.id() + "," + job.group() + "," + job.gpus());
                csv.print("," + TraceFiles.seconds(job.submitMillis()));
                csv.print("," + TraceFiles.seconds(outcome.start()));
                csv.print("," + (outcome.ran() ? TraceFiles.seconds(outcome.end()) : ""));
                csv.print("," + (outcome.ran() ? TraceFiles.seconds(outcome.waitMillis()) : ""));
                csv.print("," + TraceFiles.seconds(outcome.promised()));
                csv.print("," + outcome.backfilled() + "\n");
            }
        } catch (IOException e) {
            throw new SimFailure("cannot write " + file + ": " + e.getMessage());
        }
    }
}
