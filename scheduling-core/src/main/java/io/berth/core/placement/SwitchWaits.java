package io.berth.core.placement;

import io.berth.contracts.JobId;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.event.JobStatus;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/// Until when jobs wait to lie under no more switches than they want: Slurm's
/// `--switches=count@time`. After that they take any nodes.
///
/// Source: sbatch(1) `--switches`, slurm.conf(5) `max_switch_wait`.
final class SwitchWaits {

    /// The wait of a job that names none.
    static final long DEFAULT_MILLIS = TimeUnit.SECONDS.toMillis(300);

    private final TreeMap<Long, TreeSet<JobId>> waits = new TreeMap<>();
    private long now;

    SwitchWaits(long now) {
        this.now = now;
    }

    /// What the job asks for now. One that waits for switches is returned by [#at] in time.
    ResourceRequest request(JobStatus job) {
        ResourceRequest asked = job.description().request();
        SwitchLimit limit = asked.where().switches();
        if (limit == null) {
            return asked;
        }
        Long seconds = limit.maxWaitSeconds();
        long wait = seconds == null ? DEFAULT_MILLIS : TimeUnit.SECONDS.toMillis(seconds);
        long over = job.waitsSince() + wait;
        if (over <= now) {
            return asked.underAnySwitches();
        }
        waits.computeIfAbsent(over, _ -> new TreeSet<>()).add(job.job());
        return asked;
    }

    /// The jobs whose wait is over since the last call.
    TreeSet<JobId> at(long time) {
        now = Math.max(now, time);
        var over = new TreeSet<JobId>();
        while (!waits.isEmpty() && waits.firstKey() <= now) {
            over.addAll(waits.pollFirstEntry().getValue());
        }
        return over;
    }

    /// When the next wait is over; `Long.MAX_VALUE` if nobody waits.
    long next() {
        return waits.isEmpty() ? Long.MAX_VALUE : waits.firstKey();
    }
}
