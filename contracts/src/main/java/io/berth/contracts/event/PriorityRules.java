package io.berth.contracts.event;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// How priorities are computed, beyond the weights of the five common factors.
///
/// @param dampening of the classic rule (FairShareDampeningFactor)
/// @param sizeByTime whether a job's size counts relative to its time limit
///   (SMALL_RELATIVE_TO_TIME)
/// @param associationWeight points for an association's priority relative to the largest
///   (PriorityWeightAssoc)
/// @param tresWeights points for each resource asked for relative to the cluster's
///   (PriorityWeightTRES)
public record PriorityRules(
        FairShareRule fairShareRule,
        int dampening,
        UsageReset usageReset,
        boolean sizeByTime,
        int associationWeight,
        Map<String, Long> tresWeights) {

    /// How fair share orders users.
    public enum FairShareRule {
        /// Fair Tree as Slurm computes it, its treatment of tied accounts included.
        FAIR_TREE,
        /// Fair Tree as Slurm's manual describes it: tied accounts are merged.
        FAIR_TREE_DOCUMENTED,
        /// Slurm's older rule, `2^(-usage / shares / dampening)`.
        CLASSIC
    }

    /// When all usage is forgotten: Slurm's PriorityUsageResetPeriod. Periods begin at midnight
    /// UTC, weeks on Sunday.
    public enum UsageReset {
        NONE,
        DAILY,
        WEEKLY,
        MONTHLY,
        QUARTERLY,
        YEARLY
    }

    public static final PriorityRules DEFAULT =
            new PriorityRules(FairShareRule.FAIR_TREE, 1, UsageReset.NONE, false, 0, Map.of());

    public PriorityRules {
        tresWeights = Collections.unmodifiableMap(new TreeMap<>(tresWeights));
    }
}
