package io.berth.standalone;

import io.berth.contracts.Allocation;
import io.berth.contracts.HeldRun;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.topic.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// A reader of what agents were ordered and what they report: no code of a run starts where it was
/// not ordered, or, of one on several nodes, before all of them are ready and without the word to
/// go (I3).
///
/// An agent may die before it has reported a part as ready; then the next one tells in its
/// registration that it waits.
final class StartsAudit {

    private record Part(RunId run, NodeName node) {}

    private final Set<Part> launched = new HashSet<>();
    private final Set<Part> released = new HashSet<>();
    private final Set<Part> ready = new HashSet<>();

    /// The nodes of the runs that wait for the word to go.
    private final Map<RunId, Set<NodeName>> gangs = new HashMap<>();

    private final List<String> breaks = new ArrayList<>();

    /// Reads the whole topics. What was reported was ordered before, so that orders are read last.
    static StartsAudit of(WholeTopics topics) {
        var reports = new TreeMap<Long, RunReport>();
        var registrations = new TreeMap<Long, List<NodeSeen>>();
        topics.read(
                Topics.RUNS,
                (record, it) -> {
                    if (it != null) {
                        reports.put(record.offset(), it);
                    }
                });
        topics.read(
                Topics.NODES,
                (_, it) -> {
                    if (it != null) {
                        registrations
                                .computeIfAbsent(it.reportsEnd(), _ -> new ArrayList<>())
                                .add(it);
                    }
                });
        var audit = new StartsAudit();
        topics.read(
                Topics.PLACEMENTS,
                (_, it) -> {
                    if (it != null) {
                        audit.read(it);
                    }
                });
        reports.forEach((offset, report) -> {
            registrations.headMap(offset, true).values().forEach(it -> it.forEach(audit::read));
            registrations.headMap(offset, true).clear();
            audit.read(report);
        });
        return audit;
    }

    void read(Order order) {
        if (order instanceof Order.Launch launch) {
            launched.add(new Part(launch.run(), launch.node()));
            if (launch.awaitGo()) {
                var nodes = new TreeSet<NodeName>();
                launch.allocations().stream().map(Allocation::node).forEach(nodes::add);
                gangs.put(launch.run(), nodes);
            }
        } else if (order instanceof Order.Go go) {
            released.add(new Part(go.run(), go.node()));
        }
    }

    void read(NodeSeen registration) {
        registration.runs().stream()
                .filter(it -> it.phase() == HeldRun.Phase.PREPARED)
                .forEach(it -> ready.add(new Part(it.run(), registration.node())));
    }

    void read(RunReport report) {
        var part = new Part(report.run(), report.node());
        if (report instanceof RunReport.Ready) {
            ready.add(part);
        } else if (report instanceof RunReport.Started) {
            check(launched.contains(part), part, "without an order");
            Set<NodeName> gang = gangs.getOrDefault(part.run(), Set.of());
            check(gang.isEmpty() || released.contains(part), part, "without the word to go");
            for (NodeName node : gang) {
                check(
                        ready.contains(new Part(part.run(), node)),
                        part,
                        "before " + node + " was ready");
            }
        }
    }

    private void check(boolean right, Part part, String otherwise) {
        if (!right) {
            breaks.add("run %s started on %s %s".formatted(part.run(), part.node(), otherwise));
        }
    }

    List<String> breaks() {
        return List.copyOf(breaks);
    }
}
