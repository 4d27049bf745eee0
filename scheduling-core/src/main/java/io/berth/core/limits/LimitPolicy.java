package io.berth.core.limits;

import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.Terms;
import io.berth.core.limits.LimitTimeline.Claim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The limits of one configuration, and whether a job may start or be accepted under them. Confined
/// to one thread.
///
/// *Precedence*: the QOS of the partition and the job's QOS (the other way around with
/// `OverPartQOS`), then the user's association, then its accounts up to the root. A limit that an
/// earlier one sets, for the same resource, is not read in a later one. `Max…` limits of an account
/// are those of each user below it who has none of his own; `Grp…` limits of an account hold for
/// all below it together, at every level.
///
/// *Order*: numbers of jobs and times first, then resources, each from the first place of
/// precedence to the last; the first limit met is the reason.
///
/// *Example*: QOS `normal` has MaxTRESPerUser=gres/gpu=8, and alice runs 6 GPUs in it. Her job of 4
/// GPUs waits for `QOSMaxGRESPerUser`; one of 2 starts.
///
/// Source: "Resource Limits" of Slurm 22.05; sacctmgr(1).
public final class LimitPolicy {

    private record Member(String account, String user) {}

    /// @param limiting those that limit something
    private record Places(List<Place> all, List<Place> limiting, List<String> keys) {

        static Places of(List<Place> all) {
            return new Places(
                    List.copyOf(all),
                    all.stream().filter(it -> !it.limits().none()).toList(),
                    keys(all));
        }

        static List<String> keys(List<Place> of) {
            return of.stream()
                    .flatMap(it ->
                            it.ofQos()
                                    ? Stream.of(it.key(), it.userKey(), it.accountKey())
                                    : Stream.of(it.key()))
                    .toList();
        }
    }

    private record Way(String user, String account, String partition, String qos) {}

    private final Configuration configuration;
    private final Map<Member, Association> associations = new HashMap<>();
    private final Map<Way, Places> ways = new HashMap<>();
    private final boolean none;
    private final boolean timed;
    private final Set<String> budgets;

    public LimitPolicy(Configuration configuration) {
        this.configuration = configuration;
        configuration
                .associations()
                .forEach(it -> associations.put(new Member(it.account(), it.user()), it));
        none =
                configuration.qos().values().stream().allMatch(it -> it.ownRules().limits().none())
                        && configuration.accounts().values().stream()
                                .allMatch(it -> none(it.ownTerms()))
                        && configuration.associations().stream()
                                .allMatch(it -> none(it.ownTerms()));
        timed =
                configuration.qos().values().stream().anyMatch(it -> timed(it.ownRules().limits()))
                        || configuration.accounts().values().stream()
                                .anyMatch(it -> timed(it.ownTerms().limits()))
                        || configuration.associations().stream()
                                .anyMatch(it -> timed(it.ownTerms().limits()));
        budgets = Set.copyOf(new Budgets(configuration).holders().keySet());
    }

    private static boolean timed(Limits limits) {
        return !limits.amounts(Limit.GRP_TRES_RUN_MINS).isEmpty();
    }

    private static boolean none(Terms terms) {
        return terms.limits().none()
                && terms.byPartition().values().stream().allMatch(Limits::none);
    }

    /// Whether there is no limit at all: nothing needs to be counted then.
    public boolean none() {
        return none;
    }

    /// Whether a verdict may change by time alone: what running jobs can still use grows less.
    public boolean timed() {
        return timed;
    }

    /// Who has a budget, as [Budgets#holders] names it.
    public Set<String> budgets() {
        return budgets;
    }

    /// The prices that a partition's jobs are billed at.
    public Prices prices(String partition) {
        Partition it = configuration.partitions().get(partition);
        Prices own = it == null ? null : it.partitionRules().prices();
        return own == null ? configuration.cluster().prices() : own;
    }

    static String qos(String name) {
        return "qos/" + name;
    }

    static String association(String account, String user) {
        return "user/" + account + "/" + user;
    }

    static String account(String name) {
        return "account/" + name;
    }

    /// The sums that a job is part of.
    public List<String> keys(JobUse job) {
        return places(job).keys();
    }

    /// The sums that its limits are of.
    public List<String> limitedKeys(JobUse job) {
        return Places.keys(limiting(job));
    }

    /// The places of a job that limit something, in the order of precedence.
    List<Place> limiting(JobUse job) {
        return places(job).limiting();
    }

    private Places places(JobUse job) {
        return ways.computeIfAbsent(
                new Way(job.user(), job.account(), job.partition(), job.qos()),
                _ -> Places.of(find(job)));
    }

    private List<Place> find(JobUse job) {
        var places = new ArrayList<Place>();
        Qos own = configuration.qos().get(job.qos());
        Partition partition = configuration.partitions().get(job.partition());
        String name = partition == null ? null : partition.partitionRules().qos();
        Qos ofPartition = name == null ? null : configuration.qos().get(name);
        boolean ownFirst = own != null && own.ownRules().has(Flag.OVER_PART_QOS);
        add(places, ownFirst ? own : ofPartition, job);
        if (own == null || !own.equals(ofPartition)) {
            add(places, ownFirst ? ofPartition : own, job);
        }
        String user = association(job.account(), job.user());
        places.add(new Place(false, ofUser(job), user, user, user));
        for (String account : configuration.lineage(job.account())) {
            String key = account(account);
            Limits limits = part(terms(account).limits(), true);
            places.add(new Place(false, limits, key, key, key));
        }
        return places;
    }

    private static void add(List<Place> places, @Nullable Qos qos, JobUse job) {
        if (qos != null) {
            String key = qos(qos.name());
            places.add(
                    new Place(
                            true,
                            qos.ownRules().limits(),
                            key,
                            key + "/user/" + job.user(),
                            key + "/account/" + job.account()));
        }
    }

    private Limits ofUser(JobUse job) {
        Association it = associations.get(new Member(job.account(), job.user()));
        Terms own = it == null ? Terms.NONE : it.ownTerms();
        Limits limits =
                own.byPartition().getOrDefault(job.partition(), Limits.NONE).orElse(own.limits());
        for (String account : configuration.lineage(job.account())) {
            Terms terms = terms(account);
            limits =
                    limits.orElse(
                            part(
                                    terms.byPartition()
                                            .getOrDefault(job.partition(), Limits.NONE)
                                            .orElse(terms.limits()),
                                    false));
        }
        return limits;
    }

    private Terms terms(String account) {
        Account it = configuration.accounts().get(account);
        return it == null ? Terms.NONE : it.ownTerms();
    }

    /// The limits of groups, or all others.
    private static Limits part(Limits limits, boolean ofGroups) {
        if (limits.none()) {
            return limits;
        }
        Map<Limit, Long> counts = new TreeMap<>(limits.counts());
        counts.keySet().removeIf(it -> isOfGroup(it) != ofGroups);
        Map<Limit, Map<String, Long>> tres = new TreeMap<>(limits.tres());
        tres.keySet().removeIf(it -> isOfGroup(it) != ofGroups);
        return new Limits(counts, tres);
    }

    private static boolean isOfGroup(Limit limit) {
        return limit.slurmName().startsWith("Grp");
    }

    boolean deniesOnLimit(String name) {
        Qos qos = configuration.qos().get(name);
        return qos != null && qos.ownRules().has(Flag.DENY_ON_LIMIT);
    }

    /// Whether a limit on the number of submitted jobs holds for this one: only then its submission
    /// needs counters.
    public boolean countsSubmissions(JobUse job) {
        return limiting(job).stream()
                .anyMatch(place ->
                        LimitCheck.AT_SUBMISSION.stream()
                                .anyMatch(it -> place.limits().counts().containsKey(it)));
    }

    /// Why the job may not start now, if it may not.
    ///
    /// @param counters what the other jobs use
    /// @param nowSeconds of cell time
    public Optional<Reason> start(JobUse job, Counters counters, long nowSeconds) {
        return none ? Optional.empty() : new LimitCheck(this, job, counters, nowSeconds).start();
    }

    /// Why the job may not start now though all that runs had ended, if it may not.
    ///
    /// @param counters what the other jobs use
    /// @param nowSeconds of cell time
    public Optional<Reason> lasting(JobUse job, Counters counters, long nowSeconds) {
        return none ? Optional.empty() : new LimitCheck(this, job, counters, nowSeconds).lasting();
    }

    /// What the job is on a [LimitTimeline].
    public List<Claim> claims(JobUse job) {
        return none ? List.of() : new LimitCheck(this, job, new Counters(this), 0).claims();
    }

    /// Why the job is not accepted, if it is not: too many jobs are submitted already, or it is
    /// more than a job may ever be and its QOS has `DenyOnLimit`.
    ///
    /// @param counters what the other jobs use, waiting ones included
    public Optional<Reason> submit(JobUse job, Counters counters) {
        return none ? Optional.empty() : new LimitCheck(this, job, counters, 0).submit();
    }
}
