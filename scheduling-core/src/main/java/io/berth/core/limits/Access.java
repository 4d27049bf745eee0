package io.berth.core.limits;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.Terms;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Who may use which partition and which QOS, and within which bounds of the partition.
///
/// What an association leaves open holds as in the account above, up to the root. `allow…` of a
/// partition that is not empty stands in the place of its `deny…`; an account stands for those
/// below it.
///
/// Source: slurm.conf(5), "PARTITION CONFIGURATION"; sacctmgr(1), QOS flags.
public final class Access {

    private final Configuration configuration;

    public Access(Configuration configuration) {
        this.configuration = configuration;
    }

    /// The QOS of jobs that name none.
    public String defaultQos(String user, String account) {
        return terms(user, account).stream()
                .map(Terms::defaultQos)
                .flatMap(it -> Optional.ofNullable(it).stream())
                .findFirst()
                .orElse(configuration.cluster().defaultQos());
    }

    /// The QOS that jobs of this association may name.
    public Collection<String> qosOf(String user, String account) {
        return terms(user, account).stream()
                .map(Terms::qos)
                .filter(it -> !it.isEmpty())
                .findFirst()
                .orElse(List.copyOf(configuration.qos().keySet()));
    }

    /// From the user's own terms to those of the account right under the root.
    private List<Terms> terms(String user, String account) {
        var terms = new ArrayList<Terms>();
        for (Association it : configuration.associations()) {
            if (it.user().equals(user) && it.account().equals(account)) {
                terms.add(it.ownTerms());
            }
        }
        for (String name : configuration.lineage(account)) {
            Account it = configuration.accounts().get(name);
            if (it != null) {
                terms.add(it.ownTerms());
            }
        }
        return terms;
    }

    /// Why the partition lets nobody of that account and QOS in.
    public Optional<Reason> entry(Partition partition, String account, String qos) {
        PartitionRules rules = partition.partitionRules();
        var line = new HashSet<>(configuration.lineage(account));
        if (shut(rules.allowAccounts(), rules.denyAccounts(), line)) {
            return Optional.of(Reason.ACCOUNT_NOT_ALLOWED);
        }
        return shut(rules.allowQos(), rules.denyQos(), Set.of(qos))
                ? Optional.of(Reason.QOS_NOT_ALLOWED)
                : Optional.empty();
    }

    private static boolean shut(List<String> allowed, List<String> denied, Set<String> names) {
        return allowed.isEmpty()
                ? denied.stream().anyMatch(names::contains)
                : allowed.stream().noneMatch(names::contains);
    }

    /// Why the job's partition does not let it start, whatever is free.
    public Optional<Reason> start(JobDescription job) {
        Partition partition = configuration.partitions().get(job.partition());
        if (partition == null) {
            return Optional.of(Reason.PARTITION_CONFIG);
        }
        return state(partition)
                .or(() -> entry(partition, job.account(), job.qos()))
                .or(() -> size(partition, job));
    }

    private static Optional<Reason> state(Partition partition) {
        return switch (partition.partitionRules().state()) {
            case UP, DRAIN -> Optional.empty();
            case DOWN -> Optional.of(Reason.PARTITION_DOWN);
            case INACTIVE -> Optional.of(Reason.PARTITION_INACTIVE);
        };
    }

    private Optional<Reason> size(Partition partition, JobDescription job) {
        int nodes = job.request().nodes();
        boolean tooMany =
                partition.maxNodes() != 0
                        && nodes > partition.maxNodes()
                        && !has(job.qos(), Flag.PARTITION_MAX_NODES);
        boolean tooFew =
                nodes < partition.partitionRules().minNodes()
                        && !has(job.qos(), Flag.PARTITION_MIN_NODES);
        if (tooMany || tooFew) {
            return Optional.of(Reason.PARTITION_NODE_LIMIT);
        }
        long limit = job.timeLimitSeconds();
        boolean tooLong =
                partition.maxTimeSeconds() != 0
                        && (limit == 0 || limit > partition.maxTimeSeconds())
                        && !has(job.qos(), Flag.PARTITION_TIME_LIMIT);
        return tooLong ? Optional.of(Reason.PARTITION_TIME_LIMIT) : Optional.empty();
    }

    private boolean has(String qos, Flag flag) {
        Qos it = configuration.qos().get(qos);
        return it != null && it.ownRules().has(flag);
    }
}
