package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The QOS of a cluster file.
final class QosSection {

    private static final long MOST_USAGE_FACTOR = 1_000_000;

    private QosSection() {}

    static List<Unnumbered> of(YamlMap all) throws InvalidClusterFile {
        var records = new ArrayList<Unnumbered>();
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only(
                    "priority",
                    "description",
                    "flags",
                    "usageFactor",
                    "graceTime",
                    "preempt",
                    "preemptMode",
                    "preemptExemptTime",
                    "limits");
            int priority = map.number("priority", 0);
            QosRules rules = rules(map, all.keys());
            @Nullable QosRules stored = rules.equals(QosRules.NONE) ? null : rules;
            records.add(part -> new Qos(part, name, priority, stored));
        }
        refuseCircles(all);
        return records;
    }

    /// Jobs of two QOS that may preempt one another, even through others, would do so for ever.
    private static void refuseCircles(YamlMap all) throws InvalidClusterFile {
        for (String start : all.keys()) {
            var ways = new ArrayDeque<List<String>>();
            ways.add(List.of(start));
            var seen = new HashSet<String>();
            while (!ways.isEmpty()) {
                List<String> way = ways.remove();
                for (String next : all.map(way.getLast()).nameList("preempt")) {
                    var longer = new ArrayList<>(way);
                    longer.add(next);
                    if (next.equals(start)) {
                        throw new InvalidClusterFile(
                                all.map(start).place("preempt"),
                                "would let jobs preempt one another for ever: "
                                        + String.join(" > ", longer));
                    }
                    if (seen.add(next)) {
                        ways.add(longer);
                    }
                }
            }
        }
    }

    private static QosRules rules(YamlMap map, List<String> known) throws InvalidClusterFile {
        String description = map.text("description");
        var flags = new ArrayList<Flag>();
        for (String flag : map.nameList("flags")) {
            flags.add(YamlMap.choice(map.place("flags"), flag, Flag.class));
        }
        long usageFactor = map.has("usageFactor") ? map.thousandths("usageFactor") : 1000;
        if (usageFactor > MOST_USAGE_FACTOR) {
            throw new InvalidClusterFile(map.place("usageFactor"), "is above 1000");
        }
        List<String> preempt = map.nameList("preempt");
        YamlMap.refuseUnknown(map.place("preempt"), "QOS", preempt, known);
        long exempt = map.seconds("preemptExemptTime", 0);
        return new QosRules(
                description == null ? "" : description,
                flags,
                (int) usageFactor,
                map.number("graceTime", 0),
                preempt,
                PreemptionSection.mode(map, "preemptMode"),
                LimitsSection.of(map.map("limits"), true),
                map.has("preemptExemptTime") ? exempt : null);
    }
}
