package io.berth.core.preemption;

import io.berth.contracts.Amendment;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Verdict;
import io.berth.core.placement.Verdict.Exempt;
import io.berth.core.placement.Verdict.Exemption;
import io.berth.core.placement.Verdict.Preemption;
import io.berth.core.placement.Verdict.Victim;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A cell that obeys the lines of a case. Words of a line are `name` or `key=value`; jobs are `3`,
/// `1-8` or `1-4,9`. After each line time acts and jobs are placed until nothing changes; what is
/// launched starts at once.
final class ScriptedCell {

    private final TestCell cell = new TestCell();
    private final long begin = cell.now;
    private final ScriptedConfiguration configuration = new ScriptedConfiguration();
    private boolean configured;

    void take(String line) {
        List<String> all = List.of(line.split("\\s+"));
        Words words = Words.of(all.subList(1, all.size()));
        if (!configuration.takes(all.getFirst(), words)) {
            act(all.getFirst(), words);
        }
    }

    private void act(String verb, Words words) {
        configure();
        switch (verb) {
            case "node" ->
                    cell.node(
                            words.first(),
                            words.number("cpus", 16),
                            words.number("gpus", 0),
                            words.named().getOrDefault("type", "a100"));
            case "at" -> cell.now = begin + 1000 * Long.parseLong(words.first());
            case "submit" ->
                    jobs(words.first())
                            .forEach(id -> cell.submit(id, ScriptedJob.of(words, begin)));
            case "cancel" -> jobs(words.first()).forEach(cell::cancel);
            case "move" -> jobs(words.first()).forEach(id -> move(id, words));
            case "end" -> jobs(words.first()).forEach(id -> end(id, Cause.EXITED));
            case "gone" -> jobs(words.first()).forEach(id -> end(id, Cause.STOPPED));
            case "stopped" -> jobs(words.first()).forEach(this::stopped);
            case "unable" -> jobs(words.first()).forEach(this::unable);
            case "saved" -> saved(Long.parseLong(words.first()), words);
            case "suspend" -> jobs(words.first()).forEach(this::suspend);
            case "silent" -> hear(words.first(), Presence.SILENT);
            case "heard" -> hear(words.first(), Presence.UP);
            default -> throw new IllegalArgumentException("no such verb: " + verb);
        }
        settle();
    }

    private void hear(String node, Presence presence) {
        cell.take(new Input.PresenceChanged(new NodeName(node), presence));
    }

    private void settle() {
        for (int rounds = 0; rounds < 9 && !cell.round().isEmpty(); rounds++) {
            for (JobId id : List.copyOf(cell.state.holding())) {
                JobStatus job = cell.state.knownJob(id);
                Run run = job.run();
                if (run != null && run.startedAt() == 0 && run.outcome() == null) {
                    eachNode(run, node -> cell.ready(id.value(), run.lease(), node));
                    eachNode(run, node -> cell.started(id.value(), run.lease(), node));
                }
            }
        }
    }

    private static void eachNode(Run run, Consumer<String> act) {
        run.allocations().forEach(it -> act.accept(it.node().value()));
    }

    private void configure() {
        if (!configured) {
            configured = true;
            cell.take(new Input.Configured(configuration.whole()));
        }
    }

    private void move(long id, Words words) {
        cell.ask(
                new Submission.Amended(
                        new JobId(id),
                        "root",
                        new Amendment(
                                null,
                                words.named().get("partition"),
                                words.named().get("qos"),
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null)));
    }

    private void suspend(long id) {
        cell.ask(new Submission.SuspendRequested(new JobId(id), "root"));
    }

    private void end(long id, Cause cause) {
        Run run = run(id);
        eachNode(run, node -> cell.ended(id, run.lease(), node, cause, 0));
    }

    private void stopped(long id) {
        Run run = run(id);
        int nth = run.standstill().count();
        eachNode(
                run,
                node -> {
                    var part = TestCell.run(id, run.lease());
                    var report = new RunReport.Suspended(part, new NodeName(node), 1, 1, nth);
                    cell.take(new Input.Reported(report));
                });
    }

    private void unable(long id) {
        Run run = run(id);
        int nth = run.standstill().count();
        eachNode(
                run,
                node -> {
                    var part = TestCell.run(id, run.lease());
                    var name = new NodeName(node);
                    cell.take(
                            new Input.Reported(
                                    new RunReport.NotSuspended(
                                            part, name, 1, 1, nth, "no freezer")));
                });
    }

    private void saved(long id, Words words) {
        Run run = run(id);
        long age = 1000 * Long.parseLong(words.plain().get(1));
        eachNode(
                run,
                node -> {
                    var part = TestCell.run(id, run.lease());
                    var name = new NodeName(node);
                    cell.take(
                            new Input.Reported(
                                    new RunReport.CheckpointSaved(part, name, 1, 1, age)));
                });
    }

    /// The GPU-seconds that are lost with a job that last gave way.
    String lost(long id) {
        return TestCell.events(cell.facts).stream()
                .filter(it -> it.job().value() == id)
                .filter(JobEvent.Preempted.class::isInstance)
                .map(it -> Long.toString(((JobEvent.Preempted) it).lostGpuMillis() / 1000))
                .reduce("nothing", (_, last) -> last);
    }

    private Run run(long id) {
        return Objects.requireNonNull(cell.job(id).run(), () -> "job " + id + " has no run");
    }

    private static List<Long> jobs(String text) {
        return Arrays.stream(text.split(","))
                .flatMap(item -> {
                    String[] ends = item.split("-");
                    int last = Integer.parseInt(ends[ends.length - 1]);
                    return IntStream.rangeClosed(Integer.parseInt(ends[0]), last).boxed();
                })
                .map(Integer::longValue)
                .toList();
    }

    /// Whose place a waiting job needs, then who does not give way for it, with the reasons: `1 2,
    /// not_below 3-5`. One with a time is `until` so many seconds after the begin.
    String why(long id) {
        Preemption why =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(id), cell.now)
                        .map(Verdict::preemption)
                        .orElseThrow();
        var text = new ArrayList<String>();
        for (Victim it : why.victims()) {
            text.add(
                    it.job()
                            + " "
                            + (it.exemption() == null
                                    ? "gives way"
                                    : word(it.exemption(), it.until())));
        }
        for (Exempt it : why.exempt()) {
            List<Long> jobs = it.named().stream().map(JobId::value).toList();
            text.add(word(it.exemption(), it.until()) + " " + ranges(jobs));
        }
        return String.join(", ", text);
    }

    private String word(Exemption exemption, @Nullable Long until) {
        return exemption.name().toLowerCase(Locale.ROOT)
                + (until == null ? "" : " until " + (until - begin) / 1000);
    }

    /// The seconds that an ending run has left.
    String left(long id) {
        Outcome outcome = Objects.requireNonNull(run(id).outcome());
        Long endsBy = Objects.requireNonNullElse(outcome.endsBy(), cell.now);
        return Long.toString((endsBy - cell.now) / 1000);
    }

    /// All jobs by how they stand: `running 1-7 9, ending 8`.
    String picture() {
        Map<String, List<Long>> by = new TreeMap<>();
        for (JobStatus job : cell.state.jobs()) {
            by.computeIfAbsent(standing(job), _ -> new ArrayList<>()).add(job.job().value());
        }
        return by.entrySet().stream()
                .map(it -> it.getKey() + " " + ranges(it.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String standing(JobStatus job) {
        Run run = job.run();
        if (job.clearing() != null) {
            return "clearing";
        }
        if (job.state() == JobState.RUNNING && run != null && stopping(run)) {
            return "stopping";
        }
        return switch (job.state()) {
            case PENDING -> "waiting";
            case COMPLETING -> "ending";
            default -> job.state().name().toLowerCase(Locale.ROOT);
        };
    }

    private static boolean stopping(Run run) {
        return run.standstill().current() != null;
    }

    private static String ranges(List<Long> ids) {
        var text = new StringBuilder();
        for (int i = 0; i < ids.size(); i++) {
            int last = i;
            while (last + 1 < ids.size() && ids.get(last + 1) == ids.get(last) + 1) {
                last++;
            }
            text.append(text.isEmpty() ? "" : " ").append(ids.get(i));
            if (last > i) {
                text.append('-').append(ids.get(last));
            }
            i = last;
        }
        return text.toString();
    }
}
