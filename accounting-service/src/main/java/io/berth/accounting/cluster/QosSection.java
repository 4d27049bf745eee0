package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import java.util.ArrayList;
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
                    "limits");
            int priority = map.number("priority", 0);
            QosRules rules = rules(map, all.keys());
            @Nullable QosRules stored = rules.equals(QosRules.NONE) ? null : rules;
            records.add(part -> new Qos(part, name, priority, stored));
        }
        return records;
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
        return new QosRules(
                description == null ? "" : description,
                flags,
                (int) usageFactor,
                map.number("graceTime", 0),
                preempt,
                PreemptModes.of(map),
                LimitsSection.of(map.map("limits"), true));
    }
}
