package io.berth.agent.session;

import io.berth.agent.session.StepLayout.Impossible;
import io.berth.agent.session.StepLayout.OnNode;
import io.berth.slurm.HostList;
import io.berth.slurm.session.WakeableInput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// A step over several nodes: `berth-session --step NAME=VALUE… words=COUNT WORD… PLAN…` starts
/// `srun` once on each of its nodes, on this one as a process of its own and on the others through
/// the gateway, and ends with the highest of their exit codes. Signals come as names, a line each,
/// from a pipe.
///
/// There is [a plan][StepPlan] for each component of the job that the step is on, which is one
/// unless the job is heterogeneous. Tasks and nodes are numbered over all of them, in their order.
final class StepRun {

    private static final String RESET = "--default-signal";
    private static final int FAILED = 1;

    /// Tasks of a step whose nodes are told one by one: a variable has 128 KiB at most, and of more
    /// tasks `srun` tells nobody where they meet.
    private static final int MOST_HOSTS = 1000;

    /// What `srun` says of the whole step.
    private final Map<String, String> settings;

    private final List<String> words;
    private final List<StepPlan> plans;
    private final Map<String, String> environment;
    private final List<NodePart> parts = new ArrayList<>();
    private final InputStream input = WakeableInput.ofProcess();
    private boolean ending;

    private StepRun(
            Map<String, String> settings,
            List<String> words,
            List<StepPlan> plans,
            Map<String, String> environment) {
        this.settings = settings;
        this.words = words;
        this.plans = plans;
        this.environment = environment;
    }

    /// @param arguments what follows `--step`
    /// @return the exit code
    static int run(List<String> arguments, Map<String, String> environment)
            throws IOException, InterruptedException {
        var settings = new HashMap<String, String>();
        int next = 0;
        while (!settings.containsKey("words")) {
            StepPlan.put(arguments.get(next++), settings);
        }
        int end = next + Integer.parseInt(settings.get("words"));
        List<String> plans = arguments.subList(end, arguments.size());
        boolean several = plans.size() > 1;
        var step =
                new StepRun(
                        settings,
                        arguments.subList(next, end),
                        plans.stream().map(it -> StepPlan.of(it, environment, several)).toList(),
                        environment);
        try (step.input) {
            return step.run(step.layouts());
        } catch (Impossible e) {
            System.err.println("srun: error: " + e.getMessage());
            return FAILED;
        }
    }

    /// Where the tasks of each plan are.
    private List<StepLayout> layouts() throws Impossible, IOException {
        var layouts = new ArrayList<StepLayout>();
        for (StepPlan plan : plans) {
            StepLayout layout = plan.layout();
            plan.claim(layout, settings.getOrDefault("id", "0"));
            layouts.add(layout);
        }
        return layouts;
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

    private int run(List<StepLayout> layouts) throws IOException, InterruptedException {
        StepLayout whole = StepLayout.joined(layouts);
        int next = 0;
        for (int i = 0; i < plans.size(); i++) {
            List<OnNode> its = whole.nodes().subList(next, next += layouts.get(i).nodes().size());
            for (OnNode node : its) {
                parts.add(part(plans.get(i), node, its, whole));
            }
        }
        if (size().isEmpty() || parts.stream().noneMatch(NodePart.There.class::isInstance)) {
            return start();
        }
        try (var _ = OwnTerminal.raw(now -> parts.forEach(part -> part.resize(now)))) {
            return start();
        }
    }

    /// Rows and columns of the terminal that the step's program is to have; empty if none.
    private String size() {
        return settings.getOrDefault("terminal", "");
    }

    private Map<String, String> withTerminal(Map<String, String> variables) {
        if (!size().isEmpty()) {
            variables.put(PartEnd.SIZE, size());
        }
        return variables;
    }

    private int start() throws IOException {
        parts.forEach(NodePart::start);
        try (InputStream signals = signals()) {
            // Not a virtual one, which to read a pipe would hold its carrier: in a job of one CPU
            // the only one.
            Thread.ofPlatform().daemon().start(() -> passSignals(signals));
            return worst();
        }
    }

    private InputStream signals() {
        Path pipe = Path.of(settings.getOrDefault("signals", ""));
        try {
            // To write too: to open it would else wait for one who does.
            return new WakeableInput(
                    FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE));
        } catch (IOException e) {
            // The one who hands them on is gone, and with it the signals.
            return InputStream.nullInputStream();
        }
    }

    private NodePart part(StepPlan plan, OnNode node, List<OnNode> ofPlan, StepLayout whole)
            throws InterruptedException {
        var variables = new HashMap<>(plan.environment());
        variables.put("BERTH_PART", told(node, ofPlan, whole));
        hosts(whole).ifPresent(it -> variables.put("BERTH_HOSTS", it));
        if (plans.size() > 1) {
            variables.put("BERTH_PART_OF", plan.part());
            if (!plan.meetsElsewhere()) {
                // One that each component reaches, where the first task is.
                variables.put("MASTER_ADDR", whole.nodes().getFirst().name());
            }
        }
        boolean first = node.ranks().contains(0);
        // Another component's part is the other run's, even on this node.
        return plan.isOfTheScript() && node.name().equals(environment.get("SLURMD_NODENAME"))
                ? new NodePart.Here(
                        reachable(command(settings.getOrDefault("srun", "srun"))), variables, first)
                : new NodePart.There(
                        node.name(),
                        new StepPart(
                                Path.of("").toAbsolutePath().toString(),
                                withTerminal(variables),
                                command("srun")),
                        first ? input : InputStream.nullInputStream());
    }

    /// The node of each task, for `srun`.
    static Optional<String> hosts(StepLayout layout) {
        return layout.tasks() > MOST_HOSTS
                ? Optional.empty()
                : Optional.of(String.join(",", layout.hosts()));
    }

    /// @param srun on another node that which its `PATH` finds
    private List<String> command(String srun) {
        var command = new ArrayList<String>();
        command.add(srun);
        command.addAll(words);
        return command;
    }

    /// What `BERTH_PART` says to `srun` on a node.
    private String told(OnNode node, List<OnNode> ofPlan, StepLayout whole) {
        List<String> names = whole.nodes().stream().map(OnNode::name).toList();
        var told = new ArrayList<String>();
        told.add(settings.getOrDefault("id", "0"));
        told.add(Integer.toString(whole.nodes().indexOf(node)));
        told.add(node.ranks().stream().map(String::valueOf).collect(Collectors.joining(",")));
        told.add(Integer.toString(whole.tasks()));
        told.add(Integer.toString(names.size()));
        told.add(HostList.inOrder(names));
        told.add(whole.tasksPerNode());
        if (plans.size() > 1) {
            told.add(Integer.toString(ofPlan.indexOf(node)));
            told.add(Integer.toString(ofPlan.size()));
        }
        return String.join(" ", told);
    }

    /// Waits for all; a part that fails takes the others along where that is asked, and one that
    /// could not be started, or that nobody listens to any more, in any case.
    private int worst() {
        boolean together = plans.stream().anyMatch(StepPlan::endsTogether);
        for (NodePart part : parts) {
            var unusedEnd = part.unheard().thenRun(this::endAll);
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

    private void passSignals(InputStream from) {
        try {
            var pipe = new BufferedReader(new InputStreamReader(from, StandardCharsets.US_ASCII));
            for (String name = pipe.readLine(); name != null; name = pipe.readLine()) {
                String signal = name;
                parts.forEach(part -> part.signal(signal));
            }
        } catch (IOException e) {
            // The step has ended.
        }
    }
}
