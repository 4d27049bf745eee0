package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobStatus;
import io.berth.core.limits.Access;
import io.berth.core.priority.Multifactor;
import io.berth.core.state.Transitions;
import java.util.Comparator;
import java.util.List;
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

    /// The job in each of the partitions in which it may start, in the order in which it names
    /// them.
    static List<JobStatus> each(JobStatus job) {
        return job.description().partitions().stream()
                .map(name -> Transitions.in(job, name))
                .toList();
    }

    /// The same of a description.
    static List<JobDescription> each(JobDescription job) {
        return job.partitions().stream().map(job::in).toList();
    }

    /// The job in each of them, in the order in which it is tried there.
    public static List<JobDescription> inOrder(Configuration configuration, JobDescription job) {
        return job.partitions().size() == 1
                ? List.of(job)
                : each(job).stream()
                        .sorted(
                                Comparator.comparingInt(
                                                (JobDescription it) -> tier(configuration, it))
                                        .thenComparingLong(it ->
                                                it.conditions().priority() != null
                                                        ? 0
                                                        : Multifactor.partition(
                                                                it.partition(), configuration))
                                        .reversed())
                        .toList();
    }

    static int tier(Configuration configuration, JobDescription job) {
        Partition partition = configuration.partitions().get(job.partition());
        return partition == null ? 0 : partition.tier();
    }

    /// The partition that is spoken of where one is: the first in which the job is tried.
    public static String first(Configuration configuration, JobDescription job) {
        List<JobDescription> each = inOrder(configuration, job);
        return each.stream()
                .filter(it -> refusal(configuration, it) == null)
                .findFirst()
                .orElse(each.getFirst())
                .partition();
    }

    /// Which of those it is in; 0 is the first.
    static int choice(JobDescription job) {
        return job.partitions().indexOf(job.partition());
    }

    /// Why its partition does not let the job start; null if it does.
    public static @Nullable Reason refusal(Configuration configuration, JobDescription job) {
        return new Access(configuration).start(job).orElse(null);
    }
}
