package io.berth.agent.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Which tasks of a step are on which nodes of its job.
///
/// Nodes are those that are named, or the first of the job's, as many as are asked for; never more
/// than there are tasks. Without a number of tasks each node has those that the job was given
/// there. Else the tasks are dealt out to the nodes in turn, as far as a node's CPUs go, and then
/// numbered node by node (`block`) or in turn too (`cyclic`).
///
/// The nodes have the CPUs that each task must have, together.
///
/// Example: five tasks on two nodes are 0, 1, 2 and 3, 4 by `block`; 0, 2, 4 and 1, 3 by `cyclic`.
///
/// Source: srun(1) of Slurm 22.05, `--nodes`, `--ntasks`, `--relative` and `--distribution`.
record StepLayout(List<OnNode> nodes) {

    /// A node of the job.
    ///
    /// @param tasks that the job was given there
    record Held(String name, int tasks, int cpus) {}

    /// What is asked for; 0 and empty are not given.
    ///
    /// @param cpus of a task
    /// @param due CPUs that each task must have; 0 where tasks share them (`--overcommit`)
    /// @param relative the first node, by its place in the job
    record Asked(
            int nodes,
            int tasks,
            int tasksPerNode,
            int cpus,
            int due,
            int relative,
            List<String> named,
            List<String> excluded,
            String distribution) {}

    /// The tasks of a node, by their numbers in the step.
    record OnNode(String name, List<Integer> ranks) {}

    /// A step that cannot be, with one line for people.
    static final class Impossible extends Exception {
        private static final long serialVersionUID = 1;

        Impossible(String message) {
            super(message);
        }
    }

    static StepLayout of(Asked asked, List<Held> job) throws Impossible {
        List<Held> chosen = chosen(asked, job);
        int[] counts = counts(asked, chosen);
        permit(asked, counts, chosen);
        boolean cyclic =
                switch (asked.distribution().replaceFirst("[:,].*", "")) {
                    case "", "*", "block" -> false;
                    case "cyclic" -> true;
                    default ->
                            throw new Impossible(
                                    "--distribution=%s is not there: block or cyclic"
                                            .formatted(asked.distribution()));
                };
        var ranks = cyclic ? cyclic(counts) : block(counts);
        return new StepLayout(
                IntStream.range(0, chosen.size())
                        .mapToObj(i -> new OnNode(chosen.get(i).name(), ranks.get(i)))
                        .toList());
    }

    /// One layout after the other, their tasks numbered over all.
    static StepLayout joined(List<StepLayout> layouts) {
        var nodes = new ArrayList<OnNode>();
        int next = 0;
        for (StepLayout layout : layouts) {
            int first = next;
            for (OnNode node : layout.nodes()) {
                nodes.add(
                        new OnNode(
                                node.name(),
                                node.ranks().stream().map(rank -> first + rank).toList()));
            }
            next += layout.tasks();
        }
        return new StepLayout(nodes);
    }

    int tasks() {
        return nodes.stream().mapToInt(node -> node.ranks().size()).sum();
    }

    /// The node of each task, in the order of their numbers.
    List<String> hosts() {
        var hosts = new String[tasks()];
        nodes.forEach(node -> node.ranks().forEach(rank -> hosts[rank] = node.name()));
        return List.of(hosts);
    }

    /// The number of tasks of each node, repetitions counted: `2(x3),1`.
    String tasksPerNode() {
        var text = new StringBuilder();
        for (int first = 0; first < nodes.size(); ) {
            int count = nodes.get(first).ranks().size();
            int end = first;
            while (end < nodes.size() && nodes.get(end).ranks().size() == count) {
                end++;
            }
            text.append(text.isEmpty() ? "" : ",").append(count);
            text.append(end - first > 1 ? "(x" + (end - first) + ")" : "");
            first = end;
        }
        return text.toString();
    }

    private static List<Held> chosen(Asked asked, List<Held> job) throws Impossible {
        Set<String> names = job.stream().map(Held::name).collect(Collectors.toSet());
        for (String name : asked.named()) {
            if (!names.contains(name)) {
                throw new Impossible("node " + name + " is none of the job's: " + names(job));
            }
        }
        if (asked.relative() >= job.size()) {
            throw new Impossible(
                    "--relative=%d: the job's nodes are 0 to %d"
                            .formatted(asked.relative(), job.size() - 1));
        }
        List<Held> open =
                job.stream()
                        .skip(asked.relative())
                        .filter(node -> !asked.excluded().contains(node.name()))
                        .toList();
        int wanted =
                asked.nodes() > 0
                        ? asked.nodes()
                        : asked.named().isEmpty() ? open.size() : asked.named().size();
        if (wanted > open.size() || wanted < asked.named().size()) {
            throw new Impossible(
                    "Only allocated %d nodes asked for %d".formatted(open.size(), wanted));
        }
        return first(asked.tasks() > 0 ? Math.min(wanted, asked.tasks()) : wanted, asked, open);
    }

    /// So many of the open nodes, those that are named before all others, in the job's order.
    private static List<Held> first(int wanted, Asked asked, List<Held> open) throws Impossible {
        var taken = new HashSet<String>();
        for (boolean named : new boolean[] {true, false}) {
            for (Held node : open) {
                if (taken.size() < wanted && asked.named().contains(node.name()) == named) {
                    taken.add(node.name());
                }
            }
        }
        List<Held> chosen = open.stream().filter(node -> taken.contains(node.name())).toList();
        if (chosen.isEmpty()) {
            throw new Impossible("no node of the job is left: " + names(open));
        }
        return chosen;
    }

    private static String names(List<Held> nodes) {
        return nodes.stream().map(Held::name).collect(Collectors.joining(","));
    }

    private static int[] counts(Asked asked, List<Held> nodes) throws Impossible {
        if (asked.tasks() == 0) {
            return nodes.stream()
                    .mapToInt(it -> asked.tasksPerNode() > 0 ? asked.tasksPerNode() : it.tasks())
                    .toArray();
        }
        var counts = new int[nodes.size()];
        int left = asked.tasks();
        if (asked.tasksPerNode() > 0) {
            left = deal(left, counts, filled(nodes.size(), asked.tasksPerNode()));
            if (left > 0) {
                throw new Impossible(
                        "More processors requested than permitted: %d tasks on %d nodes with %d each"
                                .formatted(asked.tasks(), nodes.size(), asked.tasksPerNode()));
            }
            return counts;
        }
        int[] room = nodes.stream().mapToInt(it -> Math.max(1, it.cpus() / asked.cpus())).toArray();
        left = deal(left, counts, room);
        deal(left, counts, filled(nodes.size(), Integer.MAX_VALUE));
        return counts;
    }

    /// Without a word of tasks and CPUs the step has those of the job.
    private static void permit(Asked asked, int[] counts, List<Held> nodes) throws Impossible {
        boolean ofTheJob = asked.tasks() == 0 && asked.tasksPerNode() == 0 && asked.due() <= 1;
        long wanted = (long) Arrays.stream(counts).sum() * asked.due();
        int held = nodes.stream().mapToInt(Held::cpus).sum();
        if (!ofTheJob && wanted > held) {
            throw new Impossible(
                    "More processors requested than permitted (%d, the job holds %d there; with -O tasks share them)"
                            .formatted(wanted, held));
        }
    }

    private static int[] filled(int length, int value) {
        var all = new int[length];
        Arrays.fill(all, value);
        return all;
    }

    /// Gives the nodes tasks in turn, as far as there is room.
    ///
    /// @return how many are left
    private static int deal(int tasks, int[] counts, int[] room) {
        int left = tasks;
        boolean any = true;
        while (left > 0 && any) {
            any = false;
            for (int i = 0; i < counts.length && left > 0; i++) {
                if (counts[i] < room[i]) {
                    counts[i]++;
                    left--;
                    any = true;
                }
            }
        }
        return left;
    }

    private static List<List<Integer>> block(int[] counts) {
        var ranks = new ArrayList<List<Integer>>();
        int next = 0;
        for (int count : counts) {
            ranks.add(IntStream.range(next, next + count).boxed().toList());
            next += count;
        }
        return ranks;
    }

    private static List<List<Integer>> cyclic(int[] counts) {
        List<List<Integer>> ranks = new ArrayList<>();
        for (int ignored : counts) {
            ranks.add(new ArrayList<>());
        }
        int tasks = Arrays.stream(counts).sum();
        for (int next = 0; next < tasks; ) {
            for (int i = 0; i < counts.length; i++) {
                if (ranks.get(i).size() < counts[i]) {
                    ranks.get(i).add(next++);
                }
            }
        }
        return ranks;
    }
}
