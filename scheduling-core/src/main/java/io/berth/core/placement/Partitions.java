package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import org.jspecify.annotations.Nullable;

/// What partitions allow one job, whatever is free.
final class Partitions {

    private Partitions() {}

    /// Why its partition does not let the job start; null if it does.
    static @Nullable Reason refusal(Configuration configuration, JobDescription job) {
        Partition partition = configuration.partitions().get(job.partition());
        if (partition == null) {
            return Reason.PARTITION_CONFIG;
        }
        if (partition.maxNodes() != 0 && job.request().nodes() > partition.maxNodes()) {
            return Reason.PARTITION_NODE_LIMIT;
        }
        long limit = job.timeLimitSeconds();
        boolean over =
                partition.maxTimeSeconds() != 0
                        && (limit == 0 || limit > partition.maxTimeSeconds());
        return over ? Reason.PARTITION_TIME_LIMIT : null;
    }
}
