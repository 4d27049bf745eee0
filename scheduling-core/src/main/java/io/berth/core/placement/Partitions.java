package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.core.limits.Access;
import org.jspecify.annotations.Nullable;

/// What partitions allow one job, whatever is free.
public final class Partitions {

    private Partitions() {}

    /// For how long the job's partition lets a run go on beyond its limit; 0 where there is none.
    public static long overTimeSeconds(@Nullable Configuration configuration, JobDescription job) {
        Partition partition =
                configuration == null ? null : configuration.partitions().get(job.partition());
        return partition == null ? 0 : partition.partitionRules().ofNodes().overTimeSeconds();
    }

    /// Why its partition does not let the job start; null if it does.
    static @Nullable Reason refusal(Configuration configuration, JobDescription job) {
        return new Access(configuration).start(job).orElse(null);
    }
}
