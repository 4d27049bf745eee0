package io.berth.simulator.run;

import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// How one account, the group of a trace, fared on a cluster that it shares with others.
///
/// @param shares its part of all shares, in hundredths
/// @param used its part of the time of GPUs that all jobs had, in hundredths
/// @param wanting hours in which one of its jobs waited
/// @param held its part of the cluster's GPUs in these hours, in hundredths: at least `shares` is
///   fair
/// @param waits of its jobs, in seconds
public record AccountUse(
        String account,
        double shares,
        double used,
        double wanting,
        double held,
        int jobs,
        Distribution waits) {

    /// By account, in the order of their names.
    public static List<AccountUse> of(List<Outcome> outcomes, List<TraceNode> nodes) {
        List<Outcome> held = outcomes.stream().filter(it -> !it.spells().isEmpty()).toList();
        var byGroup = new TreeMap<String, List<Outcome>>();
        held.forEach(
                it -> byGroup.computeIfAbsent(it.job().group(), _ -> new ArrayList<>()).add(it));
        List<TraceJob> jobs = held.stream().map(Outcome::job).toList();
        Map<String, Integer> shares = new Accounts(jobs, nodes).shares();
        double allShares = shares.values().stream().mapToInt(it -> it).sum();
        double allUse = gpuMillis(held);
        long gpus = nodes.stream().mapToLong(TraceNode::gpus).sum();
        var uses = new ArrayList<AccountUse>();
        byGroup.forEach((name, its) -> {
            Timeline.Want want = Timeline.want(its);
            uses.add(
                    new AccountUse(
                            name,
                            100 * shares.getOrDefault(name, 0) / allShares,
                            allUse == 0 ? 0 : 100 * gpuMillis(its) / allUse,
                            want.seconds() / 3600,
                            want.seconds() == 0 || gpus == 0
                                    ? 0
                                    : 100 * want.gpuSeconds() / want.seconds() / gpus,
                            its.size(),
                            Distribution.of(
                                    its.stream()
                                            .filter(Outcome::ran)
                                            .mapToDouble(it -> it.waitMillis() / 1000.0)
                                            .toArray())));
        });
        return uses;
    }

    private static double gpuMillis(List<Outcome> outcomes) {
        return outcomes.stream()
                .mapToDouble(it -> (double) it.job().gpus() * it.heldMillis())
                .sum();
    }
}
