package io.berth.simulator;

import static io.berth.simulator.Options.flag;
import static io.berth.simulator.Options.valued;

import io.berth.contracts.JobId;
import io.berth.contracts.event.Recorded;
import io.berth.core.placement.Verdict;
import io.berth.core.replay.Recordings;
import io.berth.core.replay.SnapshotAssembler.Snapshot;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.log.KafkaConnection;
import io.berth.simulator.Options.Option;
import io.berth.simulator.replay.KafkaCell;
import io.berth.simulator.replay.Period;
import io.berth.simulator.replay.Period.Again;
import io.berth.simulator.replay.RecordedCell;
import io.berth.slurm.SlurmDate;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// `berth replay`: does a cell's rounds again and proves that they decide the same; shows one of
/// them; lets another policy run over the jobs that came.
final class ReplayCommand {

    static final List<Option> OPTIONS =
            Stream.concat(
                            Stream.of(
                                    valued(
                                            "bootstrap-servers",
                                            "the broker; the mesh of this machine if not given"),
                                    valued("cell", "0 if not given"),
                                    valued("from", "rounds from then on: a time as Slurm takes it"),
                                    valued("to", "rounds before then"),
                                    valued(
                                            "round",
                                            "show that round: what came in, what was decided"),
                                    valued("why", "with --round: why that job waits after it"),
                                    flag("shadow", "run another policy over the jobs that came"),
                                    valued(
                                            "csv",
                                            "with --shadow: a file to write both starts of each job into"),
                                    flag(
                                            "follow",
                                            "with --shadow: go on with what comes, a line at a time"),
                                    valued(
                                            "every",
                                            "with --follow: seconds between lines at least: 60"),
                                    valued(
                                            "trace",
                                            "a folder to write that time into, for 'berth sim run'")),
                            Stream.concat(
                                    RunCommand.RULES.stream(),
                                    Stream.of(flag("help", "this text"))))
                    .toList();

    private static final String USAGE =
            """
            usage: berth replay [--from T] [--to T] [--round N [--why JOB]]
                   berth replay [--from T] [--to T] --shadow --policy P ... [--csv F | --follow]
                   berth replay [--from T] [--to T] --trace FOLDER

            %s
            With --shadow the other options say how the shadow decides, as with 'berth sim run'.
            """;

    private static final int LINE = 160;

    private static final Pattern TIME_OF_DAY = Pattern.compile("\\d{1,2}:.*");

    private final PrintStream out;
    private final PrintStream err;
    private final Function<String, String> environment;
    private final ZoneId zone;

    /// @param environment the value of a variable, "" if it is not set
    ReplayCommand(
            PrintStream out, PrintStream err, Function<String, String> environment, ZoneId zone) {
        this.out = out;
        this.err = err;
        this.environment = environment;
        this.zone = zone;
    }

    void run(List<String> words) throws SimFailure {
        Options options = Options.of(OPTIONS, words);
        if (options.has("help")) {
            var lines = new StringBuilder();
            OPTIONS.forEach(option -> lines.append(option.line()));
            out.print(String.format(Locale.ROOT, USAGE, lines));
            return;
        }
        String servers =
                options.value("bootstrap-servers", environment.apply("KAFKA_BOOTSTRAP_SERVERS"));
        if (servers.isEmpty()) {
            throw new SimFailure(
                    "no broker: is the mesh up ('berth up')? Else give --bootstrap-servers");
        }
        int cell = options.number("cell", 0, 0, 255);
        try {
            run(options, new KafkaCell(connection(servers)::consumer, cell));
        } catch (KafkaException e) {
            throw new SimFailure(servers + ": " + e.getMessage());
        }
    }

    /// As services are told of it, by the same variables.
    private KafkaConnection connection(String servers) {
        return KafkaConnection.of(name ->
                name.equals(KafkaConnection.BOOTSTRAP_SERVERS)
                        ? Optional.of(servers)
                        : Optional.of(environment.apply(variable(name)))
                                .filter(it -> !it.isEmpty()));
    }

    private static String variable(String setting) {
        return setting.replaceAll("[.-]", "_").toUpperCase(Locale.ROOT);
    }

    private static void check(Options options) throws SimFailure {
        options.needs("why", "round");
        options.excludes("round", "shadow");
        options.excludes("round", "trace");
        options.excludes("trace", "shadow");
        options.needs("csv", "shadow");
        options.needs("follow", "shadow");
        options.needs("every", "follow");
        options.excludes("follow", "csv");
        for (Option rule : RunCommand.RULES) {
            options.needs(rule.longName(), "shadow");
        }
    }

    void run(Options options, RecordedCell cell) throws SimFailure {
        check(options);
        var period =
                new Period(cell, time(options, "from", 0), time(options, "to", Long.MAX_VALUE));
        try {
            Snapshot snapshot =
                    period.snapshot()
                            .orElseThrow(() ->
                                    new SimFailure(
                                            "there is no snapshot to begin with: placement writes one after its first round, see berth.placement.snapshot-interval"));
            if (options.has("round")) {
                show(period, snapshot, options);
            } else if (options.has("shadow") || options.has("trace")) {
                shadow(new Shadow(period, snapshot, RunCommand.rules(options), out, err), options);
            } else {
                verify(period, snapshot);
            }
        } catch (Period.Unreadable e) {
            throw new SimFailure(String.valueOf(e.getMessage()));
        }
    }

    private void shadow(Shadow shadow, Options options) throws SimFailure {
        String csv = options.value("csv");
        if (options.has("trace")) {
            shadow.export(options.file("trace"));
        } else if (options.has("follow")) {
            shadow.follow(options.number("every", 60, 0, 86_400), zone);
        } else {
            shadow.compare(csv == null ? null : Path.of(csv));
        }
    }

    private long time(Options options, String name, long otherwise) throws SimFailure {
        String text = options.value(name);
        if (text == null) {
            return otherwise;
        }
        OptionalLong time = past(text, Instant.now().atZone(zone));
        return time.orElseThrow(() -> new SimFailure("--" + name + ": '" + text + "' is no time"));
    }

    /// A time of day is the last one that there was: a log has no other.
    static OptionalLong past(String text, ZonedDateTime now) {
        return SlurmDate.parse(text, TIME_OF_DAY.matcher(text).matches() ? now.minusDays(1) : now);
    }

    /// What all rounds came to.
    private static final class Count {
        long rounds;
        long inputs;
        long decisions;
        long first;
        long last;
        long firstAt;
        long lastAt;
        @Nullable Again other;

        boolean see(Again again) {
            long round = again.round().decided().round();
            if (rounds++ == 0) {
                first = round;
                firstAt = again.round().decided().at();
            }
            last = round;
            lastAt = again.round().decided().at();
            inputs += again.round().inputs().size();
            decisions += again.now().size();
            other = again.same() ? null : again;
            return again.same();
        }
    }

    private void verify(Period period, Snapshot snapshot) throws SimFailure {
        var count = new Count();
        String gap = period.replay(snapshot, count::see).orElse(null);
        if (count.rounds == 0) {
            throw new SimFailure("no round of that time is in the log");
        }
        Again other = count.other;
        if (other != null) {
            print(other);
            throw new SimFailure(
                    other.difference() + ": the digest was " + other.round().decided().digest());
        }
        out.printf(
                Locale.ROOT,
                "Rounds %d to %d (%s to %s), from the snapshot of round %d: %d inputs, %d decisions, all the same.%n",
                count.first,
                count.last,
                time(count.firstAt),
                time(count.lastAt),
                snapshot.round(),
                count.inputs,
                count.decisions);
        if (gap != null) {
            err.println("berth replay: " + gap);
        }
    }

    private void show(Period period, Snapshot snapshot, Options options) throws SimFailure {
        int number = options.number("round", 0, 1, Integer.MAX_VALUE);
        var found = new @Nullable Again[1];
        period.replay(
                snapshot,
                again -> {
                    boolean wanted = again.round().decided().round() == number;
                    found[0] = wanted || !again.same() ? again : null;
                    return found[0] == null;
                });
        Again again = found[0];
        if (again == null) {
            throw new SimFailure("round " + number + " is not in the log after that snapshot");
        }
        String job = options.value("why");
        if (again.round().decided().round() != number || (job != null && !again.same())) {
            throw new SimFailure(Shadow.refusal(again));
        }
        if (job == null) {
            print(again);
        } else {
            explain(again, job);
        }
    }

    private void print(Again again) {
        out.printf(
                Locale.ROOT,
                "Round %d at %s, pass %s, %s%n",
                again.round().decided().round(),
                time(again.round().decided().at()),
                again.round().decided().pass() == null ? "none" : again.round().decided().pass(),
                again.same() ? "the same again" : "decided otherwise now");
        for (Input input : again.round().inputs()) {
            Recordings.of(input).forEach(it -> line("took   ", it));
        }
        for (Fact fact : again.now()) {
            switch (fact) {
                case Fact.Announced(var event) -> out.println("decided " + cut(event.toString()));
                case Fact.Ordered(var order) -> out.println("ordered " + cut(order.toString()));
                case Fact.JobForgotten(var job) -> out.println("forgot job " + job);
                default -> Recordings.of(fact).forEach(it -> line("decided", it));
            }
        }
    }

    private void line(String what, Recorded recorded) {
        out.println(what + " " + cut(recorded.type() + " " + recorded.event()));
    }

    private static String cut(String text) {
        return text.length() <= LINE ? text : text.substring(0, LINE) + " …";
    }

    private void explain(Again again, String job) throws SimFailure {
        if (!job.matches("[1-9][0-9]{0,17}")) {
            throw new SimFailure("--why: '" + job + "' is no number of a job");
        }
        Verdict verdict =
                again.replay()
                        .explain(new JobId(Long.parseLong(job)), again.round().decided().at())
                        .orElseThrow(() ->
                                new SimFailure(
                                        "job "
                                                + job
                                                + " does not wait for resources after that round"));
        verdict.stages()
                .forEach(stage ->
                        out.printf(
                                Locale.ROOT,
                                "%-12s %d nodes, %d GPUs free%n",
                                stage.question(),
                                stage.nodes(),
                                stage.gpus()));
        verdict.changes()
                .forEach(change ->
                        out.printf(
                                Locale.ROOT,
                                "would start with %s %s instead of %s%n",
                                change.axis(),
                                change.to(),
                                change.from()));
        if (verdict.planned() != null) {
            out.println("expected to start by " + time(verdict.planned().start()));
        }
        if (verdict.unplanned() != null) {
            out.println("no expected start: " + verdict.unplanned().cause());
        }
    }

    private String time(long millis) {
        return Shadow.time(millis, zone);
    }
}
