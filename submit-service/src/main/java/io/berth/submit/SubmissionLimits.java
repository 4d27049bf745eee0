package io.berth.submit;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.core.limits.Counters;
import io.berth.core.limits.JobUse;
import io.berth.core.limits.LimitPolicy;
import io.berth.submit.Refusal.LimitReached;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The limits of accounts, users and QOS that refuse a job at its submission: too many jobs are
/// submitted, or the job is more than its QOS lets a job ever be (`DenyOnLimit`).
///
/// The jobs that count are those that the gateway has read from the log: submissions that are
/// written at the same moment do not see one another.
public final class SubmissionLimits {

    private record Known(long revision, LimitPolicy policy) {}

    private @Nullable Known known;

    private LimitPolicy policy(Configuration configuration) {
        Known last = known;
        if (last == null || last.revision() != configuration.revision()) {
            last = new Known(configuration.revision(), new LimitPolicy(configuration));
            known = last;
        }
        return last.policy();
    }

    /// @param tasks how many jobs are submitted at once: the tasks of an array
    /// @param jobs all that are known; those that have ended do not count
    /// @throws Refused with the limit's name
    public synchronized void check(
            Configuration configuration, JobDescription job, int tasks, Stream<Job> jobs)
            throws Refused {
        LimitPolicy policy = policy(configuration);
        if (policy.none()) {
            return;
        }
        JobUse asked = JobUse.asked(job, policy.prices(job.partition()));
        var counters = new Counters(policy);
        if (policy.countsSubmissions(asked)) {
            jobs.filter(it -> !it.state().terminal())
                    .map(it -> JobUse.asked(it.description(), policy.prices(it.partition())))
                    .forEach(it -> counters.submitted(it, 1));
            counters.submitted(asked, tasks - 1);
        }
        Reason met = policy.submit(asked, counters).orElse(null);
        if (met != null) {
            throw new Refused(
                    new LimitReached(
                            met.slurmName()
                                    + ": a limit of account "
                                    + job.account()
                                    + ", of user "
                                    + job.user()
                                    + " in it, or of QOS "
                                    + job.qos()));
        }
    }
}
