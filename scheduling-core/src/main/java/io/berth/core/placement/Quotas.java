package io.berth.core.placement;

import static java.util.Objects.requireNonNullElse;

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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/// What the running jobs use under the configuration's limits, and which waiting jobs these keep
/// back.
///
/// Waiting jobs of which a limit must think the same form a *kind*: a look costs as many verdicts
/// as there are kinds whose limits count what has changed since, however many jobs wait. Without
/// any limit it costs nothing.
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
        final Kind kind;
        final JobUse use;
        final List<Claim> claims;
        final List<String> limitedKeys;
        final Set<JobId> jobs = new TreeSet<>();

        /// What was told of them last.
        Optional<Reason> told = Optional.empty();

        Optional<Reason> verdict = Optional.empty();

        /// Whether it waits for more than the ends of runs; null if it was not asked since.
        @Nullable Boolean lasting;

        /// Whether the verdict holds still.
        boolean fresh;

        Group(Kind kind, JobUse use, LimitPolicy policy) {
            this.kind = kind;
            this.use = use;
            this.claims = policy.claims(use);
            this.limitedKeys = policy.limitedKeys(use);
        }
    }

    private record Held(JobUse use, long endSeconds) {}

    /// @param group that the job is of in the partition of its expected start
    /// @param told what was told of it last
    private record Expected(Group group, Optional<Reason> told) {}

    private final LimitPolicy policy;

    /// The fewest CPUs that a part of a waiting job will take.
    private final ToIntBiFunction<JobDescription, Integer> leastCpus;

    private final Counters counters;
    private final LimitTimeline timeline = new LimitTimeline();
    private final Map<Kind, Group> waiting = new HashMap<>();

    /// Of each waiting job those in its partitions, in the order in which it names them.
    private final Map<JobId, List<Group>> groups = new HashMap<>();

    /// The jobs with an expected start.
    private final Map<JobId, Expected> planned = new TreeMap<>();

    private final Map<JobId, Held> held = new HashMap<>();

    /// The first components of the sets that were kept back when they were last asked for together.
    private final Set<JobId> keptTogether = new HashSet<>();

    /// Jobs with runs that ended since the books were read for the budgets.
    private final Map<JobId, JobStatus> unbooked = new TreeMap<>();

    private long bookedUntil;

    /// The groups whose verdicts depend on each sum.
    private final Map<String, Set<Group>> byKey = new HashMap<>();

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
        List<Group> its =
                Partitions.each(job.description()).stream()
                        .map(it -> group(Kind.of(it), it))
                        .toList();
        its.forEach(group -> group.jobs.add(job.job()));
        groups.put(job.job(), its);
    }

    /// @param job as it is in one of its partitions
    private @Nullable Group group(JobStatus job) {
        List<Group> its = groups.get(job.job());
        return its == null
                ? null
                : its.size() == 1 ? its.getFirst() : its.get(Partitions.choice(job.description()));
    }

    private Group group(Kind kind, JobDescription job) {
        return waiting.computeIfAbsent(
                kind,
                _ -> {
                    JobUse use = wanted(job);
                    var group = new Group(kind, use, policy);
                    group.limitedKeys.forEach(
                            it -> byKey.computeIfAbsent(it, _ -> new HashSet<>()).add(group));
                    return group;
                });
    }

    /// The prices that a partition's jobs are billed at.
    Prices prices(String partition) {
        return policy.prices(partition);
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
            lookAgain(taken.use());
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
                JobUse use = JobUse.asked(description, prices);
                counters.ended(use, Spending.of(run));
                unbooked.put(job.job(), job);
                lookAgain(use);
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
        waiting.values().forEach(it -> it.fresh = false);
    }

    /// Verdicts may change: what is counted for such a job did.
    private void lookAgain(JobUse use) {
        for (String key : policy.keys(use)) {
            byKey.getOrDefault(key, Set.of()).forEach(it -> it.fresh = false);
        }
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
            lookAgain(taken.use());
        }
        planned.remove(job);
        for (Group group : requireNonNullElse(groups.remove(job), List.<Group>of())) {
            group.jobs.remove(job);
            if (group.jobs.isEmpty()) {
                waiting.remove(group.kind);
                group.limitedKeys.forEach(key ->
                        byKey.computeIfPresent(
                                key,
                                (_, of) -> {
                                    of.remove(group);
                                    return of.isEmpty() ? null : of;
                                }));
            }
        }
    }

    /// Whether there is no limit at all.
    boolean none() {
        return policy.none();
    }

    /// Whether any limit holds for a waiting job in its partition.
    boolean limit(JobStatus job) {
        Group group = group(job);
        return group != null && !group.limitedKeys.isEmpty();
    }

    /// The limit that keeps a waiting job back in its partition; null if none does.
    @Nullable Reason met(JobStatus job, long now) {
        Group group = group(job);
        return group == null ? null : verdict(group, now).orElse(null);
    }

    /// A waiting job is expected to start then, in epoch milliseconds.
    void plans(JobStatus job, long start) {
        Group group = group(job);
        if (group != null) {
            timeline.plan(job.job(), group.claims, start);
            Expected before = planned.get(job.job());
            planned.put(
                    job.job(),
                    new Expected(group, before == null ? Optional.empty() : before.told()));
        }
    }

    /// Nothing is expected of a waiting job any more.
    void unplans(JobId job) {
        if (planned.remove(job) != null) {
            timeline.leave(job);
        }
    }

    /// The first time from now on at which limits will let waiting jobs start together, as far as
    /// the latest ends of runs tell and beside all that is planned for others; `Long.MAX_VALUE` if
    /// they do not tell.
    ///
    /// @param without jobs that are planned and do not count; null is none
    long allowedFrom(List<JobStatus> jobs, @Nullable Predicate<JobId> without, long now) {
        if (policy.none()) {
            return now;
        }
        boolean kept = met(jobs, now) != null;
        if (kept && lasting(jobs, now)) {
            return Long.MAX_VALUE;
        }
        long floor = now + Scheduling.OVERRUN_MILLIS;
        long from = timeline.from(ids(jobs), claims(jobs), without, now, floor);
        // A limit of a partition counts runs elsewhere too, which the job's counters do not have.
        return kept && from <= now ? Long.MAX_VALUE : from;
    }

    private static List<JobId> ids(List<JobStatus> jobs) {
        return jobs.stream().map(JobStatus::job).toList();
    }

    private List<Claim> claims(List<JobStatus> jobs) {
        List<List<Claim>> claims =
                jobs.stream()
                        .map(this::group)
                        .filter(Objects::nonNull)
                        .map(it -> it.claims)
                        .toList();
        return claims.size() == 1 ? claims.getFirst() : Claim.together(claims);
    }

    /// The limit that keeps waiting jobs from running together from now on until then, in epoch
    /// milliseconds, since it would keep back another one at its expected start; null if none does.
    @Nullable Reason kept(List<JobStatus> jobs, long until) {
        return planned.isEmpty() ? null : kept(ids(jobs), claims(jobs), until);
    }

    private @Nullable Reason kept(List<JobId> jobs, List<Claim> claims, long until) {
        Claim kept = timeline.kept(jobs, claims, until);
        return kept == null ? null : kept.reason();
    }

    /// The limit that keeps waiting jobs from starting together, each beside those before it; null
    /// if none does.
    @Nullable Reason met(List<JobStatus> jobs, long now) {
        if (jobs.size() == 1) {
            return met(jobs.getFirst(), now);
        }
        Optional<Reason> met = together(jobs, now, use -> policy.start(use, counters, now / 1000));
        if (met.isPresent()) {
            keptTogether.add(jobs.getFirst().job());
        } else {
            keptTogether.remove(jobs.getFirst().job());
        }
        return met.orElse(null);
    }

    /// Whether jobs that limits keep back wait for more than the ends of runs.
    private boolean lasting(List<JobStatus> jobs, long now) {
        if (jobs.size() > 1) {
            return together(jobs, now, use -> policy.lasting(use, counters, now / 1000))
                    .isPresent();
        }
        Group group = Objects.requireNonNull(group(jobs.getFirst()));
        if (group.lasting == null) {
            group.lasting = policy.lasting(group.use, counters, now / 1000).isPresent();
        }
        return group.lasting;
    }

    private Optional<Reason> together(
            List<JobStatus> jobs, long now, Function<JobUse, Optional<Reason>> look) {
        var counted = new ArrayList<Held>();
        Optional<Reason> met = Optional.empty();
        for (JobStatus job : jobs) {
            Group group = group(job);
            if (group != null && met.isEmpty()) {
                met = look.apply(group.use);
                var next = new Held(group.use, now / 1000 + group.use.longestSeconds());
                counters.running(next.use(), next.endSeconds(), 1);
                counted.add(next);
            }
        }
        counted.forEach(it -> counters.running(it.use(), it.endSeconds(), -1));
        return met;
    }

    /// The limit that a job would meet that asks for this; null if it would meet none.
    @Nullable Reason met(JobDescription job, long now) {
        return policy.none() ? null : policy.start(wanted(job), counters, now / 1000).orElse(null);
    }

    /// Whether limits would let a waiting job run from now on until then, in epoch milliseconds, if
    /// it asked for this.
    boolean let(JobId job, JobDescription changed, long now, long until) {
        if (policy.none()) {
            return true;
        }
        JobUse use = wanted(changed);
        return policy.start(use, counters, now / 1000).isEmpty()
                && kept(List.of(job), policy.claims(use), until) == null;
    }

    private Optional<Reason> verdict(Group group, long now) {
        if (policy.timed() && now != lookedAt) {
            lookedAt = now;
            waiting.values().forEach(it -> it.fresh = false);
        }
        if (!group.fresh) {
            group.verdict = policy.start(group.use, counters, now / 1000);
            group.lasting = null;
            group.fresh = true;
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
            Optional<Reason> verdict = told(List.of(), group, now);
            if (!verdict.equals(group.told)) {
                group.told = verdict;
                changed.addAll(group.jobs);
            }
        }
        planned.replaceAll((job, before) -> {
            Optional<Reason> told = told(List.of(job), before.group(), now);
            if (!told.equals(before.told())) {
                changed.add(job);
            }
            return new Expected(before.group(), told);
        });
        return changed;
    }

    /// The limit that keeps a job of the group back now.
    ///
    /// @param own the job, if it has an expected start
    private Optional<Reason> told(List<JobId> own, Group group, long now) {
        Optional<Reason> verdict = verdict(group, now);
        if (verdict.isPresent() || planned.isEmpty()) {
            return verdict;
        }
        long until = Scheduling.untilAtMost(now, group.kind.limitSeconds() * 1000);
        return Optional.ofNullable(kept(own, group.claims, until));
    }
}
