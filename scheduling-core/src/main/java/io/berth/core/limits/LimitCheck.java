package io.berth.core.limits;

import io.berth.contracts.Limit;
import io.berth.contracts.Reason;
import io.berth.contracts.Tres;
import io.berth.core.limits.LimitTimeline.Claim;
import io.berth.core.limits.LimitTimeline.Counter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/// One look at one job under the limits that hold for it.
final class LimitCheck {

    private static final long MINUTE_MILLIS = 60_000;

    private static final List<Limit> IN_COUNTS =
            List.of(
                    Limit.GRP_JOBS,
                    Limit.GRP_WALL,
                    Limit.MAX_JOBS_PER_ACCOUNT,
                    Limit.MAX_JOBS,
                    Limit.MAX_WALL);

    private static final List<Limit> IN_RESOURCES =
            List.of(
                    Limit.GRP_TRES_MINS,
                    Limit.MAX_TRES_MINS,
                    Limit.GRP_TRES,
                    Limit.GRP_TRES_RUN_MINS,
                    Limit.MAX_TRES,
                    Limit.MAX_TRES_PER_NODE,
                    Limit.MIN_TRES,
                    Limit.MAX_TRES_PER_USER,
                    Limit.MAX_TRES_PER_ACCOUNT);

    /// What is over by itself when runs end: their latest ends say when.
    private static final Set<Limit> OF_WHAT_RUNS =
            EnumSet.of(
                    Limit.GRP_JOBS,
                    Limit.MAX_JOBS,
                    Limit.MAX_JOBS_PER_ACCOUNT,
                    Limit.GRP_TRES,
                    Limit.MAX_TRES_PER_USER,
                    Limit.MAX_TRES_PER_ACCOUNT);

    private static final List<Limit> LASTING_COUNTS =
            IN_COUNTS.stream().filter(it -> !OF_WHAT_RUNS.contains(it)).toList();
    private static final List<Limit> LASTING_RESOURCES =
            IN_RESOURCES.stream().filter(it -> !OF_WHAT_RUNS.contains(it)).toList();

    static final List<Limit> AT_SUBMISSION =
            List.of(
                    Limit.GRP_SUBMIT_JOBS,
                    Limit.MAX_SUBMIT_JOBS_PER_ACCOUNT,
                    Limit.MAX_SUBMIT_JOBS);

    private final LimitPolicy policy;
    private final JobUse job;
    private final Counters counters;
    private final long nowSeconds;
    private final List<Place> limiting;
    private final long limitSeconds;

    LimitCheck(LimitPolicy policy, JobUse job, Counters counters, long nowSeconds) {
        this.policy = policy;
        this.job = job;
        this.counters = counters;
        this.nowSeconds = nowSeconds;
        this.limiting = policy.limiting(job);
        this.limitSeconds = job.longestSeconds();
    }

    Optional<Reason> start() {
        return first(IN_COUNTS).or(() -> first(IN_RESOURCES));
    }

    /// The same of limits that hold whatever of the running jobs has ended.
    Optional<Reason> lasting() {
        return first(LASTING_COUNTS).or(() -> first(LASTING_RESOURCES));
    }

    /// What the job adds to each sum that limits bound by what runs.
    List<Claim> claims() {
        var claims = new ArrayList<Claim>();
        Map<Limit, Set<String>> read = new EnumMap<>(Limit.class);
        for (Place place : limiting) {
            for (Limit limit : OF_WHAT_RUNS) {
                Set<String> before = read.getOrDefault(limit, Set.of());
                place.limits()
                        .count(limit)
                        .ifPresent(bound -> claims.add(claim(place, limit, "", 1, bound, before)));
                place.limits()
                        .amounts(limit)
                        .forEach((resource, bound) -> {
                            long own = job.tres().getOrDefault(resource, 0L);
                            if (own > 0) {
                                claims.add(claim(place, limit, resource, own, bound, before));
                            }
                        });
            }
            if (place.ofQos()) {
                markRead(place, List.copyOf(OF_WHAT_RUNS), read);
            }
        }
        return claims;
    }

    private static Claim claim(
            Place place, Limit limit, String resource, long own, long bound, Set<String> before) {
        return new Claim(
                new Counter(place.keyOf(limit), resource),
                own,
                before.contains(resource) ? Long.MAX_VALUE : bound,
                LimitReasons.of(place.ofQos(), limit, resource));
    }

    Optional<Reason> submit() {
        Optional<Reason> tooMany = first(AT_SUBMISSION);
        if (tooMany.isPresent() || !policy.deniesOnLimit(job.qos())) {
            return tooMany;
        }
        return first(IN_COUNTS.stream().filter(it -> !it.passes()).toList())
                .or(() -> first(IN_RESOURCES.stream().filter(it -> !it.passes()).toList()))
                .or(() -> neverFits());
    }

    /// A limit of a group or user that the job alone exceeds.
    private Optional<Reason> neverFits() {
        return new LimitCheck(policy, job, new Counters(policy), nowSeconds).first(IN_RESOURCES);
    }

    private Optional<Reason> first(List<Limit> limits) {
        Map<Limit, Set<String>> read = new EnumMap<>(Limit.class);
        for (Place place : limiting) {
            for (Limit limit : limits) {
                Optional<Reason> met = met(place, limit, read);
                if (met.isPresent()) {
                    return met;
                }
            }
            if (place.ofQos()) {
                markRead(place, limits, read);
            }
        }
        return Optional.empty();
    }

    /// What a QOS limits is not limited by what comes after it.
    private void markRead(Place place, List<Limit> limits, Map<Limit, Set<String>> read) {
        for (Limit limit : limits) {
            Set<String> of = read.computeIfAbsent(limit, _ -> new HashSet<>());
            if (place.limits().count(limit).isPresent()) {
                of.add("");
            }
            of.addAll(place.limits().amounts(limit).keySet());
        }
    }

    private Optional<Reason> met(Place place, Limit limit, Map<Limit, Set<String>> read) {
        Set<String> before = read.getOrDefault(limit, Set.of());
        var count = place.limits().count(limit);
        if (count.isPresent()
                && !before.contains("")
                && counted(place, limit) > count.getAsLong()) {
            return Optional.of(LimitReasons.of(place.ofQos(), limit, ""));
        }
        for (var it : place.limits().amounts(limit).entrySet()) {
            String resource = it.getKey();
            if (!before.contains(resource) && exceeds(place, limit, resource, it.getValue())) {
                return Optional.of(LimitReasons.of(place.ofQos(), limit, resource));
            }
        }
        return Optional.empty();
    }

    /// The number that the limit bounds, the job included.
    private long counted(Place place, Limit limit) {
        Counters.Sum sum = counters.of(place.keyOf(limit));
        return switch (limit) {
            case GRP_JOBS, MAX_JOBS, MAX_JOBS_PER_ACCOUNT -> sum.running() + 1;
            case GRP_SUBMIT_JOBS, MAX_SUBMIT_JOBS, MAX_SUBMIT_JOBS_PER_ACCOUNT ->
                    sum.submitted() + 1;
            case MAX_WALL -> Math.ceilDiv(limitSeconds, 60L);
            case GRP_WALL -> Math.ceilDiv(wallMillis(place.key(), sum), MINUTE_MILLIS);
            case GRP_TRES,
                    GRP_TRES_MINS,
                    GRP_TRES_RUN_MINS,
                    MAX_TRES,
                    MAX_TRES_PER_NODE,
                    MAX_TRES_MINS,
                    MAX_TRES_PER_USER,
                    MAX_TRES_PER_ACCOUNT,
                    MIN_TRES ->
                    0;
        };
    }

    private boolean exceeds(Place place, Limit limit, String resource, long bound) {
        long own = job.tres().getOrDefault(resource, 0L);
        Counters.Sum sum = counters.of(place.keyOf(limit));
        return switch (limit) {
            case MIN_TRES -> own < bound;
            case MAX_TRES -> own > bound;
            case MAX_TRES_PER_NODE -> job.perNode().getOrDefault(resource, 0L) > bound;
            case MAX_TRES_MINS -> minutes(own) > bound;
            // A job that uses none of it is not kept waiting by others that use too much.
            case GRP_TRES, MAX_TRES_PER_USER, MAX_TRES_PER_ACCOUNT ->
                    own > 0 && Saturated.plus(sum.held(resource), own) > bound;
            case GRP_TRES_RUN_MINS ->
                    own > 0
                            && Saturated.plus(sum.runMinutes(resource, nowSeconds), minutes(own))
                                    > bound;
            case GRP_TRES_MINS -> {
                long wanted = thousandths(resource, it -> job.tres().getOrDefault(it, 0L));
                long running = thousandths(resource, sum::committedSeconds);
                long toCome = Saturated.plus(running, Saturated.times(wanted, limitSeconds));
                yield wanted > 0
                        && Saturated.plus(spentMillis(place.key(), resource), toCome)
                                > Saturated.times(bound, MINUTE_MILLIS);
            }
            case GRP_JOBS,
                    GRP_SUBMIT_JOBS,
                    GRP_WALL,
                    MAX_JOBS,
                    MAX_SUBMIT_JOBS,
                    MAX_WALL,
                    MAX_JOBS_PER_ACCOUNT,
                    MAX_SUBMIT_JOBS_PER_ACCOUNT ->
                    false;
        };
    }

    /// An amount in thousandths; of GPUs with the parts of them. In how many shards a GPU is given
    /// out depends on the node: one counts as all.
    private static long thousandths(String resource, ToLongFunction<String> amounts) {
        long whole = Saturated.times(amounts.applyAsLong(resource), 1000);
        if (!resource.equals(Tres.GPU)) {
            return whole;
        }
        long hundredths = Saturated.times(amounts.applyAsLong(Tres.MPS), 10);
        long shards = Saturated.times(amounts.applyAsLong(Tres.SHARD), 1000);
        return Saturated.plus(whole, Saturated.plus(hundredths, shards));
    }

    private long spentMillis(String holder, String resource) {
        return counters.spent(holder).millis(resource);
    }

    /// What ended runs took, and running ones and this one may.
    private long wallMillis(String holder, Counters.Sum sum) {
        return Saturated.plus(
                counters.spent(holder).wallMillis(),
                Saturated.times(Saturated.plus(sum.committedWall(), limitSeconds), 1000));
    }

    private long minutes(long amount) {
        return Saturated.times(amount, limitSeconds) / 60;
    }
}
