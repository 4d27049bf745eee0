package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A cluster file that was read and checked: the records of a configuration revision, in the file's
/// order.
public final class ClusterFile {

    private static final long WEEK = 7 * 86_400;

    /// A record that lacks only its place in a revision.
    private interface Unnumbered extends Function<Part, ConfigEntry> {}

    private final List<Unnumbered> records = new ArrayList<>();

    private ClusterFile() {}

    /// The file's records as that revision.
    public List<ConfigEntry> entries(long revision) {
        var entries = new ArrayList<ConfigEntry>();
        for (int i = 0; i < records.size(); i++) {
            entries.add(records.get(i).apply(new Part(revision, i + 1, records.size())));
        }
        return entries;
    }

    /// @throws InvalidClusterFile if it is no YAML or breaks a rule
    public static ClusterFile parse(String yaml) throws InvalidClusterFile {
        YamlMap root = YamlMap.parse(yaml);
        root.only(
                "name",
                "defaultAccount",
                "defaultQos",
                "fairShare",
                "priority",
                "prices",
                "partitions",
                "qos",
                "accounts");
        var file = new ClusterFile();
        file.addCluster(root);
        file.addPartitions(root.map("partitions"));
        file.addQos(root.map("qos"));
        file.addAccounts(root.map("accounts"));
        file.checkReferences(root);
        return file;
    }

    private void addCluster(YamlMap root) throws InvalidClusterFile {
        YamlMap fairShare = root.map("fairShare");
        fairShare.only("halfLife");
        YamlMap priority = root.map("priority");
        priority.only("maxAge", "favorSmall", "weights");
        String name = root.name("name");
        String account = root.name("defaultAccount");
        String qos = root.name("defaultQos");
        long halfLife = fairShare.seconds("halfLife", WEEK);
        long maxAge = priority.seconds("maxAge", WEEK);
        if (maxAge == 0) {
            throw new InvalidClusterFile(priority.place("maxAge"), "must be above 0");
        }
        boolean favorSmall = priority.flag("favorSmall");
        Weights weights = weights(priority.map("weights"));
        Prices prices = prices(root.map("prices"));
        records.add(part ->
                new Cluster(
                        part, name, account, qos, halfLife, maxAge, favorSmall, weights, prices));
    }

    private static Weights weights(YamlMap map) throws InvalidClusterFile {
        map.only("age", "fairShare", "jobSize", "partition", "qos");
        return new Weights(
                map.number("age", 0),
                map.number("fairShare", 0),
                map.number("jobSize", 0),
                map.number("partition", 0),
                map.number("qos", 0));
    }

    private static Prices prices(YamlMap map) throws InvalidClusterFile {
        map.only("cpu", "gib", "gpu", "gpuTypes");
        Map<String, Long> types = new TreeMap<>();
        YamlMap byType = map.map("gpuTypes");
        for (String type : byType.names()) {
            types.put(type, byType.thousandths(type));
        }
        return new Prices(
                map.thousandths("cpu"), map.thousandths("gib"), map.thousandths("gpu"), types);
    }

    private void addPartitions(YamlMap partitions) throws InvalidClusterFile {
        @Nullable String theDefault = null;
        for (String name : partitions.names()) {
            YamlMap map = partitions.map(name);
            map.only(
                    "default",
                    "nodes",
                    "maxTime",
                    "defaultTime",
                    "maxNodes",
                    "jobFactor",
                    "tier",
                    "defaultMemoryPerCpu");
            boolean isDefault = map.flag("default");
            if (isDefault && theDefault != null) {
                throw new InvalidClusterFile(
                        map.place("default"),
                        "partition " + theDefault + " is the default already");
            }
            theDefault = isDefault ? name : theDefault;
            List<String> nodes = nodes(map);
            long maxTime = map.seconds("maxTime", 0);
            long defaultTime = map.seconds("defaultTime", 0);
            if (maxTime > 0 && defaultTime > maxTime) {
                throw new InvalidClusterFile(map.place("defaultTime"), "is above maxTime");
            }
            int maxNodes = map.number("maxNodes", 0);
            int jobFactor = map.number("jobFactor", 1);
            int tier = map.number("tier", 1);
            long memory = map.number("defaultMemoryPerCpu", 0);
            records.add(part ->
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
                            memory));
        }
        if (partitions.keys().isEmpty()) {
            throw new InvalidClusterFile(partitions.where(), "at least one partition is required");
        }
    }

    private static List<String> nodes(YamlMap map) throws InvalidClusterFile {
        String nodes = map.text("nodes");
        if (nodes == null || nodes.equals("ALL")) {
            return List.of("ALL");
        }
        try {
            return HostList.expand(nodes);
        } catch (IllegalArgumentException e) {
            throw new InvalidClusterFile(
                    map.place("nodes"),
                    "'" + nodes + "' is neither ALL nor a list such as gpu-[01-08]");
        }
    }

    private void addQos(YamlMap all) throws InvalidClusterFile {
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only("priority");
            int priority = map.number("priority", 0);
            records.add(part -> new Qos(part, name, priority));
        }
    }

    private void addAccounts(YamlMap accounts) throws InvalidClusterFile {
        for (String name : accounts.names()) {
            YamlMap map = accounts.map(name);
            if (name.equals(ConfigEntry.ROOT_ACCOUNT)) {
                map.only("users");
                continue;
            }
            map.only("parent", "shares", "users");
            int shares = shares(map.place("shares"), map.at("shares"));
            @Nullable String parent = parent(accounts, map);
            records.add(part -> new Account(part, name, parent, shares));
        }
        for (String name : accounts.keys()) {
            refuseCycle(accounts, name);
        }
        var defaults = new DefaultAccounts(accounts);
        for (String account : accounts.keys()) {
            YamlMap users = accounts.map(account).map("users");
            for (String user : users.names()) {
                int shares = userShares(users, user);
                boolean isDefault = account.equals(defaults.of(user));
                records.add(part -> new Association(part, account, user, shares, isDefault));
            }
        }
    }

    private static @Nullable String parent(YamlMap accounts, YamlMap account)
            throws InvalidClusterFile {
        String parent = account.text("parent");
        if (parent == null || parent.equals(ConfigEntry.ROOT_ACCOUNT)) {
            return null;
        }
        if (!accounts.has(parent)) {
            throw new InvalidClusterFile(
                    account.place("parent"), "there is no account '" + parent + "'");
        }
        return parent;
    }

    private static void refuseCycle(YamlMap accounts, String account) throws InvalidClusterFile {
        Set<String> above = new HashSet<>();
        for (@Nullable String at = account; at != null; at = parent(accounts, accounts.map(at))) {
            if (!above.add(at)) {
                throw new InvalidClusterFile(
                        accounts.place(account) + ".parent", "the account is below itself");
            }
        }
    }

    private static int userShares(YamlMap users, String user) throws InvalidClusterFile {
        if (!users.at(user).isObject()) {
            return shares(users.place(user), users.at(user));
        }
        YamlMap map = users.map(user);
        map.only("shares", "default");
        return shares(map.place("shares"), map.at("shares"));
    }

    /// A number, or `parent`; 1 where there is none.
    private static int shares(String place, JsonNode value) throws InvalidClusterFile {
        if (value.isMissingNode() || value.isNull()) {
            return 1;
        }
        if (value.isTextual() && value.textValue().equals("parent")) {
            return ConfigEntry.PARENT_SHARES;
        }
        try {
            return YamlMap.number(place, value);
        } catch (InvalidClusterFile e) {
            throw new InvalidClusterFile(
                    place,
                    "shares '" + value.asText() + "' are neither a whole number from 0 nor parent");
        }
    }

    private void checkReferences(YamlMap root) throws InvalidClusterFile {
        String account = root.name("defaultAccount");
        if (!root.map("accounts").has(account)) {
            throw new InvalidClusterFile("defaultAccount", "there is no account '" + account + "'");
        }
        String qos = root.name("defaultQos");
        if (!root.map("qos").has(qos)) {
            throw new InvalidClusterFile("defaultQos", "there is no QOS '" + qos + "'");
        }
    }
}
