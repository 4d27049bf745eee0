package io.berth.agent.session;

import io.berth.agent.session.StepLayout.Asked;
import io.berth.agent.session.StepLayout.Held;
import io.berth.agent.session.StepLayout.Impossible;
import io.berth.agent.session.StepLayout.OnNode;
import io.berth.slurm.HostList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What `srun` asks of one job for a step, or of one component of a heterogeneous job: lines
/// `NAME=VALUE`, of which those that are empty say nothing.
///
/// @param environment the component's
/// @param meetsElsewhere whether the script has set `MASTER_ADDR`
record StepPlan(
        Map<String, String> settings, Map<String, String> environment, boolean meetsElsewhere) {

    private static final String OF_COMPONENT = "_HET_GROUP_";
    private static final String ADDRESS = "MASTER_ADDR";

    /// @param script the variables of the script
    /// @param amongSeveral whether the step is on other components too; where it is on one alone,
    ///   the variables are that component's already
    static StepPlan of(String lines, Map<String, String> script, boolean amongSeveral) {
        var settings = new HashMap<String, String>();
        lines.lines().forEach(line -> put(line, settings));
        String first = script.get(ADDRESS + OF_COMPONENT + 0);
        return new StepPlan(
                settings,
                amongSeveral ? ofComponent(settings.getOrDefault("component", ""), script) : script,
                first != null && !first.equals(script.get(ADDRESS)));
    }

    /// Takes `NAME=VALUE` into the settings.
    static void put(String setting, Map<String, String> into) {
        int equals = setting.indexOf('=');
        into.put(setting.substring(0, equals), setting.substring(equals + 1));
    }

    /// The variables with those that the job has of a component under their usual names. Where its
    /// tasks meet is not its own to say.
    static Map<String, String> ofComponent(String number, Map<String, String> script) {
        var variables = new TreeMap<>(script);
        variables.remove("SLURM_NTASKS_PER_NODE");
        String end = OF_COMPONENT + number;
        script.forEach((name, value) -> {
            if (name.endsWith(end) && !name.equals(ADDRESS + end)) {
                variables.put(name.substring(0, name.length() - end.length()), value);
            }
        });
        variables.put("SLURM_JOBID", variables.getOrDefault("SLURM_JOB_ID", ""));
        return variables;
    }

    /// Whether it is of the job whose script this is.
    boolean isOfTheScript() {
        return List.of("", "0").contains(settings.getOrDefault("component", ""));
    }

    /// Whether a task that fails takes the others along.
    boolean endsTogether() {
        return !text("kill").isEmpty();
    }

    /// Which part of the words it has that `:` parts, from 0.
    String part() {
        return text("part");
    }

    /// On which nodes the tasks are.
    StepLayout layout() throws Impossible {
        return StepLayout.of(
                new Asked(
                        number("nodes"),
                        number("tasks"),
                        number("perNode"),
                        Math.max(1, number("cpus")),
                        number("due"),
                        number("relative"),
                        hosts("nodelist"),
                        hosts("exclude"),
                        text("distribution")),
                held(environment));
    }

    private String text(String name) {
        return settings.getOrDefault(name, "");
    }

    private int number(String name) throws Impossible {
        String text = text(name);
        if (!text.matches("\\d{0,9}")) {
            throw new Impossible("--%s is a number, not '%s'".formatted(name, text));
        }
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    private List<String> hosts(String name) throws Impossible {
        String text = text(name);
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
    /// the choice of nodes to this process: in the file `claims` of the step's number, a line for
    /// each node.
    void claim(StepLayout layout, String step) throws IOException, Impossible {
        String file = text("claims");
        if (file.isEmpty()) {
            return;
        }
        boolean exact = !text("exact").isEmpty();
        int each = Math.max(1, number("cpus"));
        List<Held> job = held(environment);
        var lines = new ArrayList<String>();
        for (OnNode node : layout.nodes()) {
            job.stream()
                    .filter(it -> it.name().equals(node.name()))
                    .mapToInt(it -> exact ? node.ranks().size() * each : it.cpus())
                    .forEach(cpus -> lines.add(node.name() + " " + cpus + " 0"));
        }
        Files.write(Path.of(file + "." + step), lines, StandardOpenOption.APPEND);
    }
}
