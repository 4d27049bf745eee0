package io.berth.core.preemption;

import io.berth.contracts.Amendment;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PreemptPolicy;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A cell that obeys the lines of a case. Words of a line are `name` or `key=value`; jobs are `3`,
/// `1-8` or `1-4,9`. After each line time acts and jobs are placed until nothing changes; what is
/// launched starts at once.
final class ScriptedCell {

    private final TestCell cell = new TestCell();
    private final long begin = cell.now;
    private final List<Function<Part, ConfigEntry>> entries = new ArrayList<>();
    private PreemptRules rules = PreemptRules.NONE;
    private boolean configured;
    private int revision = 1;

    /// A line after the verb.
    private record Words(List<String> plain, Map<String, String> named) {

        static Words of(List<String> words) {
            Map<String, String> named = new LinkedHashMap<>();
            var plain = new ArrayList<String>();
            for (String word : words) {
                int equals = word.indexOf('=');
                if (equals < 0) {
                    plain.add(word);
                } else {
                    named.put(word.substring(0, equals), word.substring(equals + 1));
                }
            }
            return new Words(plain, named);
        }

        int number(String key, int absent) {
            return Integer.parseInt(named.getOrDefault(key, Integer.toString(absent)));
        }

        @Nullable PreemptMode mode(String key) {
            String mode = named.get(key);
            return mode == null ? null : PreemptMode.valueOf(mode.toUpperCase(Locale.ROOT));
        }

        String text(String key) {
            return Objects.requireNonNull(named.get(key), () -> key + "= is missing");
        }

        String first() {
            return plain.getFirst();
        }
    }

    void take(String line) {
        List<String> all = List.of(line.split("\\s+"));
        Words words = Words.of(all.subList(1, all.size()));
        switch (all.getFirst()) {
            case "preempt" -> rules = rules(words);
            case "partition" -> entries.add(partition(words));
            case "qos" -> entries.add(qos(words));
            case "switch" -> entries.add(leaf(words));
            default -> act(all.getFirst(), words);
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
            case "submit" -> jobs(words.first()).forEach(id -> cell.submit(id, job(words)));
            case "cancel" -> jobs(words.first()).forEach(cell::cancel);
            case "move" -> jobs(words.first()).forEach(id -> move(id, words));
            case "end" -> jobs(words.first()).forEach(id -> end(id, Cause.EXITED));
            case "gone" -> jobs(words.first()).forEach(id -> end(id, Cause.STOPPED));
            case "stopped" -> jobs(words.first()).forEach(this::stopped);
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

    private static PreemptRules rules(Words words) {
        PreemptMode mode = words.mode("mode");
        PreemptMode gpuMode = words.mode("gpuMode");
        return new PreemptRules(
                PreemptRules.Type.valueOf(words.text("type").toUpperCase(Locale.ROOT)),
                mode == null ? PreemptMode.OFF : mode,
                words.plain().contains("gang"),
                gpuMode == null ? PreemptMode.REQUEUE : gpuMode,
                words.number("exempt", 0),
                words.plain().contains("youngest"),
                words.number("most", 0),
                words.number("gap", 0),
                words.number("delay", 0),
                words.number("slice", 30));
    }

    private static Function<Part, ConfigEntry> partition(Words words) {
        var rules =
                new PartitionRules(
                        PartitionRules.State.UP,
                        1,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        words.mode("mode"),
                        words.number("grace", 0),
                        false,
                        null);
        List<String> nodes = List.of(words.named().getOrDefault("nodes", "ALL").split(","));
        return part ->
                new ConfigEntry.Partition(
                        part,
                        words.first(),
                        false,
                        nodes,
                        0,
                        0,
                        0,
                        1,
                        words.number("tier", 1),
                        16,
                        rules);
    }

    private static Function<Part, ConfigEntry> qos(Words words) {
        String preempt = words.named().get("preempt");
        String exempt = words.named().get("exempt");
        var rules =
                new QosRules(
                        "",
                        List.of(),
                        1000,
                        words.number("grace", 0),
                        preempt == null ? List.of() : List.of(preempt.split(",")),
                        words.mode("mode"),
                        Limits.NONE,
                        exempt == null ? null : Long.valueOf(exempt));
        return part -> new ConfigEntry.Qos(part, words.first(), words.number("priority", 0), rules);
    }

    private static Function<Part, ConfigEntry> leaf(Words words) {
        List<String> nodes = List.of(words.text("nodes").split(","));
        return part -> new ConfigEntry.Switch(part, words.first(), nodes, List.of());
    }

    private void configure() {
        if (configured) {
            return;
        }
        configured = true;
        PreemptRules stated = rules;
        entries.addFirst(part ->
                new ConfigEntry.Cluster(
                        part,
                        "test",
                        "default",
                        "normal",
                        0,
                        604_800,
                        false,
                        new ConfigEntry.Weights(0, 0, 0, 0, 0),
                        new ConfigEntry.Prices(0, 0, 0, Map.of()),
                        null,
                        stated));
        var assembler = new ConfigurationAssembler();
        Optional<Configuration> whole = Optional.empty();
        revision++;
        for (int i = 0; i < entries.size(); i++) {
            whole = assembler.add(entries.get(i).apply(new Part(revision, i + 1, entries.size())));
        }
        cell.take(new Input.Configured(whole.orElseThrow()));
    }

    private static JobDescription job(Words words) {
        String[] place = words.plain().get(1).split(":");
        int nodes = words.number("nodes", 1);
        int switches = words.number("switches", 0);
        String policy = words.named().get("preempt");
        var request =
                new ResourceRequest(
                        nodes,
                        nodes,
                        words.number("cpus", 1),
                        MemoryRequest.perNode(words.number("memory", 16)),
                        new GpuRequest(words.number("gpus", 0), null),
                        new NodeConstraints(
                                null,
                                List.of(),
                                List.of(),
                                Sharing.SHARED,
                                switches == 0 ? null : new SwitchLimit(switches, 86_400L)));
        var description =
                new JobDescription(
                        "alice",
                        "team",
                        place[0],
                        place.length == 1 ? "normal" : place[1],
                        "job",
                        request,
                        LaunchMode.BATCH,
                        words.number("limit", 3600),
                        0,
                        !words.plain().contains("norequeue"));
        return policy == null
                ? description
                : description.on(
                        new JobTerms(
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                PreemptPolicy.valueOf(policy.toUpperCase(Locale.ROOT))));
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
