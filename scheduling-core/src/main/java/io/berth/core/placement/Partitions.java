package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.core.limits.Access;
import org.jspecify.annotations.Nullable;

/// What partitions allow one job, whatever is free.
final class Partitions {

    private Partitions() {}

    /// Why its partition does not let the job start; null if it does.
    static @Nullable Reason refusal(Configuration configuration, JobDescription job) {
        return new Access(configuration).start(job).orElse(null);
    }
}
