package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.AdminLevel;
import io.berth.contracts.Blocks;
import io.berth.contracts.DeclaredGres;
import io.berth.contracts.EndedJobs;
import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeWeight;
import io.berth.contracts.PrivateData;
import io.berth.contracts.SharedGpus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One record of a configuration revision. A revision counts only when all its records have been
/// read.
public sealed interface ConfigEntry {

    /// Shares of an account or a user that takes no part of its own in its parent's level: Slurm's
    /// `Fairshare=parent`.
    int PARENT_SHARES = -1;

    /// The account in which associations stand right under the root of the tree. It has no record.
    String ROOT_ACCOUNT = "root";

    Part part();

    /// The record's key in the topic, `<kind>/<name>`.
    String key();

    /// Which record of which revision: number 1 to `of`.
    record Part(long revision, int number, int of) {}

    /// What holds for the whole cluster.
    ///
    /// @param usageHalfLifeSeconds half-life of usage for fair share; 0 does not decay
    /// @param maxAgeSeconds waiting after which the age factor is 1
    /// @param defaultAccount account of users without an association
    /// @param defaultQos QOS of jobs that name none
    /// @param rules null is [PriorityRules#DEFAULT]
    /// @param preemption null is [PreemptRules#NONE]
    /// @param sharedGpus which GPUs are given out in parts; null is none
    /// @param migGpus which GPUs are divided anew as jobs need it; null is none
    /// @param nodeWeights in which order nodes are taken; null is none before another
    /// @param maxSwitchWaitSeconds how long a job waits for the switches that it wants at most;
    ///   null is five minutes
    /// @param gres resources other than GPUs that nodes have and do not tell of; null is none
    /// @param blocks of nodes that are close to one another; null is as their GPUs tell
    /// @param privateData what not everybody may see
    /// @param wholeCores whether jobs get CPUs by whole cores (CR_Core); null is no, one by one
    /// @param adminLevels of users who may do more than what is their own, by name
    /// @param packing by which policy one of the nodes with room is taken; null is that which is
    ///   left with the least
    /// @param ended how long jobs stay known after their end; null is [EndedJobs#DEFAULT]
    record Cluster(
            Part part,
            String name,
            String defaultAccount,
            String defaultQos,
            long usageHalfLifeSeconds,
            long maxAgeSeconds,
            boolean favorSmall,
            Weights weights,
            Prices prices,
            @Nullable PriorityRules rules,
            @Nullable PreemptRules preemption,
            @Nullable List<SharedGpus> sharedGpus,
            @Nullable List<MigGpus> migGpus,
            @Nullable List<NodeWeight> nodeWeights,
            @Nullable Long maxSwitchWaitSeconds,
            @Nullable List<DeclaredGres> gres,
            @Nullable Blocks blocks,
            @Added @JsonInclude(Include.NON_EMPTY) List<PrivateData> privateData,
            @Nullable Boolean wholeCores,
            @Added @JsonInclude(Include.NON_EMPTY) Map<String, AdminLevel> adminLevels,
            @Nullable String packing,
            @Nullable EndedJobs ended)
            implements ConfigEntry {

        private static final long MAX_SWITCH_WAIT_SECONDS = 300;

        public Cluster {
            privateData = privateData == null ? List.of() : List.copyOf(privateData);
            sharedGpus = sharedGpus == null ? null : List.copyOf(sharedGpus);
            migGpus = migGpus == null ? null : List.copyOf(migGpus);
            nodeWeights = nodeWeights == null ? null : new NodeWeights(nodeWeights);
            gres = gres == null ? null : List.copyOf(gres);
            wholeCores = Boolean.TRUE.equals(wholeCores) ? true : null;
            adminLevels =
                    adminLevels == null
                            ? Map.of()
                            : Collections.unmodifiableMap(new TreeMap<>(adminLevels));
            ended = EndedJobs.DEFAULT.equals(ended) ? null : ended;
        }

        /// A cluster whose GPUs are all given out whole, and where everybody sees everything.
        public Cluster(
                Part part,
                String name,
                String defaultAccount,
                String defaultQos,
                long usageHalfLifeSeconds,
                long maxAgeSeconds,
                boolean favorSmall,
                Weights weights,
                Prices prices,
                @Nullable PriorityRules rules,
                @Nullable PreemptRules preemption) {
            this(
                    part,
                    name,
                    defaultAccount,
                    defaultQos,
                    usageHalfLifeSeconds,
                    maxAgeSeconds,
                    favorSmall,
                    weights,
                    prices,
                    rules,
                    preemption,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    List.of(),
                    null,
                    Map.of(),
                    null,
                    null);
        }

        /// A cluster with the default rules.
        public Cluster(
                Part part,
                String name,
                String defaultAccount,
                String defaultQos,
                long usageHalfLifeSeconds,
                long maxAgeSeconds,
                boolean favorSmall,
                Weights weights,
                Prices prices) {
            this(
                    part,
                    name,
                    defaultAccount,
                    defaultQos,
                    usageHalfLifeSeconds,
                    maxAgeSeconds,
                    favorSmall,
                    weights,
                    prices,
                    null,
                    null);
        }

        public PriorityRules priorityRules() {
            return rules == null ? PriorityRules.DEFAULT : rules;
        }

        /// The same cluster with other words about its nodes or about who sees what.
        public Cluster with(Consumer<Draft> change) {
            var draft = new Draft(this);
            change.accept(draft);
            return new Cluster(
                    part,
                    name,
                    defaultAccount,
                    defaultQos,
                    usageHalfLifeSeconds,
                    maxAgeSeconds,
                    favorSmall,
                    weights,
                    prices,
                    rules,
                    preemption,
                    draft.sharedGpus,
                    draft.migGpus,
                    nodeWeights,
                    maxSwitchWaitSeconds,
                    draft.gres,
                    draft.blocks,
                    draft.privateData,
                    draft.wholeCores,
                    draft.adminLevels,
                    draft.packing,
                    draft.ended);
        }

        public EndedJobs endedJobs() {
            return ended == null ? EndedJobs.DEFAULT : ended;
        }

        /// Whether jobs get CPUs by whole cores.
        public boolean byCore() {
            return wholeCores != null;
        }

        /// The weight that a node has unless an operator gave it another one.
        public int weightOf(NodeName node) {
            return nodeWeights instanceof NodeWeights weights
                    ? weights.of(node)
                    : NodeWeight.DEFAULT;
        }

        /// How long a job waits at most for the switches that it wants.
        public long switchWaitSeconds() {
            return maxSwitchWaitSeconds == null ? MAX_SWITCH_WAIT_SECONDS : maxSwitchWaitSeconds;
        }

        /// What a node has of resources other than GPUs: what it tells of itself, and of other
        /// names what the configuration says.
        public List<Gres> gresOn(NodeName node, Inventory told) {
            for (DeclaredGres declared : gres == null ? List.<DeclaredGres>of() : gres) {
                if (declared.on(node)) {
                    if (told.gres().isEmpty()) {
                        return declared.gres();
                    }
                    var names = new HashSet<String>();
                    told.gres().forEach(it -> names.add(it.name()));
                    var all = new ArrayList<>(told.gres());
                    declared.gres().stream()
                            .filter(it -> !names.contains(it.name()))
                            .forEach(all::add);
                    return all.stream().sorted().toList();
                }
            }
            return told.gres();
        }

        /// Which GPUs of that node are divided anew; null if none is.
        public @Nullable MigGpus dividedOn(NodeName node) {
            for (MigGpus divided : migGpus == null ? List.<MigGpus>of() : migGpus) {
                if (divided.on(node)) {
                    return divided;
                }
            }
            return null;
        }

        /// How GPUs of that node are shared; null if none is.
        public @Nullable SharedGpus sharedOn(NodeName node) {
            for (SharedGpus shared : sharedGpus == null ? List.<SharedGpus>of() : sharedGpus) {
                if (shared.on(node)) {
                    return shared;
                }
            }
            return null;
        }

        public PreemptRules preemptRules() {
            return preemption == null ? PreemptRules.NONE : preemption;
        }

        @Override
        public String key() {
            return "cluster/" + name;
        }
    }

    /// What [Cluster#with] may change; as the cluster has it until then.
    final class Draft {
        public @Nullable List<SharedGpus> sharedGpus;
        public @Nullable List<MigGpus> migGpus;
        public @Nullable List<DeclaredGres> gres;
        public @Nullable Blocks blocks;
        public List<PrivateData> privateData;
        public @Nullable Boolean wholeCores;
        public Map<String, AdminLevel> adminLevels;
        public @Nullable String packing;
        public @Nullable EndedJobs ended;

        private Draft(Cluster cluster) {
            sharedGpus = cluster.sharedGpus;
            migGpus = cluster.migGpus;
            gres = cluster.gres;
            blocks = cluster.blocks;
            privateData = cluster.privateData;
            wholeCores = cluster.wholeCores;
            adminLevels = cluster.adminLevels;
            packing = cluster.packing;
            ended = cluster.ended;
        }
    }

    /// Points that each factor of 1 adds to a priority: Slurm's PriorityWeight*.
    record Weights(int age, int fairShare, int jobSize, int partition, int qos) {}

    /// Billing units per second, in thousandths: Slurm's TRESBillingWeights.
    ///
    /// @param gpu of a GPU whose type has no price of its own
    record Prices(long cpu, long gib, long gpu, Map<String, Long> gpuByType) {

        public Prices {
            gpuByType = Collections.unmodifiableMap(new TreeMap<>(gpuByType));
        }
    }

    /// A partition.
    ///
    /// @param nodes names of its nodes; `ALL` alone is every node
    /// @param maxTimeSeconds 0 is unlimited
    /// @param defaultTimeSeconds limit of jobs that ask for none; 0 is the maximum
    /// @param maxNodes 0 is unlimited
    /// @param jobFactor points relative to other partitions (PriorityJobFactor)
    /// @param tier jobs of a higher tier are tried first (PriorityTier)
    /// @param defMemoryMibPerCpu memory of jobs that ask for none
    /// @param rules null is [PartitionRules#DEFAULT]
    record Partition(
            Part part,
            String name,
            boolean isDefault,
            List<String> nodes,
            long maxTimeSeconds,
            long defaultTimeSeconds,
            int maxNodes,
            int jobFactor,
            int tier,
            long defMemoryMibPerCpu,
            @Nullable PartitionRules rules)
            implements ConfigEntry {

        public Partition {
            nodes = List.copyOf(nodes);
        }

        /// A partition with the default rules.
        public Partition(
                Part part,
                String name,
                boolean isDefault,
                List<String> nodes,
                long maxTimeSeconds,
                long defaultTimeSeconds,
                int maxNodes,
                int jobFactor,
                int tier,
                long defMemoryMibPerCpu) {
            this(
                    part,
                    name,
                    isDefault,
                    nodes,
                    maxTimeSeconds,
                    defaultTimeSeconds,
                    maxNodes,
                    jobFactor,
                    tier,
                    defMemoryMibPerCpu,
                    null);
        }

        public PartitionRules partitionRules() {
            return rules == null ? PartitionRules.DEFAULT : rules;
        }

        @Override
        public String key() {
            return "partition/" + name;
        }
    }

    /// An account of the tree.
    ///
    /// @param parent null for an account right under the root
    /// @param shares its part of its siblings' level; or [#PARENT_SHARES]
    /// @param terms null is [Terms#NONE]
    /// @param details null is [AccountDetails#NONE]
    record Account(
            Part part,
            String name,
            @Nullable String parent,
            int shares,
            @Nullable Terms terms,
            @Nullable AccountDetails details)
            implements ConfigEntry {

        /// An account that limits nothing.
        public Account(Part part, String name, @Nullable String parent, int shares) {
            this(part, name, parent, shares, null, null);
        }

        public Terms ownTerms() {
            return terms == null ? Terms.NONE : terms;
        }

        public AccountDetails ownDetails() {
            return details == null ? AccountDetails.NONE : details;
        }

        @Override
        public String key() {
            return "account/" + name;
        }
    }

    /// A user's membership in an account.
    ///
    /// @param shares its part of its siblings' level; or [#PARENT_SHARES]
    /// @param isDefault whether jobs of this user that name no account belong to it
    /// @param terms null is [Terms#NONE]
    record Association(
            Part part,
            String account,
            String user,
            int shares,
            boolean isDefault,
            @Nullable Terms terms)
            implements ConfigEntry {

        /// A membership that limits nothing.
        public Association(Part part, String account, String user, int shares, boolean isDefault) {
            this(part, account, user, shares, isDefault, null);
        }

        public Terms ownTerms() {
            return terms == null ? Terms.NONE : terms;
        }

        @Override
        public String key() {
            return "association/" + account + "/" + user;
        }
    }

    /// A quality of service.
    ///
    /// @param rules null is [QosRules#NONE]
    record Qos(Part part, String name, int priority, @Nullable QosRules rules)
            implements ConfigEntry {

        /// A QOS that limits nothing.
        public Qos(Part part, String name, int priority) {
            this(part, name, priority, null);
        }

        public QosRules ownRules() {
            return rules == null ? QosRules.NONE : rules;
        }

        @Override
        public String key() {
            return "qos/" + name;
        }
    }

    /// Nodes that are kept for some users and accounts during a time. One that comes again does so
    /// for ever.
    ///
    /// Who may use it: of its users, if it names any, and of its accounts, if it names any; a name
    /// with `-` before it is of one who may not.
    ///
    /// @param startsAt of its first time, in epoch milliseconds
    /// @param endsAt of its first time, in epoch milliseconds, after the start
    /// @param nodes names; `ALL` alone is every node, or every one of the partition
    /// @param users who may use it
    /// @param accounts whose users may use it; an account stands for those below it
    /// @param flags by the names of [ReservationFlag]
    /// @param partition that its nodes are of; null is any
    /// @param purgeSeconds after which it goes if it is on and no job of it runs; null is never
    record Reservation(
            Part part,
            String name,
            long startsAt,
            long endsAt,
            List<String> nodes,
            List<String> users,
            List<String> accounts,
            List<String> flags,
            @Nullable String partition,
            @Nullable Long purgeSeconds)
            implements ConfigEntry {

        private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

        public Reservation {
            nodes = List.copyOf(nodes);
            users = List.copyOf(users);
            accounts = List.copyOf(accounts);
            flags = List.copyOf(flags);
        }

        /// One that stays, however long nobody uses it.
        public Reservation(
                Part part,
                String name,
                long startsAt,
                long endsAt,
                List<String> nodes,
                List<String> users,
                List<String> accounts,
                List<String> flags,
                @Nullable String partition) {
            this(part, name, startsAt, endsAt, nodes, users, accounts, flags, partition, null);
        }

        @Override
        public String key() {
            return "reservation/" + name;
        }

        public boolean has(ReservationFlag flag) {
            return flags.contains(flag.name());
        }

        /// From the start of one time to that of the next at least, in milliseconds; 0 for one that
        /// does not come again.
        public long periodMillis() {
            if (has(ReservationFlag.WEEKLY)) {
                return 7 * DAY_MILLIS;
            }
            boolean daily =
                    has(ReservationFlag.DAILY)
                            || has(ReservationFlag.WEEKDAY)
                            || has(ReservationFlag.WEEKEND);
            return daily ? DAY_MILLIS : 0;
        }

        /// The start of the time that is on at that moment, or of the next one; of the last one
        /// where none comes any more.
        public long startAt(long now) {
            long period = periodMillis();
            long start =
                    period == 0 || now < endsAt
                            ? startsAt
                            : startsAt + ((now - endsAt) / period + 1) * period;
            return comesOn(start) ? start : after(start);
        }

        /// The start of the time after the one that began then. Only of one that comes again.
        public long after(long start) {
            long next = start + periodMillis();
            while (!comesOn(next)) {
                next += periodMillis();
            }
            return next;
        }

        /// Whether it comes on that day of the week, if it comes on certain ones.
        private boolean comesOn(long start) {
            if (periodMillis() != DAY_MILLIS || has(ReservationFlag.DAILY)) {
                return true;
            }
            long monday = Math.floorDiv(start, DAY_MILLIS) + 3; // The first day was a Thursday.
            boolean weekend = Math.floorMod(monday, 7) >= 5;
            return has(weekend ? ReservationFlag.WEEKEND : ReservationFlag.WEEKDAY);
        }

        /// The end of the time that began then.
        public long endOf(long start) {
            return start + endsAt - startsAt;
        }

        /// Whether it is on at that moment.
        public boolean on(long now) {
            long start = startAt(now);
            return start <= now && now < endOf(start);
        }

        /// Whether it is over and does not come again.
        public boolean over(long now) {
            return now >= endOf(startAt(now));
        }

        /// Whether it may lie over others, and its jobs run where they are.
        public boolean overlaps() {
            return has(ReservationFlag.MAINT) || has(ReservationFlag.OVERLAP);
        }
    }

    /// Licenses of a program, which the whole cluster shares.
    ///
    /// @param count how many jobs may hold at once
    record License(Part part, String name, int count) implements ConfigEntry {

        @Override
        public String key() {
            return "license/" + name;
        }
    }

    /// A switch of the network: nodes that are close to one another. Slurm's topology.conf.
    ///
    /// @param nodes right under it, by name
    /// @param switches right under it, by name
    /// @param level what it is, such as a rack; null is named by its height
    record Switch(
            Part part,
            String name,
            List<String> nodes,
            List<String> switches,
            @Nullable String level)
            implements ConfigEntry {

        public Switch {
            nodes = List.copyOf(nodes);
            switches = List.copyOf(switches);
        }

        /// A switch of which only the height is known.
        public Switch(Part part, String name, List<String> nodes, List<String> switches) {
            this(part, name, nodes, switches, null);
        }

        @Override
        public String key() {
            return "switch/" + name;
        }
    }
}
