package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.AdminLevel;
import io.berth.contracts.Blocks;
import io.berth.contracts.DeclaredGres;
import io.berth.contracts.EndedJobs;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeWeight;
import io.berth.contracts.PrivateData;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Tres;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PriorityRules;
import io.berth.contracts.event.PriorityRules.FairShareRule;
import io.berth.contracts.event.PriorityRules.UsageReset;
import io.berth.core.fairshare.Decay;
import io.berth.core.packing.Policies;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A cluster file that was read and checked: the records of a configuration revision, in the file's
/// order.
public final class ClusterFile {

    private static final long WEEK = 7 * 86_400;
    private static final long DEFAULT_SWITCH_WAIT = 300;

    /// Within it a submission that was sent twice, under one idempotency key, finds its first job.
    private static final long LEAST_JOB_AGE = 60;

    private final JsonNode tree;
    private final List<Unnumbered> records = new ArrayList<>();

    private ClusterFile(JsonNode tree) {
        this.tree = tree;
    }

    /// What it says, with every user as a map. Not to be changed.
    public JsonNode tree() {
        return tree;
    }

    /// What it says with a JSON merge patch applied (RFC 7396). Users keep their default accounts.
    ///
    /// @throws InvalidClusterFile if the result breaks a rule
    public ClusterFile patched(JsonNode patch) throws InvalidClusterFile {
        return DefaultAccounts.kept(this, of(Document.patched(tree, patch)));
    }

    /// What it says with this entry of a section in place of the one that there may be, and where
    /// that stands: the order of accounts says which is a user's default. Users keep theirs.
    ///
    /// @throws InvalidClusterFile if the result breaks a rule
    public ClusterFile with(String section, String name, JsonNode entry) throws InvalidClusterFile {
        ObjectNode next = tree.deepCopy();
        next.withObjectProperty(section).set(name, entry);
        return DefaultAccounts.kept(this, of(next));
    }

    /// What `next` says otherwise.
    public List<Difference> differences(ClusterFile next) {
        return Difference.between(tree, next.tree);
    }

    /// Whether `next` says the same, in the same order.
    public boolean isSame(ClusterFile next) {
        return differences(next).isEmpty() && entries(0).equals(next.entries(0));
    }

    /// What jobs may name here and not in `next`.
    public List<Removed> removed(ClusterFile next) {
        var removed = new ArrayList<Removed>();
        gone(next, "partitions").forEach(it -> removed.add(new Removed.Partition(it)));
        gone(next, "qos").forEach(it -> removed.add(new Removed.Qos(it)));
        gone(next, "reservations").forEach(it -> removed.add(new Removed.Reservation(it)));
        gone(next, "accounts").forEach(it -> removed.add(new Removed.Account(it)));
        for (var account : tree.path("accounts").properties()) {
            JsonNode users = next.tree.path("accounts").path(account.getKey()).path("users");
            for (var user : account.getValue().path("users").properties()) {
                if (!users.has(user.getKey())) {
                    removed.add(new Removed.Association(account.getKey(), user.getKey()));
                }
            }
        }
        return removed;
    }

    private List<String> gone(ClusterFile next, String section) {
        return tree.path(section).properties().stream()
                .map(Map.Entry::getKey)
                .filter(it -> !next.tree.path(section).has(it))
                .toList();
    }

    /// How usage is forgotten under it.
    public Decay decay() {
        return entries(0).stream()
                .flatMap(
                        it -> it instanceof Cluster one ? Stream.of(Decay.of(one)) : Stream.empty())
                .findFirst()
                .orElse(Decay.NONE);
    }

    /// Its reservations.
    List<Reservation> reservations() {
        return entries(0).stream()
                .flatMap(it -> it instanceof Reservation one ? Stream.of(one) : Stream.empty())
                .toList();
    }

    /// Its partition of that name; null if there is none.
    @Nullable Partition partition(@Nullable String name) {
        return entries(0).stream()
                .flatMap(it -> it instanceof Partition one ? Stream.of(one) : Stream.empty())
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElse(null);
    }

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
        return of(YamlMap.tree(yaml));
    }

    /// The same of a tree that was read before.
    ///
    /// @throws InvalidClusterFile if it breaks a rule
    public static ClusterFile of(JsonNode tree) throws InvalidClusterFile {
        JsonNode normal = Document.normal(tree);
        YamlMap root = YamlMap.of("", normal);
        root.only(
                "name",
                "defaultAccount",
                "defaultQos",
                "fairShare",
                "priority",
                "preemption",
                "prices",
                "partitions",
                "qos",
                "accounts",
                "reservations",
                "licenses",
                "switches",
                "sharedGpus",
                "migGpus",
                "nodeWeights",
                "maxSwitchWait",
                "gres",
                "blocks",
                "blockSizes",
                "privateData",
                "wholeCores",
                "adminLevels",
                "packing",
                "endedJobs");
        var file = new ClusterFile(normal);
        file.addCluster(root);
        file.records.addAll(PartitionsSection.of(root));
        file.records.addAll(QosSection.of(root.map("qos")));
        file.records.addAll(AccountsSection.of(root));
        file.records.addAll(ReservationsSection.of(root));
        file.addLicenses(root.map("licenses"));
        file.records.addAll(TopologySection.of(root.map("switches")));
        checkReferences(root);
        return file;
    }

    private void addCluster(YamlMap root) throws InvalidClusterFile {
        YamlMap fairShare = root.map("fairShare");
        fairShare.only("halfLife", "rule", "dampening", "usageReset");
        YamlMap priority = root.map("priority");
        priority.only("maxAge", "favorSmall", "sizeByTime", "weights");
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
        Prices prices = PricesSection.of(root.map("prices"));
        PriorityRules rules = rules(fairShare, priority);
        @Nullable PriorityRules stored = rules.equals(PriorityRules.DEFAULT) ? null : rules;
        PreemptRules preempt = PreemptionSection.of(root.map("preemption"));
        List<SharedGpus> shared = SharedGpusSection.of(root.map("sharedGpus"));
        @Nullable List<SharedGpus> sharedGpus = shared.isEmpty() ? null : shared;
        List<MigGpus> divided = MigGpusSection.of(root.map("migGpus"));
        @Nullable List<MigGpus> migGpus = divided.isEmpty() ? null : divided;
        List<NodeWeight> weighed = NodeWeightsSection.of(root.map("nodeWeights"));
        @Nullable List<NodeWeight> nodeWeights = weighed.isEmpty() ? null : weighed;
        long switchWait = root.exactSeconds("maxSwitchWait", DEFAULT_SWITCH_WAIT);
        if (switchWait == 0) {
            throw new InvalidClusterFile(
                    root.place("maxSwitchWait"), "must be above 0, and have an end");
        }
        List<DeclaredGres> declared = GresSection.of(root.map("gres"));
        @Nullable Blocks blocks = BlocksSection.of(root);
        @Nullable List<DeclaredGres> gres = declared.isEmpty() ? null : declared;
        @Nullable PreemptRules preemption = preempt.equals(PreemptRules.NONE) ? null : preempt;
        List<PrivateData> hidden = privateData(root);
        boolean wholeCores = root.flag("wholeCores");
        Map<String, AdminLevel> adminLevels = adminLevels(root.map("adminLevels"));
        String packing = packing(root);
        EndedJobs ended = endedJobs(root.map("endedJobs"));
        records.add(part ->
                new Cluster(
                        part,
                        name,
                        account,
                        qos,
                        halfLife,
                        maxAge,
                        favorSmall,
                        weights,
                        prices,
                        stored,
                        preemption,
                        sharedGpus,
                        migGpus,
                        nodeWeights,
                        switchWait == DEFAULT_SWITCH_WAIT ? null : (Long) switchWait,
                        gres,
                        blocks,
                        hidden,
                        wholeCores,
                        adminLevels,
                        packing,
                        ended));
    }

    private static @Nullable String packing(YamlMap root) throws InvalidClusterFile {
        String named = root.text("packing");
        if (named != null && !Policies.live().contains(named)) {
            throw new InvalidClusterFile(
                    root.place("packing"),
                    "'" + named + "' is none of " + String.join(", ", Policies.live()));
        }
        return named;
    }

    private static EndedJobs endedJobs(YamlMap map) throws InvalidClusterFile {
        map.only("count", "minAge", "maxAge");
        EndedJobs usual = EndedJobs.DEFAULT;
        int count = map.number("count", usual.count());
        long minAge = map.exactSeconds("minAge", usual.minAgeSeconds());
        if (minAge < LEAST_JOB_AGE) {
            throw new InvalidClusterFile(
                    map.place("minAge"), "must be a minute at least, and have an end");
        }
        long maxAge = map.exactSeconds("maxAge", Math.max(minAge, usual.maxAgeSeconds()));
        if (maxAge < minAge) {
            throw new InvalidClusterFile(
                    map.place("maxAge"), "must not be below minAge, and have an end");
        }
        return new EndedJobs(count, minAge, maxAge);
    }

    private static List<PrivateData> privateData(YamlMap root) throws InvalidClusterFile {
        var hidden = EnumSet.noneOf(PrivateData.class);
        for (String kind : root.texts("privateData")) {
            hidden.add(YamlMap.choice("privateData", kind, PrivateData.class));
        }
        return List.copyOf(hidden);
    }

    private static Map<String, AdminLevel> adminLevels(YamlMap map) throws InvalidClusterFile {
        var levels = new TreeMap<String, AdminLevel>();
        for (String user : map.names()) {
            AdminLevel level = map.choice(user, AdminLevel.NONE);
            if (level != AdminLevel.NONE) {
                levels.put(user, level);
            }
        }
        return levels;
    }

    private void addLicenses(YamlMap licenses) throws InvalidClusterFile {
        for (String name : licenses.names()) {
            int count = licenses.number(name, 0);
            records.add(part -> new License(part, name, count));
        }
    }

    private static Weights weights(YamlMap map) throws InvalidClusterFile {
        map.only("age", "fairShare", "jobSize", "partition", "qos", "association", "tres");
        return new Weights(
                map.number("age", 0),
                map.number("fairShare", 0),
                map.number("jobSize", 0),
                map.number("partition", 0),
                map.number("qos", 0));
    }

    private static PriorityRules rules(YamlMap fairShare, YamlMap priority)
            throws InvalidClusterFile {
        YamlMap weights = priority.map("weights");
        YamlMap byResource = weights.map("tres");
        Map<String, Long> tres = new TreeMap<>();
        for (String resource : byResource.keys()) {
            if (!Tres.isName(resource) || Tres.ofParts(resource) || Tres.ofGres(resource)) {
                throw new InvalidClusterFile(
                        byResource.place(resource),
                        "is no resource; known are cpu, mem, node, gres/gpu and gres/gpu:TYPE");
            }
            tres.put(resource, (long) byResource.number(resource, 0));
        }
        int dampening = fairShare.number("dampening", 1);
        if (dampening == 0) {
            throw new InvalidClusterFile(fairShare.place("dampening"), "must be above 0");
        }
        return new PriorityRules(
                fairShare.choice("rule", FairShareRule.FAIR_TREE),
                dampening,
                fairShare.choice("usageReset", UsageReset.NONE),
                priority.flag("sizeByTime"),
                weights.number("association", 0),
                tres);
    }

    private static void checkReferences(YamlMap root) throws InvalidClusterFile {
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
