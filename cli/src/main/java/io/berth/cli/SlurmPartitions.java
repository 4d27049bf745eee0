package io.berth.cli;

import io.berth.slurm.SlurmConf.Line;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The partitions of a slurm.conf as a cluster file has them.
final class SlurmPartitions {

    static final String NO_NUMBER = "it is no whole number below 1000000000";

    /// The cluster file's name of each number.
    static final Map<String, String> NUMBERS =
            Map.ofEntries(
                    Map.entry("maxnodes", "maxNodes"),
                    Map.entry("minnodes", "minNodes"),
                    Map.entry("priorityjobfactor", "jobFactor"),
                    Map.entry("prioritytier", "tier"),
                    Map.entry("defcpupergpu", "defaultCpusPerGpu"),
                    Map.entry("defmempercpu", "defaultMemoryPerCpu"),
                    Map.entry("defmempergpu", "defaultMemoryPerGpu"),
                    Map.entry("defmempernode", "defaultMemoryPerNode"),
                    Map.entry("maxmempernode", "maxMemoryPerNode"),
                    Map.entry("maxcpuspernode", "maxCpusPerNode"),
                    Map.entry("maxcpuspersocket", "maxCpusPerSocket"),
                    Map.entry("maxmempercpu", "maxMemoryPerCpu"),
                    Map.entry("gracetime", "graceTime"));

    /// What may become of a job that gives way.
    static final Set<String> MODES = Set.of("OFF", "CANCEL", "REQUEUE", "SUSPEND");

    /// Of two that exclude each other, the other one.
    static final Map<String, String> RIVALS =
            Map.of(
                    "defaultMemoryPerCpu", "defaultMemoryPerNode",
                    "defaultMemoryPerNode", "defaultMemoryPerCpu",
                    "maxMemoryPerCpu", "maxMemoryPerNode",
                    "maxMemoryPerNode", "maxMemoryPerCpu");

    /// In the place of a number that Slurm calls UNLIMITED: Berth says nothing of it, whatever a
    /// partition would have from DEFAULT or from the cluster.
    private static final Object UNLIMITED = new Object();

    private static final Pattern OVER_SUBSCRIBE =
            Pattern.compile("(?:YES|FORCE)(?::[1-9]\\d{0,3})?");

    private static final Set<String> JOB_DEFAULTS = Set.of("defcpupergpu", "defmempergpu");

    private final SlurmAccounts accounts;
    private final Map<String, Map<String, Object>> partitions = new LinkedHashMap<>();
    private final Map<String, Object> defaults = new LinkedHashMap<>();

    /// What partitions have that say nothing, wherever in the file it stands.
    private final Map<String, Object> ofCluster = new LinkedHashMap<>();

    SlurmPartitions(SlurmAccounts accounts) {
        this.accounts = accounts;
    }

    /// DefMemPerCPU and the like of the whole cluster, or JobDefaults.
    ///
    /// @return why it cannot be carried over, if it cannot
    Optional<String> ofAll(String key, String value) {
        return set(ofCluster, key, value) ? Optional.empty() : Optional.of(why(key));
    }

    /// @return what of the line could not be carried over
    List<String> take(Line line) {
        var leftOut = new ArrayList<String>();
        String name = line.value("partitionname", "");
        boolean ofAll = name.equals("DEFAULT");
        Map<String, Object> entry =
                ofAll
                        ? defaults
                        : partitions.computeIfAbsent(name, _ -> new LinkedHashMap<>(defaults));
        line.values()
                .forEach((key, value) -> {
                    if (!set(entry, key, value)) {
                        leftOut.add(key + "=" + value + " of partition " + name + ": " + why(key));
                    }
                });
        return leftOut;
    }

    private boolean set(Map<String, Object> entry, String key, String value) {
        String number = NUMBERS.get(key);
        if (number != null) {
            return putNumber(entry, number, value);
        }
        switch (key) {
            case "partitionname" -> {}
            case "nodes" -> entry.put("nodes", value);
            case "default" -> entry.put("default", value.equalsIgnoreCase("yes"));
            case "maxtime" -> entry.put("maxTime", value);
            case "defaulttime" -> entry.put("defaultTime", value);
            case "overtimelimit" -> {
                if (value.equalsIgnoreCase("unlimited")) {
                    return false;
                }
                entry.put("overTimeLimit", value);
            }
            case "lln" -> entry.put("leastLoaded", value.equalsIgnoreCase("yes"));
            case "hidden" -> entry.put("hidden", value.equalsIgnoreCase("yes"));
            case "disablerootjobs" -> entry.put("disableRootJobs", value.equalsIgnoreCase("yes"));
            case "jobdefaults" -> {
                return jobDefaults(entry, value);
            }
            case "rootonly" -> entry.put("rootOnly", value.equalsIgnoreCase("yes"));
            case "reqresv" -> entry.put("reservedOnly", value.equalsIgnoreCase("yes"));
            case "allocnodes" -> entry.put("allocNodes", value);
            case "oversubscribe" -> {
                entry.remove("exclusive");
                entry.remove("overSubscribe");
                String said = value.toUpperCase(Locale.ROOT);
                if (said.equals("EXCLUSIVE")) {
                    entry.put("exclusive", true);
                } else if (OVER_SUBSCRIBE.matcher(said).matches()) {
                    entry.put("overSubscribe", said);
                } else {
                    return said.equals("NO");
                }
            }
            case "exclusivetopo" -> entry.put("exclusiveTopo", value.equalsIgnoreCase("yes"));
            case "exclusiveuser" -> entry.put("exclusiveUser", value.equalsIgnoreCase("yes"));
            case "allowgroups" -> {
                if (!value.equalsIgnoreCase("all")) {
                    entry.put("allowGroups", CliOption.split(value));
                }
            }
            case "state" -> entry.put("state", value.toLowerCase(Locale.ROOT));
            case "allowaccounts" -> putAccounts(entry, "allowAccounts", value);
            case "denyaccounts" -> putAccounts(entry, "denyAccounts", value);
            case "allowqos" -> putQos(entry, "allowQos", value);
            case "denyqos" -> putQos(entry, "denyQos", value);
            case "preemptmode" -> {
                String mode = value.toUpperCase(Locale.ROOT);
                if (!MODES.contains(mode)) {
                    return false;
                }
                entry.put("preemptMode", mode);
            }
            case "qos" -> {
                accounts.knowQos(List.of(value));
                entry.put("qos", value);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /// False: it is no number.
    private static boolean putNumber(Map<String, Object> entry, String key, String value) {
        boolean unlimited = value.equalsIgnoreCase("unlimited");
        if (!unlimited && !SlurmCluster.WHOLE.matcher(value).matches()) {
            return false;
        }
        entry.remove(RIVALS.getOrDefault(key, ""));
        entry.put(key, unlimited ? UNLIMITED : Long.valueOf(value));
        return true;
    }

    /// `DefCpuPerGPU=4,DefMemPerGPU=16384`. False: one of them is no such default.
    private static boolean jobDefaults(Map<String, Object> entry, String value) {
        boolean all = true;
        for (String each : CliOption.split(value)) {
            String[] pair = each.split("=", 2);
            String key = pair[0].toLowerCase(Locale.ROOT);
            all &=
                    pair.length == 2
                            && JOB_DEFAULTS.contains(key)
                            && putNumber(entry, NUMBERS.getOrDefault(key, key), pair[1]);
        }
        return all;
    }

    private void putAccounts(Map<String, Object> entry, String key, String value) {
        if (!value.equalsIgnoreCase("all")) {
            accounts.know(CliOption.split(value));
            entry.put(key, CliOption.split(value));
        }
    }

    private void putQos(Map<String, Object> entry, String key, String value) {
        if (!value.equalsIgnoreCase("all")) {
            accounts.knowQos(CliOption.split(value));
            entry.put(key, CliOption.split(value));
        }
    }

    private static String why(String key) {
        return switch (key) {
            case "overtimelimit" -> "a run's time beyond its limit has an end: say how long";
            case "oversubscribe" -> "it is NO, EXCLUSIVE, YES:n or FORCE:n, n up to 9999";
            case "jobdefaults" ->
                    "they are DefCpuPerGPU and DefMemPerGPU, each a whole number below 1000000000";
            case "selecttypeparameters" -> "wholeCores is said of the whole cluster";
            case "exclusivetopo" ->
                    "jobs may have their nodes to themselves (exclusive), and no switches or"
                            + " blocks";
            case "preemptmode" -> "it is OFF, CANCEL, REQUEUE or SUSPEND";
            case "topology" -> "a cluster has one topology";
            case "tresbillingweights" -> "write it as prices";
            default -> NUMBERS.containsKey(key) ? NO_NUMBER : "Berth knows no such setting";
        };
    }

    /// @param sets of nodes that partitions may name
    Map<String, Object> entries(SlurmNodeSets sets) {
        var entries = new LinkedHashMap<String, Object>();
        partitions.forEach((name, own) -> {
            var entry = new LinkedHashMap<>(ofCluster);
            own.keySet().forEach(key -> entry.remove(RIVALS.getOrDefault(key, "")));
            entry.putAll(own);
            entry.values().removeIf(UNLIMITED::equals);
            entry.computeIfPresent("nodes", (_, nodes) -> sets.resolved(nodes.toString()));
            entries.put(name, entry);
        });
        return entries;
    }
}
