package io.berth.submit;

import static io.berth.submit.Checks.listed;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.core.limits.Access;
import io.berth.submit.Refusal.InvalidAccount;
import io.berth.submit.Refusal.InvalidQos;
import io.berth.submit.Refusal.NotAllowed;
import io.berth.submit.Refusal.PartitionClosed;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Whose jobs a partition takes, and from where. An operator may submit from everywhere.
///
/// One is in the groups that his token names; what groups others are in is not known. So it is the
/// one who asks that must be in a group, also where he moves another one's job.
///
/// Source: slurm.conf(5), `AllocNodes`, `AllowAccounts`, `AllowGroups`, `AllowQos`,
/// `DisableRootJobs`, `RootOnly`, `State`.
record PartitionEntry(Configuration configuration, Caller caller) {

    /// @param user whose job it is
    /// @throws Refused if the partition takes no jobs, or not of that user, account or QOS, or of
    ///   operators or groups alone
    void check(Partition partition, String user, String account, String qos) throws Refused {
        checkGroup(partition);
        if (partition.partitionRules().ofNodes().rootOnly() && !caller.operator()) {
            throw new Refused(
                    new NotAllowed("only an operator may submit to partition " + partition.name()));
        }
        if (!partition.partitionRules().ofNodes().admitsUser(user)) {
            throw new Refused(
                    new NotAllowed("jobs of root are kept out of partition " + partition.name()));
        }
        State state = partition.partitionRules().state();
        if (state == State.DRAIN || state == State.INACTIVE) {
            throw new Refused(
                    new PartitionClosed(
                            "partition "
                                    + partition.name()
                                    + " is "
                                    + state
                                    + " and takes no jobs"));
        }
        Reason shut = new Access(configuration).entry(partition, account, qos).orElse(null);
        if (shut != null) {
            String who = shut == Reason.ACCOUNT_NOT_ALLOWED ? "account " + account : "QOS " + qos;
            String detail = who + " is not allowed in partition " + partition.name();
            throw new Refused(
                    shut == Reason.ACCOUNT_NOT_ALLOWED
                            ? new InvalidAccount(detail)
                            : new InvalidQos(detail));
        }
    }

    private void checkGroup(Partition partition) throws Refused {
        List<String> groups = partition.partitionRules().ofNodes().allowGroups();
        boolean member = groups.isEmpty() || groups.stream().anyMatch(caller.groups()::contains);
        if (!member && !caller.operator()) {
            throw new Refused(
                    new NotAllowed(
                            "User's group not permitted to use this partition: jobs of partition %s are of groups %s, and the token of %s names %s"
                                    .formatted(
                                            partition.name(),
                                            listed(groups),
                                            caller.user(),
                                            caller.groups().isEmpty()
                                                    ? "none"
                                                    : listed(new TreeSet<>(caller.groups())))));
        }
    }

    /// That a host is what it says it is is not checked: this keeps jobs from where they would not
    /// work, and nobody from anything.
    ///
    /// @param named the host that the job says to come from; null is the one that asks
    /// @throws Refused if jobs of the partition come from elsewhere
    void checkOrigin(Partition partition, @Nullable String named) throws Refused {
        Use use = partition.partitionRules().ofNodes();
        if (caller.operator()) {
            return;
        }
        String host = named == null ? caller.host() : named;
        if (!use.admits(host)) {
            throw new Refused(
                    new NotAllowed(
                            "jobs of partition %s may be submitted from %s, and not from %s"
                                    .formatted(
                                            partition.name(),
                                            listed(use.allocNodes()),
                                            quoted(host))));
        }
    }
}
