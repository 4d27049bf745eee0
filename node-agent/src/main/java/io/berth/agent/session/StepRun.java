package io.berth.agent.session;

import io.berth.agent.session.StepLayout.Asked;
import io.berth.agent.session.StepLayout.Held;
import io.berth.agent.session.StepLayout.Impossible;
import io.berth.agent.session.StepLayout.OnNode;
import io.berth.slurm.HostList;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// A step over several nodes: `berth-session --step NAME=VALUE… -- WORDS` starts `srun WORDS` once
/// on each of its nodes, on this one as a process of its own and on the others through the gateway,
/// and ends with the highest of their exit codes. Signals come as names, a line each, from a pipe.
final class StepRun {

    private static final String RESET = "--default-signal=HUP,INT,TERM,USR1,USR2";
    private static final int FAILED = 1;

    /// Tasks of a step whose nodes are told one by one: a variable has 128 KiB at most, and of more
    /// tasks `srun` tells nobody where they meet.
    private static final int MOST_HOSTS = 1000;

    private final Map<String, String> settings;
    private final List<String> words;
    private final Map<String, String> environment;
    private final List<NodePart> parts = new ArrayList<>();
    private boolean ending;

    private StepRun(
            Map<String, String> settings, List<String> words, Map<String, String> environment) {
        this.settings = settings;
        this.words = words;
        this.environment = environment;
    }

    /// @param arguments what follows `--step`
    /// @return the exit code
    static int run(List<String> arguments, Map<String, String> environment)
            throws IOException, InterruptedException {
        int end = arguments.indexOf("--");
        var settings = new HashMap<String, String>();
        for (String setting : arguments.subList(0, end)) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        var step = new StepRun(settings, arguments.subList(end + 1, arguments.size()), environment);
        try {
            List<Held> job = held(environment);
            StepLayout layout = StepLayout.of(step.asked(), job);
            step.claim(layout, job);
            return step.run(layout);
        } catch (Impossible e) {
            System.err.println("srun: error: " + e.getMessage());
            return FAILED;
        }
    }

    private Asked asked() throws Impossible {
        return new Asked(
                number("nodes"),
                number("tasks"),
                number("perNode"),
                Math.max(1, number("cpus")),
                number("relative"),
                hosts("nodelist"),
                hosts("exclude"),
                settings.getOrDefault("distribution", ""));
    }

    private int number(String name) throws Impossible {
        String text = settings.getOrDefault(name, "");
        if (!text.matches("\\d{0,9}")) {
            throw new Impossible("--%s is a number, not '%s'".formatted(name, text));
        }
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    private List<String> hosts(String name) throws Impossible {
        String text = settings.getOrDefault(name, "");
        try {
            return text.isEmpty() ? List.of() : HostList.expand(text);
        } catch (IllegalArgumentException e) {
            throw new Impossible("--%s is a list of nodes, not '%s'".formatted(name, text));
        }
    }

    /// The job's nodes in its order, as `BERTH_STEP_NODES` tells them: `name:tasks:cpus,…`.
    static List<Held> held(Map<String, String> environment) throws Impossible {
        var held = new ArrayList<Held>();
        for (String node : environment.getOrDefault("BERTH_STEP_NODES", "").split(",")) {
            String[] parts = node.split(":");
            if (parts.length != 3 || !(parts[1] + parts[2]).matches("\\d{2,18}")) {
                throw new Impossible("BERTH_STEP_NODES is not as the job was given it");
            }
            held.add(new Held(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2])));
        }
        return held;
    }

    /// Tells the steps that come after which CPUs of which nodes this one has, where `srun` left
    /// the choice of nodes to this process: in the file `claims`, a line for each node.
    private void claim(StepLayout layout, List<Held> job) throws IOException {
        String file = settings.getOrDefault("claims", "");
        if (file.isEmpty()) {
            return;
        }
        boolean exact = !settings.getOrDefault("exact", "").isEmpty();
        int each = Integer.parseInt(settings.getOrDefault("cpus", "1"));
        var lines = new ArrayList<String>();
        for (OnNode node : layout.nodes()) {
            job.stream()
                    .filter(it -> it.name().equals(node.name()))
                    .mapToInt(it -> exact ? node.ranks().size() * each : it.cpus())
                    .forEach(cpus -> lines.add(node.name() + " " + cpus + " 0"));
        }
        Files.write(Path.of(file), lines, StandardOpenOption.APPEND);
    }

    /// The command with signals as they are by default, which this process ignores and would hand
    /// on so.
    static List<String> reachable(List<String> command) throws InterruptedException {
        if (!Terminal.succeeds(List.of("env", RESET, "true"))) {
            return command;
        }
        var reset = new ArrayList<>(List.of("env", RESET));
        reset.addAll(command);
        return reset;
    }

    private int run(StepLayout layout) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(settings.getOrDefault("srun", "srun"));
        command.addAll(words);
        // Another component's part is the other run's, even on this node.
        String here =
                settings.getOrDefault("component", "").isEmpty()
                        ? environment.getOrDefault("SLURMD_NODENAME", "")
                        : "";
        for (OnNode node : layout.nodes()) {
            var variables = new HashMap<>(environment);
            variables.put("BERTH_PART", part(layout, node));
            hosts(layout).ifPresent(it -> variables.put("BERTH_HOSTS", it));
            boolean first = node.ranks().contains(0);
            parts.add(
                    node.name().equals(here)
                            ? new NodePart.Here(reachable(command), variables, first)
                            : new NodePart.There(
                                    node.name(),
                                    new StepPart(
                                            Path.of("").toAbsolutePath().toString(),
                                            variables,
                                            withLocalName(command)),
                                    first));
        }
        parts.forEach(NodePart::start);
        // Not a virtual one, which to open a pipe would hold its carrier: in a job of one CPU the
        // only one.
        Thread.ofPlatform().daemon().start(this::passSignals);
        return worst();
    }

    /// The node of each task, for `srun`.
    static Optional<String> hosts(StepLayout layout) {
        return layout.tasks() > MOST_HOSTS
                ? Optional.empty()
                : Optional.of(String.join(",", layout.hosts()));
    }

    /// The command as another node finds it, by its `PATH`.
    private static List<String> withLocalName(List<String> command) {
        var named = new ArrayList<>(command);
        named.set(0, "srun");
        return named;
    }

    /// What `BERTH_PART` says to `srun` on a node.
    private String part(StepLayout layout, OnNode node) {
        List<String> names = layout.nodes().stream().map(OnNode::name).toList();
        return String.join(
                " ",
                settings.getOrDefault("id", "0"),
                Integer.toString(layout.nodes().indexOf(node)),
                node.ranks().stream().map(String::valueOf).collect(Collectors.joining(",")),
                Integer.toString(layout.tasks()),
                Integer.toString(names.size()),
                HostList.inOrder(names),
                layout.tasksPerNode());
    }

    /// Waits for all; a part that fails takes the others along where that is asked, and one that
    /// could not be started in any case.
    private int worst() {
        boolean together = !settings.getOrDefault("kill", "").isEmpty();
        for (NodePart part : parts) {
            var unused =
                    part.exit()
                            .thenAccept(code -> {
                                if (code != 0 && (together || part.lost())) {
                                    endAll();
                                }
                            });
        }
        return parts.stream().mapToInt(part -> part.exit().join()).max().orElse(FAILED);
    }

    private synchronized void endAll() {
        if (!ending) {
            ending = true;
            parts.forEach(part -> part.signal("TERM"));
        }
    }

    private void passSignals() {
        try (BufferedReader pipe =
                Files.newBufferedReader(
                        Path.of(settings.getOrDefault("signals", "")), StandardCharsets.US_ASCII)) {
            for (String name = pipe.readLine(); name != null; name = pipe.readLine()) {
                String signal = name;
                parts.forEach(part -> part.signal(signal));
            }
        } catch (IOException e) {
            // The one who hands them on is gone, and with it the signals.
        }
    }
}
