package io.berth.simulator;

import io.berth.core.replay.SnapshotAssembler.Snapshot;
import io.berth.simulator.replay.History;
import io.berth.simulator.replay.Period;
import io.berth.simulator.replay.Period.Again;
import io.berth.simulator.run.Groups;
import io.berth.simulator.run.Groups.Ran;
import io.berth.simulator.run.Outcome;
import io.berth.simulator.run.RunReport;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.run.Summary;
import io.berth.simulator.trace.TraceFiles;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Another policy over the jobs of a recorded cell, beside what became of them: once over a time of
/// the log, or again and again while the log grows.
final class Shadow {

    private static final String HEADER =
            """
            %-19s %7s %19s %19s %13s %13s %15s
            %-19s %7s %19s %19s %13s %13s %15s
            """
                    .formatted(
                            "",
                            "",
                            "wait mean s",
                            "wait p95 s",
                            "GPUs in use %",
                            "scattered %",
                            "most overtaken",
                            "",
                            "jobs",
                            "was    shadow",
                            "was    shadow",
                            "was shadow",
                            "was shadow",
                            "was  shadow");

    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);

    private final Period period;
    private final Snapshot snapshot;
    private final Rules rules;
    private final PrintStream out;
    private final PrintStream err;
    private final History history;
    private @Nullable Again last;
    private @Nullable Again other;

    /// Both ways, over the same jobs.
    private record Both(int nodes, long gpus, Summary was, Ran shadow) {}

    /// @param err where it is said that a round is missing
    Shadow(Period period, Snapshot snapshot, Rules rules, PrintStream out, PrintStream err) {
        this.period = period;
        this.snapshot = snapshot;
        this.rules = rules;
        this.out = out;
        this.err = err;
        this.history = new History(Math.max(period.from(), snapshot.at()));
    }

    /// A history that this engine tells otherwise is not what became of the jobs.
    private boolean see(Again again) {
        if (again.same()) {
            history.add(again.now());
            last = again;
        } else {
            other = again;
        }
        return again.same();
    }

    private void refuseOthers() throws SimFailure {
        if (other != null) {
            throw new SimFailure(refusal(other));
        }
    }

    static String refusal(Again other) {
        return other.difference() + ": give a --from after the next snapshot";
    }

    private List<TraceNode> nodes() {
        return last == null ? List.of() : History.nodes(last.replay().state());
    }

    private Both both() {
        List<TraceNode> nodes = nodes();
        long gpus = nodes.stream().mapToLong(TraceNode::gpus).sum();
        return new Both(
                nodes.size(),
                gpus,
                Summary.of("", nodes.size(), gpus, history.outcomes()),
                Groups.together(history.jobs(), nodes).run(rules, _ -> {}));
    }

    /// Reads the time and prints as it was, and as it would have been.
    ///
    /// @param csv where the starts of each job go, if anywhere
    void compare(@Nullable Path csv) throws SimFailure {
        read();
        PreemptionOptions.checkGroups(rules.givingWay(), history.jobs());
        Both both = both();
        out.printf(
                Locale.ROOT,
                "As it was: %d jobs on %d nodes with %d GPUs%n",
                both.was.jobs(),
                both.nodes,
                both.gpus);
        out.print(new RunReport("recorded", "", both.was, List.of(), List.of()).table());
        out.println("The shadow, simulated: " + RunCommand.describe(rules, 1));
        out.print(new RunReport("shadow", "", both.shadow.all(), List.of(), List.of()).table());
        if (csv != null) {
            write(csv, starts(both.shadow.outcomes()));
        }
    }

    private void read() throws SimFailure {
        period.replay(snapshot, this::see).ifPresent(gap -> err.println("berth replay: " + gap));
        refuseOthers();
        if (history.jobs().isEmpty()) {
            throw new SimFailure("no job of that time was submitted, ran and ended");
        }
    }

    private String starts(List<Outcome> shadow) {
        Map<String, Long> shadows = new HashMap<>();
        shadow.forEach(it -> shadows.put(it.job().id(), it.start()));
        var lines = new StringBuilder("job_id,submit_s,duration_s,gpus,start_s,shadow_start_s\n");
        for (Outcome it : history.outcomes()) {
            TraceJob job = it.job();
            lines.append(
                    String.join(
                            ",",
                            job.id(),
                            TraceFiles.seconds(job.submitMillis()),
                            TraceFiles.seconds(job.durationMillis()),
                            String.valueOf(job.gpus()),
                            TraceFiles.seconds(it.start()),
                            TraceFiles.seconds(shadows.getOrDefault(job.id(), -1L))));
            lines.append('\n');
        }
        return lines.toString();
    }

    /// Reads the time and writes its jobs and nodes as `berth sim run` takes them.
    void export(Path folder) throws SimFailure {
        read();
        write(folder.resolve("jobs.csv"), TraceFiles.jobs(history.jobs()));
        write(folder.resolve("nodes.csv"), TraceFiles.nodes(nodes()));
        out.printf(Locale.ROOT, "%d jobs, %d nodes%n", history.jobs().size(), nodes().size());
    }

    private static void write(Path file, String text) throws SimFailure {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new SimFailure("cannot write " + file + ": " + e.getMessage());
        }
    }

    /// Reads the log as it grows, and prints a line of the comparison when jobs have ended, at most
    /// every so often. It ends when a round is missing.
    void follow(long everySeconds, ZoneId zone) throws SimFailure {
        out.println("The shadow, simulated: " + RunCommand.describe(rules, 1));
        out.print(HEADER);
        out.flush();
        long every = TimeUnit.SECONDS.toNanos(everySeconds);
        long[] printed = {0, System.nanoTime() - every};
        String gap =
                period.follow(
                                snapshot,
                                this::see,
                                () -> {
                                    if (history.jobs().size() > printed[0]
                                            && System.nanoTime() - printed[1] >= every) {
                                        printed[0] = history.jobs().size();
                                        printed[1] = System.nanoTime();
                                        print(both(), zone);
                                    }
                                    return true;
                                })
                        .orElse(null);
        refuseOthers();
        if (gap != null) {
            throw new SimFailure(gap);
        }
    }

    private void print(Both both, ZoneId zone) {
        Again seen = last;
        Summary was = both.was;
        Summary is = both.shadow.all();
        out.printf(
                Locale.ROOT,
                "%-19s %7d %9.1f %9.1f %9.1f %9.1f %6.1f %6.1f %6.1f %6.1f %7.0f %7.0f%n",
                seen == null ? "" : time(seen.round().decided().at(), zone),
                was.jobs(),
                was.waits().mean(),
                is.waits().mean(),
                was.waits().p95(),
                is.waits().p95(),
                was.use(),
                is.use(),
                was.fragmented(),
                is.fragmented(),
                was.overtaken().max(),
                is.overtaken().max());
        out.flush();
    }

    static String time(long millis, ZoneId zone) {
        return SECOND.format(Instant.ofEpochMilli(millis).atZone(zone));
    }
}
