package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.contracts.event.PartitionRules.Use.GpuDefaults;
import io.berth.contracts.event.PartitionRules.Use.OverSubscribe;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The partitions of a cluster file.
final class PartitionsSection {

    private static final Pattern OVER_SUBSCRIBE = Pattern.compile("(YES|FORCE)(?::(\\d{1,4}))?");

    private final YamlMap partitions;
    private final List<String> accounts;
    private final List<String> qos;

    private PartitionsSection(YamlMap partitions, List<String> accounts, List<String> qos) {
        this.partitions = partitions;
        this.accounts = accounts;
        this.qos = qos;
    }

    static List<Unnumbered> of(YamlMap root) throws InvalidClusterFile {
        return new PartitionsSection(
                        root.map("partitions"), root.map("accounts").keys(), root.map("qos").keys())
                .records();
    }

    private List<Unnumbered> records() throws InvalidClusterFile {
        var records = new ArrayList<Unnumbered>();
        @Nullable String theDefault = null;
        for (String name : partitions.names()) {
            YamlMap map = partitions.map(name);
            checkKeys(map);
            boolean isDefault = map.flag("default");
            if (isDefault && theDefault != null) {
                throw new InvalidClusterFile(
                        map.place("default"),
                        "partition " + theDefault + " is the default already");
            }
            theDefault = isDefault ? name : theDefault;
            records.add(partition(name, map, isDefault));
        }
        if (partitions.keys().isEmpty()) {
            throw new InvalidClusterFile(partitions.where(), "at least one partition is required");
        }
        return records;
    }

    private static void checkKeys(YamlMap map) throws InvalidClusterFile {
        map.only(
                "default",
                "nodes",
                "maxTime",
                "defaultTime",
                "maxNodes",
                "jobFactor",
                "tier",
                "defaultMemoryPerCpu",
                "state",
                "minNodes",
                "maxCpusPerNode",
                "maxCpusPerSocket",
                "maxMemoryPerCpu",
                "allowAccounts",
                "denyAccounts",
                "allowQos",
                "denyQos",
                "qos",
                "preemptMode",
                "graceTime",
                "hidden",
                "reservedOnly",
                "prices",
                "defaultMemoryPerNode",
                "maxMemoryPerNode",
                "overTimeLimit",
                "leastLoaded",
                "allocNodes",
                "rootOnly",
                "exclusiveUser",
                "exclusiveTopo",
                "exclusive",
                "overSubscribe",
                "allowGroups",
                "defaultCpusPerGpu",
                "defaultMemoryPerGpu",
                "disableRootJobs");
    }

    private Unnumbered partition(String name, YamlMap map, boolean isDefault)
            throws InvalidClusterFile {
        List<String> nodes = NodeLists.of(map, "nodes");
        long maxTime = map.seconds("maxTime", 0);
        long defaultTime = map.seconds("defaultTime", 0);
        if (maxTime > 0 && defaultTime > maxTime) {
            throw new InvalidClusterFile(map.place("defaultTime"), "is above maxTime");
        }
        int maxNodes = map.number("maxNodes", 0);
        int jobFactor = map.number("jobFactor", 1);
        int tier = map.number("tier", 1);
        long memory = map.number("defaultMemoryPerCpu", 0);
        PartitionRules rules = rules(map, maxNodes);
        @Nullable PartitionRules stored = rules.equals(PartitionRules.DEFAULT) ? null : rules;
        return part ->
                new Partition(
                        part,
                        name,
                        isDefault,
                        nodes,
                        maxTime,
                        defaultTime,
                        maxNodes,
                        jobFactor,
                        tier,
                        memory,
                        stored);
    }

    private PartitionRules rules(YamlMap map, int maxNodes) throws InvalidClusterFile {
        int minNodes = map.number("minNodes", 1);
        if (maxNodes > 0 && minNodes > maxNodes) {
            throw new InvalidClusterFile(map.place("minNodes"), "is above maxNodes");
        }
        String ownQos = map.has("qos") ? map.name("qos") : null;
        if (ownQos != null) {
            YamlMap.refuseUnknown(map.place("qos"), "QOS", List.of(ownQos), qos);
        }
        return new PartitionRules(
                map.choice("state", PartitionRules.State.UP),
                minNodes,
                map.number("maxCpusPerNode", 0),
                map.number("maxMemoryPerCpu", 0),
                known(map, "allowAccounts", "account", accounts),
                known(map, "denyAccounts", "account", accounts),
                known(map, "allowQos", "QOS", qos),
                known(map, "denyQos", "QOS", qos),
                ownQos,
                PreemptionSection.mode(map, "preemptMode"),
                map.number("graceTime", 0),
                map.flag("hidden"),
                map.has("prices") ? PricesSection.of(map.map("prices")) : null,
                map.flag("reservedOnly") ? true : null,
                use(map));
    }

    private static @Nullable Use use(YamlMap map) throws InvalidClusterFile {
        long perCpu = map.number("defaultMemoryPerCpu", 0);
        long perNode = map.number("defaultMemoryPerNode", 0);
        if (perCpu > 0 && perNode > 0) {
            throw new InvalidClusterFile(
                    map.place("defaultMemoryPerNode"), "excludes defaultMemoryPerCpu");
        }
        var use =
                new Use(
                        perNode,
                        map.number("maxMemoryPerNode", 0),
                        map.seconds("overTimeLimit", 0),
                        map.flag("leastLoaded"),
                        map.has("allocNodes") ? NodeLists.of(map, "allocNodes") : List.of("ALL"),
                        map.flag("rootOnly"),
                        map.flag("exclusiveUser"),
                        map.nameList("allowGroups"),
                        map.flag("exclusive"),
                        new GpuDefaults(
                                map.number("defaultCpusPerGpu", 0),
                                map.number("defaultMemoryPerGpu", 0)),
                        map.flag("disableRootJobs"),
                        map.number("maxCpusPerSocket", 0),
                        overSubscribe(map),
                        map.flag("exclusiveTopo"));
        return use.equals(Use.ANY) ? null : use;
    }

    private static @Nullable OverSubscribe overSubscribe(YamlMap map) throws InvalidClusterFile {
        String key = "overSubscribe";
        String text = map.text(key);
        if (text == null) {
            return null;
        }
        // YAML reads a bare YES or NO as true or false.
        String said = text.replace("true", "YES").replace("false", "NO").toUpperCase(Locale.ROOT);
        Matcher matcher = OVER_SUBSCRIBE.matcher(said);
        String jobs = matcher.matches() ? matcher.group(2) : null;
        int most = jobs == null ? OverSubscribe.JOBS : Integer.parseInt(jobs);
        if (said.equals("NO")) {
            return null;
        }
        if (map.flag("exclusive") || map.number("maxCpusPerSocket", 0) > 0) {
            String other = map.flag("exclusive") ? "exclusive" : "maxCpusPerSocket";
            throw new InvalidClusterFile(map.place(key), "excludes " + other);
        }
        if (!matcher.matches() || most < 1 || most > OverSubscribe.MOST_JOBS) {
            throw new InvalidClusterFile(
                    map.place(key),
                    "'%s' is not NO, YES:n or FORCE:n, with n from 1 to %d jobs on a CPU"
                            .formatted(text, OverSubscribe.MOST_JOBS));
        }
        return new OverSubscribe(matcher.group(1).equals("FORCE"), most);
    }

    private static List<String> known(YamlMap map, String key, String what, List<String> known)
            throws InvalidClusterFile {
        List<String> names = map.nameList(key);
        YamlMap.refuseUnknown(map.place(key), what, names, known);
        return names;
    }
}
