package io.berth.contracts;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A change to a job's description. Null leaves a part as it is.
///
/// @param partition the first in which it may start; the others are in the terms
/// @param request the whole new request
/// @param terms the whole new terms; the place in an array or a heterogeneous job stays, and so
///   does the limit that a job asked for that has less time
/// @param throttle of the job's array
public record Amendment(
        @Nullable String account,
        @Nullable String partition,
        @Nullable String qos,
        @Nullable String name,
        @Nullable ResourceRequest request,
        @Nullable Long timeLimitSeconds,
        @Nullable Integer nice,
        @Nullable Boolean requeue,
        @Nullable JobTerms terms,
        @Nullable Integer throttle) {

    /// What a job is to which this has happened.
    public JobDescription applied(JobDescription to) {
        Long asked = timeLimitSeconds == null ? to.conditions().askedLimitSeconds() : null;
        ArrayTask task = to.array();
        JobTerms next =
                (terms == null ? to.conditions() : terms)
                        .with(its -> {
                            its.askedLimitSeconds = asked;
                            its.array =
                                    task == null || throttle == null
                                            ? task
                                            : task.throttled(throttle);
                            its.het = to.het();
                            its.partitions =
                                    partition == null
                                            ? to.conditions().partitions()
                                            : terms == null ? List.of() : terms.partitions();
                        });
        return new JobDescription(
                to.user(),
                Objects.requireNonNullElse(account, to.account()),
                Objects.requireNonNullElse(partition, to.partition()),
                Objects.requireNonNullElse(qos, to.qos()),
                Objects.requireNonNullElse(name, to.name()),
                Objects.requireNonNullElse(request, to.request()),
                to.launch(),
                Objects.requireNonNullElse(timeLimitSeconds, to.timeLimitSeconds()),
                Objects.requireNonNullElse(nice, to.nice()),
                Objects.requireNonNullElse(requeue, to.requeue()),
                next);
    }
}
