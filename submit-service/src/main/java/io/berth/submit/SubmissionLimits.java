package io.berth.submit;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.core.limits.Counters;
import io.berth.core.limits.JobUse;
import io.berth.core.limits.LimitPolicy;
import io.berth.submit.Refusal.LimitReached;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The limits of accounts, users and QOS that refuse a job at its submission: too many jobs are
/// submitted, or the job is more than its QOS lets a job ever be (`DenyOnLimit`).
///
/// The jobs that count are those that the gateway has read from the log, and those of the same
/// request: requests that are written at the same moment do not see one another.
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

    /// Counts the submissions of one moment. Only one tally of these limits may be in use.
    ///
    /// @param jobs all that are known; those that have ended do not count
    public Tally tally(Configuration configuration, Supplier<Stream<Job>> jobs) {
        return new Tally(policy(configuration), jobs);
    }

    /// Asks for one submission. For several threads.
    ///
    /// @param asked the job, or each component of a heterogeneous one
    /// @param count of jobs that it makes: the tasks of an array
    /// @param jobs all that are known; those that have ended do not count
    /// @throws Refused with the limit's name
    public synchronized void check(
            Configuration configuration,
            List<JobDescription> asked,
            int count,
            Supplier<Stream<Job>> jobs)
            throws Refused {
        new Tally(policy(configuration), jobs).add(asked, count);
    }

    /// The submissions of one request, each of which counts for those after it. Confined to one
    /// thread.
    public static final class Tally {
        private final LimitPolicy policy;
        private final Supplier<Stream<Job>> jobs;
        private @Nullable Counters counters;

        private Tally(LimitPolicy policy, Supplier<Stream<Job>> jobs) {
            this.policy = policy;
            this.jobs = jobs;
        }

        /// Takes one more submission, whole or not at all.
        ///
        /// @param jobs the job, or each component of a heterogeneous one
        /// @param count of jobs that it makes: the tasks of an array
        /// @throws Refused with the limit's name
        public void add(List<JobDescription> jobs, int count) throws Refused {
            if (policy.none()) {
                return;
            }
            var taken = new ArrayList<JobUse>();
            for (JobDescription job : jobs) {
                JobUse asked = use(job);
                Reason met =
                        job.partitions().stream()
                                .map(it -> met(use(job.in(it)), count))
                                .filter(Objects::nonNull)
                                .findFirst()
                                .orElse(null);
                if (met != null) {
                    taken.forEach(it -> counted().submitted(it, -count));
                    throw refused(met, job);
                }
                if (policy.countsSubmissions(asked)) {
                    counted().submitted(asked, count);
                    taken.add(asked);
                }
            }
        }

        private JobUse use(JobDescription job) {
            return JobUse.asked(job, policy.prices(job.partition()));
        }

        /// The limit that so many of these meet; null if none does.
        private @Nullable Reason met(JobUse asked, int count) {
            if (!policy.countsSubmissions(asked)) {
                return policy.submit(asked, new Counters(policy)).orElse(null);
            }
            Counters counted = counted();
            counted.submitted(asked, count - 1);
            Reason met = policy.submit(asked, counted).orElse(null);
            counted.submitted(asked, 1 - count);
            return met;
        }

        private Counters counted() {
            if (counters == null) {
                var all = new Counters(policy);
                jobs.get()
                        .filter(it -> !it.state().terminal())
                        .map(it -> use(it.description()))
                        .forEach(it -> all.submitted(it, 1));
                counters = all;
            }
            return counters;
        }

        private static Refused refused(Reason met, JobDescription job) {
            return new Refused(
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
