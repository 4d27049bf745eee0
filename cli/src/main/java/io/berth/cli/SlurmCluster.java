package io.berth.cli;

import io.berth.contracts.Gres;
import io.berth.contracts.PrivateData;
import io.berth.slurm.GresText;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.LicensesText;
import io.berth.slurm.SlurmConf;
import io.berth.slurm.SlurmConf.Line;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A cluster file as it comes together from Slurm's files: the words of slurm.conf here, partitions
/// in [SlurmPartitions], accounts in [SlurmAccounts], switches and blocks in [SlurmTopology].
///
/// Source: slurm.conf(5), gres.conf(5) of Slurm 22.05.
final class SlurmCluster {

    private static final long LEAST_JOB_AGE = 60;
    private static final long LEAST_TIME_SLICE = 5;
    static final Pattern WHOLE = Pattern.compile("[0-9]{1,9}");
    private static final Pattern WEIGHT = Pattern.compile("([^=]+)=([0-9]{1,9}(?:\\.[0-9]+)?)");
    private static final String AGENTS = SlurmElsewhere.AGENTS;

    /// The GPUs of which jobs get parts, by their name in Gres.
    private static final Set<String> PARTS = Set.of("mps", "shard");

    private static final String GRES_CONF =
            "the node's agent reads such a file: BERTH_AGENT_GRES_CONF=/etc/berth/gres.conf";

    private static final String UNLESS =
            ", unless other lines have some: a node stands in one rule";

    /// Lines that say what Berth does anyway.
    static final Map<String, String> ANYWAY =
            Map.of(
                    "SelectType", "select/cons_tres",
                    "SchedulerType", "sched/backfill",
                    "PriorityType", "priority/multifactor",
                    "ProctrackType", "proctrack/cgroup",
                    "AccountingStorageType", "accounting_storage/slurmdbd",
                    "JobAcctGatherType", "jobacct_gather/cgroup");

    private static final Set<String> PRIVATE =
            Stream.of(PrivateData.values()).map(Enum::name).collect(Collectors.toSet());

    /// The cluster file's name of each weight.
    static final Map<String, String> WEIGHTS =
            Map.of(
                    "PriorityWeightAge", "age",
                    "PriorityWeightFairShare", "fairShare",
                    "PriorityWeightJobSize", "jobSize",
                    "PriorityWeightPartition", "partition",
                    "PriorityWeightQOS", "qos",
                    "PriorityWeightAssoc", "association");

    private static final Map<String, String> BY_SMALL_LETTERS =
            Stream.of(ANYWAY, WEIGHTS)
                    .flatMap(it -> it.entrySet().stream())
                    .collect(
                            Collectors.toMap(
                                    it -> it.getKey().toLowerCase(Locale.ROOT),
                                    Map.Entry::getValue));

    private final Map<String, Object> fairShare = new LinkedHashMap<>();
    private final Map<String, Object> priority = new LinkedHashMap<>();
    private final Map<String, Object> weights = new LinkedHashMap<>();
    private final Map<String, Object> preemption = new LinkedHashMap<>();
    private final SlurmTopology topology = new SlurmTopology();
    private final SlurmNodeSets nodeSets = new SlurmNodeSets();
    private final Map<String, Object> nodeWeights = new LinkedHashMap<>();
    private final Map<String, Object> endedJobs = new LinkedHashMap<>();
    private @Nullable Long switchWait;
    private boolean wholeCores;
    private boolean leastLoaded;
    private boolean fifo;
    private final Map<String, Object> licenses = new LinkedHashMap<>();

    /// Of the lines of nodes that say none, as the last `NodeName=DEFAULT` has it.
    private String defaultWeight = "";

    private final Map<String, Object> gres = new LinkedHashMap<>();
    private @Nullable Map<String, Object> gresOfAll;
    private boolean gresOfSome;
    private final Set<PrivateData> hidden = EnumSet.noneOf(PrivateData.class);
    private final List<String> leftOut = new ArrayList<>();
    private final SlurmAccounts accounts = new SlurmAccounts();
    private final SlurmPartitions partitions = new SlurmPartitions(accounts);
    private String name = "cluster";

    void take(SlurmConf file) {
        for (Line line : file.lines()) {
            String place = file.name() + ":" + line.number() + ": ";
            switch (line.key()) {
                case "partitionname" ->
                        partitions.take(line).forEach(it -> leftOut.add(place + it));
                case "nodeset" -> nodeSets.take(line);
                case "switchname" ->
                        topology.addSwitch(line).forEach(it -> leftOut.add(place + it));
                case "blockname" -> topology.addBlock(line);
                case "blocksizes" -> topology.addSizes(line);
                case "cluster", "parent", "user", "account" ->
                        accounts.take(line.text()).forEach(it -> leftOut.add(place + it));
                default -> setting(line, place);
            }
        }
    }

    /// Takes a topology.yaml.
    ///
    /// @param file its name, for messages
    void takeTopology(String file, String text) {
        topology.take(text).forEach(it -> leftOut.add(file + ": " + it));
    }

    /// Takes note of what could not be read at all.
    void leaveOut(String what) {
        leftOut.add(what);
    }

    private void setting(Line line, String place) {
        String key = line.key();
        String value = line.value(key, "");
        String own = BY_SMALL_LETTERS.getOrDefault(key, "");
        if (ANYWAY.containsValue(own) && value.equalsIgnoreCase(own)) {
            return;
        }
        if (WEIGHTS.containsValue(own) && value.matches("[0-9]{1,9}")) {
            weights.put(own, Long.valueOf(value));
            return;
        }
        switch (key) {
            case "clustername" -> name = value;
            case "prioritydecayhalflife" -> fairShare.put("halfLife", value);
            case "prioritymaxage" -> priority.put("maxAge", value);
            case "priorityfavorsmall" -> priority.put("favorSmall", value.equalsIgnoreCase("yes"));
            case "fairsharedampeningfactor" -> number(fairShare, "dampening", line, place);
            case "priorityusageresetperiod" -> fairShare.put("usageReset", value);
            case "priorityweighttres" -> tres(value, place);
            case "priorityflags" -> flags(value, place);
            case "preempttype" -> preemptType(value, place);
            case "preemptmode" -> preemptMode(value, place);
            case "preemptexempttime" -> exemptTime(value);
            case "preemptparameters" -> preemptParameters(value, place);
            case "minjobage" -> minJobAge(value, line, place);
            case "schedulertimeslice" -> timeSlice(line, place);
            case "debugflags" -> debugFlags(value, place);
            case "topologyplugin" -> topologyPlugin(value, place);
            case "privatedata" -> privateData(value, place);
            case "selecttypeparameters" -> selectTypeParameters(value, place);
            case "prioritytype" -> priorityType(value, place);
            case "licenses" -> licenses(value, place);
            case "defmempercpu",
                    "defmempergpu",
                    "defmempernode",
                    "maxmempercpu",
                    "maxmempernode",
                    "overtimelimit",
                    "defcpupergpu",
                    "jobdefaults",
                    "disablerootjobs" ->
                    partitions
                            .ofAll(key, value)
                            .ifPresent(why -> leftOut.add(place + line.text() + ": " + why));
            case "nodename" -> {
                nodeSets.node(line);
                node(line, place);
            }
            case "schedulerparameters" -> schedulerParameters(line, place);
            case "name" -> leftOut.add(place + line.text() + ": " + ofGres(value, "ALL"));
            default -> leftOut.add(place + line.text() + ": " + SlurmElsewhere.why(key));
        }
    }

    /// Its weight; all else its agent tells. A line of slurm.conf, or of gres.conf, on some nodes:
    /// their weight, and what they have of resources other than GPUs, as far as it names no device
    /// files.
    private void node(Line line, String place) {
        String named = line.value("nodename", "");
        boolean defaults = named.equals("DEFAULT");
        String nodes = defaults ? "ALL" : named;
        boolean ofGresConf = line.values().containsKey("name");
        String weight = line.value("weight", ofGresConf || defaults ? "" : defaultWeight);
        boolean weighed = WHOLE.matcher(weight).matches();
        if (weighed && defaults) {
            defaultWeight = weight;
        } else if (weighed) {
            nodeWeights.put(nodes, Long.valueOf(weight));
        }
        String listed = line.value("gres", "");
        String others = gres(listed, place);
        gresOfSome |= !listed.isEmpty() && !nodes.equals("ALL");
        if (!others.isEmpty()) {
            var entry = new LinkedHashMap<String, Object>();
            entry.put("nodes", nodes);
            entry.put("has", others);
            if (nodes.equals("ALL")) {
                gresOfAll = entry;
            } else {
                gres.put("gres" + (gres.size() + 1), entry);
            }
        }
        leftOut.add(
                place
                        + line.text()
                        + ": "
                        + (ofGresConf ? ofGres(line.value("name", ""), nodes) : AGENTS)
                        + sharedIn(listed, nodes)
                        + SlurmElsewhere.ofNodes(line.values())
                        + (weighed ? "; its weight is carried over" : "")
                        + (others.isEmpty() ? "" : "; resources other than GPUs are carried over")
                        + (!others.isEmpty() && nodes.equals("ALL") ? UNLESS : ""));
    }

    /// Of a line of gres.conf.
    private static String ofGres(String name, String nodes) {
        String kind = name.toLowerCase(Locale.ROOT);
        return PARTS.contains(kind)
                ? AGENTS + SlurmElsewhere.shared(kind, nodes)
                : kind.equals("gpu") || Gres.isName(kind) ? GRES_CONF : AGENTS;
    }

    /// Of what Gres= lists, GPUs that are given out in parts.
    private static String sharedIn(String list, String nodes) {
        return CliOption.split(list).stream()
                .map(item -> item.split("[:(]", 2)[0].toLowerCase(Locale.ROOT))
                .filter(PARTS::contains)
                .distinct()
                .map(kind -> SlurmElsewhere.shared(kind, nodes))
                .collect(Collectors.joining());
    }

    private void priorityType(String value, String place) {
        fifo = value.equalsIgnoreCase("priority/basic");
        if (!fifo) {
            leftOut.add(place + "PriorityType=" + value + ": " + SlurmElsewhere.UNKNOWN);
        }
    }

    private void licenses(String list, String place) {
        try {
            LicensesText.parse(list).forEach(licenses::put);
        } catch (InvalidOption e) {
            leftOut.add(place + "Licenses=" + list + ": it is no list such as matlab:2,ansys");
        }
    }

    /// Of a node's resources those other than GPUs that a cluster file can have.
    private String gres(String list, String place) {
        var taken = new ArrayList<String>();
        for (String item : CliOption.split(list)) {
            if (!Gres.isName(item.split("[:(]", 2)[0])) {
                continue;
            }
            try {
                if (List.of(item.split(":")).contains("no_consume")) {
                    throw InvalidOption.refused("a job holds what it asks for");
                }
                GresText.parse(item).forEach(it -> taken.add(it.text()));
            } catch (InvalidOption e) {
                leftOut.add(place + "Gres=" + item + ": " + e.getMessage());
            }
        }
        return String.join(",", taken);
    }

    private void schedulerParameters(Line line, String place) {
        for (String parameter : CliOption.split(line.value("schedulerparameters", ""))) {
            String[] pair = parameter.split("=", 2);
            boolean ofSwitches =
                    pair[0].equals("max_switch_wait")
                            && pair.length > 1
                            && WHOLE.matcher(pair[1]).matches();
            if (ofSwitches && Long.parseLong(pair[1]) > 0) {
                switchWait = Long.valueOf(pair[1]);
            } else {
                leftOut.add(
                        place
                                + "SchedulerParameters="
                                + parameter
                                + ": "
                                + (ofSwitches
                                        ? "maxSwitchWait must be above 0"
                                        : SlurmElsewhere.parameter(pair[0])));
            }
        }
    }

    private void privateData(String value, String place) {
        for (String word : CliOption.split(value.toUpperCase(Locale.ROOT))) {
            if (word.equals("ALL")) {
                hidden.addAll(EnumSet.allOf(PrivateData.class));
            } else if (PRIVATE.contains(word)) {
                hidden.add(PrivateData.valueOf(word));
            } else if (!word.equals("NONE")) {
                leftOut.add(place + "PrivateData=" + word + ": Berth keeps nothing of the kind");
            }
        }
    }

    /// Whether jobs get whole cores. A word that says so without memory is told as well: memory is
    /// always given out.
    private void selectTypeParameters(String value, String place) {
        for (String word : CliOption.split(value)) {
            String parameter = word.toUpperCase(Locale.ROOT);
            wholeCores |= parameter.matches("CR_(CORE|SOCKET)(_MEMORY)?");
            leastLoaded |= parameter.equals("CR_LLN");
            String otherwise =
                    switch (parameter) {
                        case "CR_CORE_MEMORY", "CR_CPU_MEMORY", "CR_LLN" -> "";
                        case "CR_CORE", "CR_CPU" -> "memory is always given out, too";
                        case "CR_MEMORY" -> "CPUs are always given out, too";
                        case "CR_SOCKET", "CR_SOCKET_MEMORY" ->
                                "jobs get whole cores (wholeCores), and no whole sockets unless they ask for their nodes alone";
                        case "CR_PACK_NODES" -> "a job's tasks are spread evenly over its nodes";
                        case "CR_ONE_TASK_PER_CORE" ->
                                "a job says it: --cpus-per-task with the threads of a core";
                        case "CR_CORE_DEFAULT_DIST_BLOCK" ->
                                "a job gets the CPUs that are nearest to its GPUs, else the first";
                        default -> SlurmElsewhere.UNKNOWN;
                    };
            if (!otherwise.isEmpty()) {
                leftOut.add(place + "SelectTypeParameters=" + word + ": " + otherwise);
            }
        }
    }

    private void minJobAge(String value, Line line, String place) {
        if (WHOLE.matcher(value).matches() && Long.parseLong(value) >= LEAST_JOB_AGE) {
            endedJobs.put("minAge", SlurmTime.full(Long.parseLong(value)));
        } else {
            leftOut.add(place + line.text() + ": ended jobs are known for a minute at least");
        }
    }

    private void number(Map<String, Object> section, String key, Line line, String place) {
        String value = line.value(line.key(), "");
        if (WHOLE.matcher(value).matches()) {
            section.put(key, Long.valueOf(value));
        } else {
            leftOut.add(place + line.text() + ": " + SlurmPartitions.NO_NUMBER);
        }
    }

    private void tres(String list, String place) {
        var tres = new LinkedHashMap<String, Object>();
        for (String item : CliOption.split(list)) {
            Matcher weight = WEIGHT.matcher(item);
            if (weight.matches()) {
                tres.put(
                        weight.group(1).toLowerCase(Locale.ROOT),
                        Math.round(Double.parseDouble(weight.group(2))));
            } else {
                leftOut.add(place + "PriorityWeightTRES=" + item + ": it is none such as CPU=1000");
            }
        }
        put(weights, "tres", tres);
    }

    private void flags(String value, String place) {
        for (String flag : CliOption.split(value)) {
            switch (flag.toUpperCase(Locale.ROOT)) {
                case "FAIR_TREE" -> {}
                case "NO_FAIR_TREE" -> fairShare.put("rule", "classic");
                case "SMALL_RELATIVE_TO_TIME" -> priority.put("sizeByTime", true);
                default ->
                        leftOut.add(
                                place + "PriorityFlags=" + flag + ": " + SlurmElsewhere.UNKNOWN);
            }
        }
    }

    private void preemptType(String value, String place) {
        String type = value.toLowerCase(Locale.ROOT).replace("preempt/", "");
        if (Set.of("none", "partition_prio", "qos").contains(type)) {
            preemption.put("type", type);
        } else {
            leftOut.add(place + "PreemptType=" + value + ": " + SlurmElsewhere.UNKNOWN);
        }
    }

    private void preemptMode(String value, String place) {
        String mode = "";
        boolean gang = false;
        for (String word : CliOption.split(value.toUpperCase(Locale.ROOT))) {
            if (SlurmPartitions.MODES.contains(word) && mode.isEmpty()) {
                mode = word;
            } else if (word.equals("GANG")) {
                gang = true;
            } else {
                leftOut.add(place + "PreemptMode=" + word + ": Berth knows no such mode");
            }
        }
        boolean turns = gang && mode.equals("SUSPEND");
        if (gang && !turns) {
            leftOut.add(
                    place
                            + "PreemptMode="
                            + value
                            + ": jobs take turns only where one is suspended for the other: SUSPEND,GANG");
        }
        if (!mode.isEmpty()) {
            preemption.put("mode", turns ? "SUSPEND,GANG" : mode);
        }
    }

    private void timeSlice(Line line, String place) {
        String value = line.value("schedulertimeslice", "");
        if (WHOLE.matcher(value).matches() && Long.parseLong(value) < LEAST_TIME_SLICE) {
            leftOut.add(place + line.text() + ": a turn lasts 5 seconds at least");
        } else {
            number(preemption, "timeSlice", line, place);
        }
    }

    private void debugFlags(String value, String place) {
        for (String flag : CliOption.split(value)) {
            leftOut.add(place + "DebugFlags=" + flag + ": " + SlurmElsewhere.debugFlag(flag));
        }
    }

    private void topologyPlugin(String value, String place) {
        String kind = value.toLowerCase(Locale.ROOT).replace("topology/", "");
        if (!Set.of("tree", "block", "flat", "default", "none").contains(kind)) {
            leftOut.add(place + "TopologyPlugin=" + value + ": " + SlurmTopology.KINDS);
        }
    }

    /// Slurm's -1 is none.
    private void exemptTime(String value) {
        if (!value.equals("-1")) {
            preemption.put("exemptTime", value);
        }
    }

    private void preemptParameters(String value, String place) {
        for (String parameter : CliOption.split(value)) {
            switch (parameter.toLowerCase(Locale.ROOT)) {
                case "youngest_first" -> preemption.put("youngestFirst", true);
                case "strict_order" -> {}
                default ->
                        leftOut.add(
                                place
                                        + "PreemptParameters="
                                        + parameter
                                        + ": "
                                        + SlurmElsewhere.UNKNOWN);
            }
        }
    }

    String yaml() {
        var file = new LinkedHashMap<String, Object>();
        file.put("name", name);
        file.put("defaultAccount", accounts.defaultAccount());
        file.put("defaultQos", SlurmAccounts.QOS);
        put(file, "fairShare", fairShare);
        if (!fifo) {
            put(priority, "weights", weights);
        }
        put(file, "priority", priority);
        String type = String.valueOf(preemption.getOrDefault("type", "none"));
        if (!type.equals("none")) {
            preemption.putIfAbsent("mode", "OFF");
        }
        put(file, "preemption", preemption);
        file.put("partitions", partitions.entries(nodeSets));
        file.put("qos", accounts.qos());
        file.put("accounts", accounts.entries());
        put(file, "adminLevels", accounts.levels());
        put(file, "licenses", licenses);
        if (!hidden.isEmpty()) {
            file.put(
                    "privateData",
                    hidden.stream().map(it -> it.name().toLowerCase(Locale.ROOT)).toList());
        }
        if (wholeCores) {
            file.put("wholeCores", true);
        }
        if (leastLoaded) {
            file.put("packing", "least-loaded");
        }
        topology.write(file);
        put(file, "nodeWeights", nodeWeights);
        put(file, "endedJobs", endedJobs);
        if (switchWait != null) {
            file.put("maxSwitchWait", SlurmTime.full(switchWait));
        }
        if (!gresOfSome && gresOfAll != null) {
            gres.put("gres1", gresOfAll);
        }
        put(file, "gres", gres);
        return "# Made of Slurm's configuration by 'berth import slurm'. Its QOS and prices are not in those"
                + " files:\n# add them here. 'berth apply -f' takes it over.\n"
                + YamlText.of(file);
    }

    private static void put(Map<String, Object> into, String key, Map<String, Object> section) {
        if (!section.isEmpty()) {
            into.put(key, section);
        }
    }

    /// What was not carried over: file, line, what, and why.
    List<String> leftOut() {
        var all = new ArrayList<>(leftOut);
        all.addAll(nodeSets.leftOut());
        if (fifo && !weights.isEmpty()) {
            all.add("PriorityWeight…: with priority/basic jobs go in the order in which they came");
        }
        return List.copyOf(all);
    }
}
