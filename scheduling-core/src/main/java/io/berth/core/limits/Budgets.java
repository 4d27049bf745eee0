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
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// What ended runs have spent of each budget: of each QOS, account and association that
/// `GrpTRESMins` or `GrpWall` bounds. Spending decays as usage does, but not that of a QOS with
/// `NoDecay`, which only an operator's reset takes back.
///
/// Source: sacctmgr(1), "GrpTRESMins", "GrpWall", "NoDecay".
public final class Budgets {

    private final Configuration configuration;
    private final Decay decay;
    private final SortedMap<String, Limits> holders = new TreeMap<>();
    private final Set<String> undecayed = new HashSet<>();

    public Budgets(Configuration configuration) {
        this.configuration = configuration;
        this.decay = Decay.of(configuration.cluster());
        for (Qos it : configuration.qos().values()) {
            add(LimitPolicy.qos(it.name()), it.ownRules().limits());
            if (it.ownRules().has(Flag.NO_DECAY)) {
                undecayed.add(LimitPolicy.qos(it.name()));
            }
        }
        for (Account it : configuration.accounts().values()) {
            add(LimitPolicy.account(it.name()), it.ownTerms().limits());
        }
        for (Association it : configuration.associations()) {
            add(LimitPolicy.association(it.account(), it.user()), it.ownTerms().limits());
        }
    }

    private void add(String holder, Limits limits) {
        if (!limits.amounts(Limit.GRP_TRES_MINS).isEmpty()
                || limits.count(Limit.GRP_WALL).isPresent()) {
            holders.put(holder, limits);
        }
    }

    /// Who has a budget, as [Budget#holder] names it, and the limits that make it.
    public SortedMap<String, Limits> holders() {
        return Collections.unmodifiableSortedMap(holders);
    }

    /// What counts of them at `now`, in epoch milliseconds; none if nobody has a budget.
    public List<Budget> spent(Collection<Usage> usages, long now) {
        if (holders.isEmpty()) {
            return List.of();
        }
        var sums = new TreeMap<String, Spending>();
        holders.keySet().forEach(holder -> sums.put(holder, Spending.ZERO));
        for (Usage usage : usages) {
            for (Spent spent : usage.spent()) {
                Spending left = decay.left(spent.counts(), usage.asOf(), now);
                for (String holder : holders(usage, spent)) {
                    Spending counts = undecayed.contains(holder) ? spent.whole() : left;
                    sums.computeIfPresent(holder, (_, sum) -> sum.plus(counts));
                }
            }
        }
        return sums.entrySet().stream().map(it -> new Budget(it.getKey(), it.getValue())).toList();
    }

    /// Of whose budgets it was spent.
    private Set<String> holders(Usage usage, Spent spent) {
        var of = new HashSet<String>();
        of.add(LimitPolicy.qos(spent.qos()));
        Partition partition = configuration.partitions().get(spent.partition());
        if (partition != null && partition.partitionRules().qos() != null) {
            of.add(LimitPolicy.qos(partition.partitionRules().qos()));
        }
        of.add(LimitPolicy.association(usage.account(), usage.user()));
        configuration.lineage(usage.account()).forEach(it -> of.add(LimitPolicy.account(it)));
        return of;
    }
}
