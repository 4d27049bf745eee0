package io.berth.simulator.run;

import io.berth.contracts.Limits;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PreemptRules.Type;
import io.berth.contracts.event.QosRules;
import io.berth.simulator.trace.TraceJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/// Which groups of a trace take the place of which, and what becomes of those who give way: by the
/// rules' type each group is a partition with a tier, or a QOS that names others.
///
/// @param tiers of groups; of those not named 1
/// @param preempt whose place the jobs of a group may have
/// @param graceSeconds between a run's notice and its end
public record GivingWay(
        PreemptRules rules,
        SortedMap<String, Integer> tiers,
        SortedMap<String, SortedSet<String>> preempt,
        long graceSeconds) {

    /// Nobody gives way to anybody.
    public static final GivingWay NONE =
            new GivingWay(PreemptRules.NONE, new TreeMap<>(), new TreeMap<>(), 0);

    /// The partition of all jobs where their groups are QOS; the QOS where they are partitions.
    private static final String COMMON = "all";

    /// Before the name of a group: a trace may name none.
    private static final String GROUP = "group/";

    private static final long QOS_WEIGHT = 1_000_000_000_000_000L;

    public boolean any() {
        return rules.type() != Type.NONE;
    }

    /// The groups that the rules name.
    public SortedSet<String> groups() {
        var groups = new TreeSet<>(tiers.keySet());
        preempt.forEach((group, others) -> {
            groups.add(group);
            groups.addAll(others);
        });
        return groups;
    }

    /// Whose place a group may take, also through others.
    public static SortedSet<String> below(
            String group, SortedMap<String, SortedSet<String>> preempt) {
        var below = new TreeSet<String>();
        var open = new ArrayDeque<>(List.of(group));
        while (!open.isEmpty()) {
            for (String other : preempt.getOrDefault(open.remove(), new TreeSet<>())) {
                if (below.add(other)) {
                    open.add(other);
                }
            }
        }
        return below;
    }

    /// The part of a job's priority that its QOS gives: more than all else where others make way
    /// for it, so that it stands before them. In millionths of a point.
    long priority(TraceJob job) {
        return byQos() ? QOS_WEIGHT * below(job.group(), preempt).size() : 0;
    }

    String partition(TraceJob job) {
        return byQos() ? COMMON : GROUP + job.group();
    }

    String qos(TraceJob job) {
        return byQos() ? GROUP + job.group() : COMMON;
    }

    private boolean byQos() {
        return rules.type() == Type.QOS;
    }

    /// A cluster with these groups and nodes that all of them may use.
    ///
    /// @param packing by which policy nodes are taken
    Configuration configuration(SortedSet<String> groups, String packing) {
        var entries = new ArrayList<Function<Part, ConfigEntry>>();
        entries.add(part -> cluster(part).with(to -> to.packing = packing));
        entries.add(part -> byQos() ? partition(part, COMMON, 1) : qos(part, COMMON, List.of()));
        for (String group : groups) {
            entries.add(part ->
                    byQos()
                            ? qos(part, GROUP + group, others(group))
                            : partition(part, GROUP + group, tiers.getOrDefault(group, 1)));
        }
        var assembler = new ConfigurationAssembler();
        for (int i = 0; i < entries.size() - 1; i++) {
            var unfinished =
                    assembler.add(entries.get(i).apply(new Part(1, i + 1, entries.size())));
            if (unfinished.isPresent()) {
                throw new IllegalStateException("assemble a configuration: it is whole too soon");
            }
        }
        var last = new Part(1, entries.size(), entries.size());
        return assembler.add(entries.getLast().apply(last)).orElseThrow();
    }

    private List<String> others(String group) {
        return preempt.getOrDefault(group, new TreeSet<>()).stream().map(it -> GROUP + it).toList();
    }

    private ConfigEntry.Cluster cluster(Part part) {
        return new ConfigEntry.Cluster(
                part,
                "simulated",
                "default",
                COMMON,
                0,
                0,
                false,
                new ConfigEntry.Weights(0, 0, 0, 0, 0),
                new ConfigEntry.Prices(0, 0, 0, Map.of()),
                null,
                rules);
    }

    private ConfigEntry partition(Part part, String name, int tier) {
        var own =
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
                        null,
                        graceSeconds,
                        false,
                        null);
        return new ConfigEntry.Partition(
                part, name, false, List.of("ALL"), 0, 0, 0, 1, tier, 1, own);
    }

    private ConfigEntry qos(Part part, String name, List<String> others) {
        var own = new QosRules("", List.of(), 1000, graceSeconds, others, null, Limits.NONE);
        return new ConfigEntry.Qos(part, name, 0, own);
    }

    /// `tiers dev=0,prod=10, mode requeue, grace 60 s`.
    @Override
    public String toString() {
        var text = new StringBuilder();
        text.append(
                byQos()
                        ? "preempt " + joined(preempt, others -> String.join("+", others))
                        : "tiers " + joined(tiers, String::valueOf));
        text.append(", mode ").append(rules.mode().name().toLowerCase(Locale.ROOT));
        text.append(rules.gang() ? ",gang of " + rules.timeSliceSeconds() + " s" : "");
        text.append(graceSeconds > 0 ? ", grace " + graceSeconds + " s" : "");
        text.append(rules.exemptSeconds() > 0 ? ", exempt " + rules.exemptSeconds() + " s" : "");
        return text.toString();
    }

    private static <V> String joined(SortedMap<String, V> of, Function<V, String> value) {
        return String.join(
                ",",
                of.entrySet().stream()
                        .map(it -> it.getKey() + "=" + value.apply(it.getValue()))
                        .toList());
    }
}
