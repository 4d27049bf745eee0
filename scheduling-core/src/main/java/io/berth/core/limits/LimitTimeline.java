package io.berth.core.limits;

import io.berth.contracts.JobId;
import io.berth.contracts.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What limits bound over time: what runs hold until their latest ends, and what planned jobs will
/// hold from their expected starts on.
///
/// For somebody who wants a plan, all that is planned counts at all times: a limit never has more
/// in the plan than it lets run together, however many jobs wait for it; and what runs can only
/// become less, so that a run that ends early never moves a start to a later time.
///
/// *Example*: alice may have 4 GPUs; 3 run until 12:00, and 2 are planned at 13:00. A job of 2 is
/// expected from 12:00 on, one of 3 at no time yet. One of 1 may start now if it ends by 13:00, or
/// if the 3 have ended by then.
///
/// Mutable and confined to one thread. Times are in epoch milliseconds.
public final class LimitTimeline {

    /// One sum that limits bound: of whom ([Place]), and of what; "" is the number of jobs.
    public record Counter(String key, String resource) {}

    /// What a job adds to a sum, and what that may be for the job to start; `Long.MAX_VALUE` if
    /// that does not matter to it.
    ///
    /// @param reason that a job shows which waits for it
    public record Claim(Counter counter, long amount, long bound, Reason reason) {

        /// What jobs claim that start together, each beside those before it.
        public static List<Claim> together(List<List<Claim>> jobs) {
            var sums = new LinkedHashMap<Counter, Claim>();
            for (List<Claim> claims : jobs) {
                var own = new LinkedHashMap<Counter, Claim>();
                claims.forEach(it -> own.merge(it.counter, it, Claim::tighter));
                own.forEach((counter, claim) -> sums.merge(counter, claim, Claim::and));
            }
            return List.copyOf(sums.values());
        }

        private Claim tighter(Claim other) {
            return bound <= other.bound ? this : other;
        }

        private Claim and(Claim next) {
            long sum = Saturated.plus(amount, next.amount);
            long before = Saturated.plus(bound, next.amount);
            return next.bound < before
                    ? new Claim(counter, sum, next.bound, next.reason)
                    : new Claim(counter, sum, before, reason);
        }
    }

    /// @param time when a run ends, or a planned job starts
    private record Stay(Map<Counter, Long> amounts, boolean planned, long time) {}

    private static final class Curve {
        private final TreeMap<Long, Long> ends = new TreeMap<>();
        private final TreeMap<Long, Long> starts = new TreeMap<>();

        /// What each of the planned jobs will hold.
        private final TreeMap<JobId, Long> expected = new TreeMap<>();

        private long running;
        private long planned;

        void enter(JobId job, long amount, Stay stay) {
            if (stay.planned) {
                expected.put(job, amount);
            }
            add(amount, stay);
        }

        void leave(JobId job, long amount, Stay stay) {
            expected.remove(job);
            add(-amount, stay);
        }

        private void add(long amount, Stay stay) {
            if (stay.planned) {
                planned += amount;
                add(starts, stay.time, amount);
            } else {
                running += amount;
                add(ends, stay.time, amount);
            }
        }

        private static void add(TreeMap<Long, Long> steps, long time, long amount) {
            steps.merge(time, amount, (a, b) -> a + b == 0 ? null : (Long) (a + b));
        }

        /// What some of the planned jobs will hold: of the first of them that hold enough.
        long expectedOf(Predicate<JobId> some, long enough) {
            long sum = 0;
            for (var job : expected.entrySet()) {
                if (sum >= enough) {
                    break;
                }
                sum += some.test(job.getKey()) ? job.getValue() : 0;
            }
            return sum;
        }

        /// The first time at which no more than that runs.
        ///
        /// @param floor when runs end that are past their ends
        long downTo(long most, long now, long floor) {
            long left = running;
            long at = now;
            for (var end : ends.entrySet()) {
                if (left <= most) {
                    break;
                }
                left -= end.getValue();
                at = Math.max(at, end.getKey() <= now ? floor : end.getKey());
            }
            return at;
        }

        /// Whether so much more, until a time, leaves everybody his expected start.
        boolean leaves(long amount, long bound, long until) {
            if (Saturated.plus(running + planned, amount) <= bound) {
                return true;
            }
            long held = running;
            var end = ends.entrySet().iterator();
            var next = end.hasNext() ? end.next() : null;
            for (var start : starts.headMap(until).entrySet()) {
                while (next != null && next.getKey() <= start.getKey()) {
                    held -= next.getValue();
                    next = end.hasNext() ? end.next() : null;
                }
                held += start.getValue();
                if (Saturated.plus(held, amount) > bound) {
                    return false;
                }
            }
            return true;
        }

        boolean empty() {
            return ends.isEmpty() && starts.isEmpty();
        }
    }

    private final Map<Counter, Curve> curves = new HashMap<>();
    private final Map<JobId, Stay> stays = new HashMap<>();

    /// A job holds this until then, at the latest. What it had before, it has no more.
    public void run(JobId job, List<Claim> claims, long until) {
        put(job, claims, false, until);
    }

    /// A job is expected to hold this from then on. What it had before, it has no more.
    public void plan(JobId job, List<Claim> claims, long from) {
        put(job, claims, true, from);
    }

    private void put(JobId job, List<Claim> claims, boolean planned, long time) {
        leave(job);
        if (!claims.isEmpty()) {
            var amounts = new HashMap<Counter, Long>();
            claims.forEach(it -> amounts.put(it.counter(), it.amount()));
            enter(job, new Stay(amounts, planned, time));
        }
    }

    private void enter(JobId job, Stay stay) {
        stays.put(job, stay);
        stay.amounts.forEach((counter, amount) ->
                curves.computeIfAbsent(counter, _ -> new Curve()).enter(job, amount, stay));
    }

    /// A job holds nothing, and nothing is expected of it.
    public void leave(JobId job) {
        Stay stay = stays.remove(job);
        if (stay != null) {
            stay.amounts.forEach((counter, amount) ->
                    curves.computeIfPresent(
                            counter,
                            (_, curve) -> {
                                curve.leave(job, amount, stay);
                                return curve.empty() ? null : curve;
                            }));
        }
    }

    /// The first time from `now` on at which jobs that do not run may start, as far as runs give
    /// back by then what they want, beside all that is planned for others; `Long.MAX_VALUE` if that
    /// leaves them too little.
    ///
    /// @param jobs that start together
    /// @param claims of them together
    /// @param without jobs that are planned and do not count; null is none
    /// @param floor when runs end that are past their ends
    public long from(
            List<JobId> jobs,
            List<Claim> claims,
            @Nullable Predicate<JobId> without,
            long now,
            long floor) {
        List<@Nullable Stay> own = lift(jobs);
        long from = now;
        for (Claim claim : claims) {
            Curve curve = curves.get(claim.counter());
            boolean bounds = claim.bound() < Long.MAX_VALUE;
            if (bounds && (curve != null || claim.amount() > claim.bound())) {
                from = Math.max(from, from(claim, curve, without, now, floor));
            }
        }
        putBack(jobs, own);
        return from;
    }

    private long from(
            Claim claim,
            @Nullable Curve curve,
            @Nullable Predicate<JobId> without,
            long now,
            long floor) {
        if (curve == null || claim.amount() > claim.bound()) {
            return Long.MAX_VALUE;
        }
        long most = claim.bound() - claim.amount() - curve.planned;
        if (without != null && most < 0) {
            most += curve.expectedOf(without, -most);
        }
        return most < 0 ? Long.MAX_VALUE : curve.downTo(most, now, floor);
    }

    /// The first of the claims that keeps jobs which do not run from doing so from now on until
    /// then, since another one could not start when it is expected to; null if none does.
    ///
    /// @param jobs that start together
    /// @param claims of them together
    /// @param until `Long.MAX_VALUE` for ever
    public @Nullable Claim kept(List<JobId> jobs, List<Claim> claims, long until) {
        List<@Nullable Stay> own = lift(jobs);
        Claim kept = null;
        for (int i = 0; kept == null && i < claims.size(); i++) {
            Claim claim = claims.get(i);
            Curve curve = curves.get(claim.counter());
            kept =
                    curve == null || curve.leaves(claim.amount(), claim.bound(), until)
                            ? null
                            : claim;
        }
        putBack(jobs, own);
        return kept;
    }

    private List<@Nullable Stay> lift(List<JobId> jobs) {
        var own = new ArrayList<@Nullable Stay>();
        for (JobId job : jobs) {
            own.add(stays.get(job));
            leave(job);
        }
        return own;
    }

    private void putBack(List<JobId> jobs, List<@Nullable Stay> own) {
        for (int i = 0; i < jobs.size(); i++) {
            Stay stay = own.get(i);
            if (stay != null) {
                enter(jobs.get(i), stay);
            }
        }
    }
}
