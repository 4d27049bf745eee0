package io.berth.contracts;

import java.util.Locale;

/// By what a job may take the place of another one.
///
/// Source: slurm.conf(5), "PreemptType".
public enum PreemptReason {
    /// Its partition is of a higher tier.
    PARTITION_PRIO,
    /// Its QOS names the other's in its `preempt=` list.
    QOS,
    /// It could not keep its deadline otherwise.
    DEADLINE,
    /// Its account is guaranteed what the other's has borrowed.
    RECLAIM;

    /// As it stands in metrics: `partition_prio`.
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
