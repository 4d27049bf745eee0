package io.berth.simulator.run;

import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/// Clusters that are scheduled each alone: one for all jobs, or one for each group of jobs.
///
/// A group has the nodes of the partition of its name; where no node names a partition, each group
/// has all nodes for itself.
public final class Groups {

    private record Group(String name, List<TraceJob> jobs, List<TraceNode> nodes) {}

    /// What came of it: of all, by group if there were several, and of each job.
    public record Ran(Summary all, List<Summary> groups, List<Outcome> outcomes) {}

    private final List<Group> groups = new ArrayList<>();

    private Groups() {}

    public static Groups together(List<TraceJob> jobs, List<TraceNode> nodes) {
        var together = new Groups();
        together.groups.add(new Group("", jobs, nodes));
        return together;
    }

    public static Groups apart(List<TraceJob> jobs, List<TraceNode> nodes) {
        var byGroup = new TreeMap<String, List<TraceJob>>();
        jobs.forEach(job -> byGroup.computeIfAbsent(job.group(), _ -> new ArrayList<>()).add(job));
        boolean shared = nodes.stream().allMatch(node -> node.partition().isEmpty());
        var apart = new Groups();
        byGroup.forEach((name, its) ->
                apart.groups.add(
                        new Group(
                                name,
                                its,
                                nodes.stream()
                                        .filter(node -> shared || node.partition().equals(name))
                                        .toList())));
        return apart;
    }

    /// Groups that have jobs and no node.
    public List<String> withoutNodes() {
        return groups.stream().filter(it -> it.nodes.isEmpty()).map(Group::name).toList();
    }

    /// @param progress is told now and then how many jobs have ended; from several threads
    public Ran run(Rules rules, IntConsumer progress) {
        var ended = new AtomicInteger();
        var outcomes = new ArrayList<List<Outcome>>();
        var summaries = new ArrayList<Summary>();
        try (var pool = new ForkJoinPool(Runtime.getRuntime().availableProcessors())) {
            List<ForkJoinTask<List<Outcome>>> tasks =
                    groups.stream()
                            .map(group -> pool.submit(() -> run(group, rules, ended, progress)))
                            .toList();
            for (int i = 0; i < tasks.size(); i++) {
                Group group = groups.get(i);
                List<Outcome> its = tasks.get(i).join();
                outcomes.add(its);
                long gpus = group.nodes.stream().mapToLong(TraceNode::gpus).sum();
                summaries.add(Summary.of(group.name, group.nodes.size(), gpus, its));
            }
        }
        List<Outcome> all = outcomes.stream().flatMap(List::stream).toList();
        return summaries.size() == 1 && groups.getFirst().name.isEmpty()
                ? new Ran(summaries.getFirst(), List.of(), all)
                : new Ran(Summary.of(summaries, outcomes), summaries, all);
    }

    private static List<Outcome> run(
            Group group, Rules rules, AtomicInteger ended, IntConsumer progress) {
        var told = new AtomicInteger();
        IntConsumer all = count -> progress.accept(ended.addAndGet(count - told.getAndSet(count)));
        return rules.givingWay().any()
                ? new VirtualCell(group.jobs, group.nodes, rules).run(all)
                : new Simulation(group.jobs, group.nodes, rules).run(all);
    }
}
