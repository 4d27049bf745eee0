package io.berth.cli;

import io.berth.contracts.JobState;
import io.berth.contracts.Tres;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What some jobs that have not ended use together.
///
/// @param running how many have a run
/// @param accruing how many wait and grow older
/// @param tres of those that run
/// @param runMinutes of those that run: each resource for as long as their time limits let them
record JobsUse(
        long running,
        long accruing,
        long submitted,
        Map<String, Long> tres,
        Map<String, Long> runMinutes) {

    private static final long MINUTE_MILLIS = 60_000;

    /// @param now epoch milliseconds
    static JobsUse of(List<JobView> jobs, long now) {
        long accruing = 0;
        long submitted = 0;
        long running = 0;
        Map<String, Long> tres = new TreeMap<>();
        Map<String, Long> minutes = new TreeMap<>();
        for (JobView job : jobs) {
            submitted++;
            if (job.is(JobState.PENDING)) {
                accruing += job.accrueAt(now) > 0 ? 1 : 0;
                continue;
            }
            running++;
            long left = Math.max(0, job.endAt(now) - now) / MINUTE_MILLIS;
            Tres.parse(job.tres())
                    .forEach((name, amount) -> {
                        tres.merge(name, amount, Long::sum);
                        minutes.merge(name, amount * left, Long::sum);
                    });
        }
        return new JobsUse(running, accruing, submitted, tres, minutes);
    }
}
