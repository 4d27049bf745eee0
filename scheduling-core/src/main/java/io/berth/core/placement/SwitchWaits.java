package io.berth.core.placement;

import io.berth.contracts.JobId;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.JobStatus;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/// Until when jobs wait to lie under no more switches than they want, or in one domain of the level
/// that they name: Slurm's `--switches=count@time`, and `--topology=level@time`, and no longer than
/// the cluster lets them. After that they take any nodes. One that names a level and no time takes
/// none but those.
///
/// Source: sbatch(1) `--switches`, slurm.conf(5) `max_switch_wait`.
final class SwitchWaits {

    private final long mostSeconds;
    private final Alarms over;

    SwitchWaits(Configuration configuration, long now) {
        mostSeconds = configuration.cluster().switchWaitSeconds();
        over = new Alarms(now);
    }

    /// What the job asks for now. One that waits for switches is returned by [#at] in time.
    ResourceRequest request(JobStatus job) {
        ResourceRequest asked = job.description().request();
        SwitchLimit limit = asked.where().switches();
        if (limit == null || limit.endless()) {
            return asked;
        }
        Long seconds = limit.maxWaitSeconds();
        long wait = seconds == null ? mostSeconds : Math.min(seconds, mostSeconds);
        return over.ahead(job.job(), job.waitsSince() + TimeUnit.SECONDS.toMillis(wait))
                ? asked
                : asked.underAnySwitches();
    }

    /// The jobs whose wait is over since the last call.
    TreeSet<JobId> at(long time) {
        return over.at(time);
    }

    /// When the next wait is over; `Long.MAX_VALUE` if nobody waits.
    long next() {
        return over.next();
    }
}
