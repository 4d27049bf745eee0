package io.berth.core.placement;

import io.berth.contracts.JobId;
import io.berth.contracts.event.JobStatus;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Outlook;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The waiting jobs that want licenses, by what they want of them: whether it was free when they
/// were last told why they wait.
final class LicenseWaits {

    private static final class Group {
        /// That of one of its jobs: all want the same licenses.
        final FitClass fit;

        final Set<JobId> jobs = new TreeSet<>();
        boolean free = true;

        Group(FitClass fit) {
            this.fit = fit;
        }
    }

    private final Map<Map<String, Integer>, Group> groups = new HashMap<>();
    private final Map<JobId, Map<String, Integer>> wanted = new HashMap<>();

    /// A job waits.
    void waits(JobStatus job, FitClass fit) {
        forget(job.job());
        Map<String, Integer> licenses = job.description().request().licensesHeld();
        if (!licenses.isEmpty()) {
            wanted.put(job.job(), licenses);
            groups.computeIfAbsent(licenses, _ -> new Group(fit)).jobs.add(job.job());
        }
    }

    /// A job does not wait any more.
    void forget(JobId job) {
        Map<String, Integer> licenses = wanted.remove(job);
        if (licenses != null) {
            groups.computeIfPresent(
                    licenses,
                    (_, group) -> {
                        group.jobs.remove(job);
                        return group.jobs.isEmpty() ? null : group;
                    });
        }
    }

    /// Those of whom it is otherwise than when this was last asked.
    Set<JobId> changed(Outlook outlook, long now) {
        var changed = new TreeSet<JobId>();
        for (Group group : groups.values()) {
            boolean free = outlook.shares(group.fit, now);
            if (free != group.free) {
                group.free = free;
                changed.addAll(group.jobs);
            }
        }
        return changed;
    }
}
