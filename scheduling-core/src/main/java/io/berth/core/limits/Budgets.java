package io.berth.core.limits;

import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Spending;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.FairShares.Budget;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.Usage;
import io.berth.contracts.event.Usage.Spent;
import io.berth.core.fairshare.Decay;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/// What ended runs have spent of each budget: of each QOS, account and association that
/// `GrpTRESMins` or `GrpWall` bounds. Spending decays as usage does, but not that of a QOS with
/// `NoDecay`.
///
/// Source: sacctmgr(1), "GrpTRESMins", "GrpWall", "NoDecay".
public final class Budgets {

    private final Configuration configuration;
    private final Decay decay;

    public Budgets(Configuration configuration) {
        this.configuration = configuration;
        this.decay = Decay.of(configuration.cluster());
    }

    /// Who has a budget, as [Budget#holder] names it, and the limits that make it.
    public SortedMap<String, Limits> holders() {
        var holders = new TreeMap<String, Limits>();
        configuration
                .qos()
                .values()
                .forEach(it -> holders.put(LimitPolicy.qos(it.name()), it.ownRules().limits()));
        configuration
                .accounts()
                .values()
                .forEach(it -> holders.put(LimitPolicy.account(it.name()), it.ownTerms().limits()));
        configuration
                .associations()
                .forEach(it ->
                        holders.put(
                                LimitPolicy.association(it.account(), it.user()),
                                it.ownTerms().limits()));
        holders.values().removeIf(it -> !bounds(it));
        return holders;
    }

    private static boolean bounds(Limits limits) {
        return !limits.amounts(Limit.GRP_TRES_MINS).isEmpty()
                || limits.count(Limit.GRP_WALL).isPresent();
    }

    /// What counts of them at `now`, in epoch milliseconds; none if nobody has a budget.
    public List<Budget> spent(Collection<Usage> usages, long now) {
        var budgets = new ArrayList<Budget>();
        for (Qos qos : configuration.qos().values()) {
            if (bounds(qos.ownRules().limits())) {
                boolean whole = qos.ownRules().has(Flag.NO_DECAY);
                Spending spent = sum(usages, (_, it) -> isOf(qos, it), whole, now);
                budgets.add(new Budget(LimitPolicy.qos(qos.name()), spent));
            }
        }
        for (Account account : configuration.accounts().values()) {
            if (bounds(account.ownTerms().limits())) {
                Spending spent = sum(usages, (it, _) -> isBelow(account, it), false, now);
                budgets.add(new Budget(LimitPolicy.account(account.name()), spent));
            }
        }
        for (Association it : configuration.associations()) {
            if (bounds(it.ownTerms().limits())) {
                Spending spent = sum(usages, (usage, _) -> isOf(it, usage), false, now);
                budgets.add(new Budget(LimitPolicy.association(it.account(), it.user()), spent));
            }
        }
        return budgets;
    }

    private boolean isOf(Qos qos, Spent spent) {
        Partition partition = configuration.partitions().get(spent.partition());
        return qos.name().equals(spent.qos())
                || (partition != null && qos.name().equals(partition.partitionRules().qos()));
    }

    private boolean isBelow(Account account, Usage usage) {
        @Nullable String name = usage.account();
        while (name != null) {
            if (name.equals(account.name())) {
                return true;
            }
            Account it = configuration.accounts().get(name);
            name = it == null ? null : it.parent();
        }
        return false;
    }

    private static boolean isOf(Association association, Usage usage) {
        return association.account().equals(usage.account())
                && association.user().equals(usage.user());
    }

    private Spending sum(
            Collection<Usage> usages, BiPredicate<Usage, Spent> counts, boolean whole, long now) {
        Spending sum = Spending.ZERO;
        for (Usage usage : usages) {
            for (Spent spent : usage.spent()) {
                if (counts.test(usage, spent)) {
                    sum =
                            sum.plus(
                                    whole
                                            ? spent.whole()
                                            : decay.left(spent.counts(), usage.asOf(), now));
                }
            }
        }
        return sum;
    }
}
