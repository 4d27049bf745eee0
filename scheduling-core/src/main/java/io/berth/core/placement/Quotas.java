package io.berth.core.placement;

import io.berth.contracts.EndedRun;
import io.berth.contracts.Gres;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Spending;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.core.engine.Scheduling;
import io.berth.core.limits.Counters;
import io.berth.core.limits.JobUse;
import io.berth.core.limits.LimitPolicy;
import io.berth.core.limits.LimitTimeline;
import io.berth.core.limits.LimitTimeline.Claim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/// What the running jobs use under the configuration's limits, and which waiting jobs these keep
/// back.
///
/// Waiting jobs of which a limit must think the same form a *kind*: a look costs as many verdicts
/// as there are kinds, however many jobs wait, and each start one more for a kind that is asked
/// after it. Without any limit it costs nothing.
final class Quotas {

    private static final long MINUTE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private record Kind(
            String user,
            String account,
            String partition,
            String qos,
            ResourceRequest request,
            long limitSeconds) {

        static Kind of(JobDescription job) {
            return new Kind(
                    job.user(),
                    job.account(),
                    job.partition(),
                    job.qos(),
                    job.request(),
                    job.timeLimitSeconds());
        }
    }

    /// The waiting jobs of one kind.
    private static final class Group {
        final JobUse use;
        final List<Claim> claims;
        final Set<JobId> jobs = new TreeSet<>();

        /// What was told of them last.
        Optional<Reason> told = Optional.empty();

        Optional<Reason> verdict = Optional.empty();

        /// Whether it waits for more than the ends of runs.
        boolean lasting;

        long look = -1;

        Group(JobUse use, List<Claim> claims) {
            this.use = use;
            this.claims = claims;
        }
    }

    private record Held(JobUse use, long endSeconds) {}

    private final LimitPolicy policy;

    /// The fewest CPUs that a part of a waiting job will take.
    private final ToIntBiFunction<JobDescription, Integer> leastCpus;

    private final Counters counters;
    private final LimitTimeline timeline = new LimitTimeline();
    private final Map<Kind, Group> waiting = new HashMap<>();
    private final Map<JobId, Kind> kinds = new HashMap<>();
    private final Map<JobId, Held> held = new HashMap<>();

    /// The first components of the sets that were kept back when they were last asked for together.
    private final Set<JobId> keptTogether = new HashSet<>();

    /// Jobs with runs that ended since the books were read for the budgets.
    private final Map<JobId, JobStatus> unbooked = new TreeMap<>();

    private long bookedUntil;

    /// Grows whenever a verdict may change.
    private long look;

    private long lookedAt;

    Quotas(Configuration configuration, ToIntBiFunction<JobDescription, Integer> leastCpus) {
        this.policy = new LimitPolicy(configuration);
        this.leastCpus = leastCpus;
        this.counters = new Counters(policy);
    }

    /// A job waits.
    void waits(JobStatus job) {
        if (policy.none()) {
            return;
        }
        drop(job.job());
        Kind kind = Kind.of(job.description());
        group(kind, job.description()).jobs.add(job.job());
        kinds.put(job.job(), kind);
    }

    private Group group(Kind kind, JobDescription job) {
        return waiting.computeIfAbsent(
                kind,
                _ -> {
                    JobUse use = wanted(job);
                    return new Group(use, policy.claims(use));
                });
    }

    private JobUse wanted(JobDescription job) {
        return JobUse.asked(
                job, policy.prices(job.partition()), part -> leastCpus.applyAsInt(job, part));
    }

    /// A job holds resources.
    ///
    /// @param gpusByType that it was given
    /// @param gres other resources that it was given; none if it is not known yet
    /// @param cpus that it takes of its nodes, by part
    /// @param since in epoch milliseconds
    /// @param until when it ends at the latest, in epoch milliseconds
    void holds(
            JobStatus job,
            Map<String, Long> gpusByType,
            List<Gres> gres,
            IntUnaryOperator cpus,
            long since,
            long until) {
        if (policy.none()) {
            return;
        }
        JobDescription description = job.description();
        var use = JobUse.asked(description, policy.prices(description.partition()), cpus);
        var taken = new Held(use.holding(gpusByType, gres), since / 1000 + use.longestSeconds());
        if (!taken.equals(held.get(job.job()))) {
            forget(job.job());
            held.put(job.job(), taken);
            counters.running(taken.use(), taken.endSeconds(), 1);
            look++;
        }
        timeline.run(job.job(), policy.claims(taken.use()), until);
    }

    /// Takes what the books know to be spent of budgets. False, and nothing is taken, if they know
    /// less than before.
    boolean booked(FairShares shares) {
        long until = bookedUntil(shares);
        if (until < bookedUntil) {
            return false;
        }
        bookedUntil = until;
        counters.booked(shares.budgets());
        recount();
        return true;
    }

    /// The books know of the runs that ended before this time.
    static long bookedUntil(FairShares shares) {
        Long until = shares.bookedUntil();
        return until == null ? 0 : until;
    }

    /// Whether anybody has a budget.
    boolean budgeted() {
        return !policy.budgets().isEmpty();
    }

    /// Counts runs of a job that have ended and are not in the books yet.
    void ended(JobStatus job) {
        if (!budgeted()) {
            return;
        }
        JobStatus before = unbooked.get(job.job());
        int counted = before == null ? 0 : before.ended().getLast().lease();
        for (EndedRun run : job.ended()) {
            if (run.freedAt() >= bookedUntil && run.lease() > counted) {
                JobDescription description = job.description();
                Prices prices = policy.prices(description.partition());
                counters.ended(JobUse.asked(description, prices), Spending.of(run));
                unbooked.put(job.job(), job);
                look++;
            }
        }
    }

    /// A job is no longer known.
    void gone(JobId job) {
        if (unbooked.remove(job) != null) {
            recount();
        }
    }

    private void recount() {
        counters.allBooked();
        List<JobStatus> jobs = List.copyOf(unbooked.values());
        unbooked.clear();
        jobs.forEach(this::ended);
        look++;
    }

    /// A job neither waits nor holds anything.
    void forget(JobId job) {
        keptTogether.remove(job);
        drop(job);
    }

    private void drop(JobId job) {
        timeline.leave(job);
        Held taken = held.remove(job);
        if (taken != null) {
            counters.running(taken.use(), taken.endSeconds(), -1);
            look++;
        }
        Kind kind = kinds.remove(job);
        Group group = kind == null ? null : waiting.get(kind);
        if (group != null) {
            group.jobs.remove(job);
            if (group.jobs.isEmpty()) {
                waiting.remove(kind);
            }
        }
    }

    /// The limit that keeps a waiting job back; null if none does.
    @Nullable Reason met(JobId job, long now) {
        Group group = group(job);
        return group == null ? null : verdict(group, now).orElse(null);
    }

    /// A waiting job is expected to start then, in epoch milliseconds.
    void plans(JobId job, long start) {
        Group group = group(job);
        if (group != null) {
            timeline.plan(job, group.claims, start);
        }
    }

    /// Nothing is expected of a waiting job any more.
    void unplans(JobId job) {
        if (group(job) != null) {
            timeline.leave(job);
        }
    }

    /// The first time from now on at which limits will let a waiting job start, as far as the
    /// latest ends of runs tell and beside all that is planned for others; `Long.MAX_VALUE` if they
    /// do not tell.
    long allowedFrom(JobId job, long now) {
        Group group = group(job);
        if (group == null) {
            return now;
        }
        boolean kept = verdict(group, now).isPresent();
        if (kept && group.lasting) {
            return Long.MAX_VALUE;
        }
        long from = timeline.from(job, group.claims, now, now + Scheduling.OVERRUN_MILLIS);
        // A limit of a partition counts runs elsewhere too, which the job's counters do not have.
        return kept && from <= now ? Long.MAX_VALUE : from;
    }

    /// Whether a waiting job may run from now on until then, in epoch milliseconds, without a limit
    /// keeping back another one at its expected start.
    boolean leaves(JobId job, long until) {
        Group group = group(job);
        return group == null || timeline.leaves(job, group.claims, until);
    }

    private @Nullable Group group(JobId job) {
        Kind kind = kinds.get(job);
        return kind == null ? null : waiting.get(kind);
    }

    /// The limit that keeps waiting jobs from starting together, each beside those before it; null
    /// if none does.
    @Nullable Reason together(List<JobId> jobs, long now) {
        var counted = new ArrayList<Held>();
        Optional<Reason> met = Optional.empty();
        for (JobId job : jobs) {
            Group group = group(job);
            if (group != null && met.isEmpty()) {
                met = policy.start(group.use, counters, now / 1000);
                var next = new Held(group.use, now / 1000 + group.use.longestSeconds());
                counters.running(next.use(), next.endSeconds(), 1);
                counted.add(next);
            }
        }
        counted.forEach(it -> counters.running(it.use(), it.endSeconds(), -1));
        if (met.isPresent()) {
            keptTogether.add(jobs.getFirst());
        } else {
            keptTogether.remove(jobs.getFirst());
        }
        return met.orElse(null);
    }

    /// The limit that a job would meet that asks for this; null if it would meet none.
    @Nullable Reason met(JobDescription job, long now) {
        return policy.none() ? null : policy.start(wanted(job), counters, now / 1000).orElse(null);
    }

    private Optional<Reason> verdict(Group group, long now) {
        if (policy.timed() && now != lookedAt) {
            lookedAt = now;
            look++;
        }
        if (group.look != look) {
            group.verdict = policy.start(group.use, counters, now / 1000);
            group.lasting =
                    group.verdict.isPresent()
                            && policy.lasting(group.use, counters, now / 1000).isPresent();
            group.look = look;
        }
        return group.verdict;
    }

    /// When time alone may change a verdict; `Long.MAX_VALUE` for never.
    long next(long now) {
        boolean kept =
                policy.timed()
                        && (!keptTogether.isEmpty()
                                || waiting.values().stream()
                                        .anyMatch(it -> it.verdict.isPresent()));
        return kept ? (now / MINUTE_MILLIS + 1) * MINUTE_MILLIS : Long.MAX_VALUE;
    }

    /// The waiting jobs of which limits think otherwise than when this was last asked.
    Set<JobId> changed(long now) {
        var changed = new TreeSet<JobId>();
        for (Group group : waiting.values()) {
            Optional<Reason> verdict = verdict(group, now);
            if (!verdict.equals(group.told)) {
                group.told = verdict;
                changed.addAll(group.jobs);
            }
        }
        return changed;
    }
}
