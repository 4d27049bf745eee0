package io.berth.core.limits;

import io.berth.contracts.JobId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    public record Claim(Counter counter, long amount, long bound) {}

    /// @param time when a run ends, or a planned job starts
    private record Stay(Map<Counter, Long> amounts, boolean planned, long time) {}

    private static final class Curve {
        private final TreeMap<Long, Long> ends = new TreeMap<>();
        private final TreeMap<Long, Long> starts = new TreeMap<>();
        private long running;
        private long planned;

        void add(long amount, Stay stay) {
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
                curves.computeIfAbsent(counter, _ -> new Curve()).add(amount, stay));
    }

    /// A job holds nothing, and nothing is expected of it.
    public void leave(JobId job) {
        Stay stay = stays.remove(job);
        if (stay != null) {
            stay.amounts.forEach((counter, amount) ->
                    curves.computeIfPresent(
                            counter,
                            (_, curve) -> {
                                curve.add(-amount, stay);
                                return curve.empty() ? null : curve;
                            }));
        }
    }

    /// The first time from `now` on at which a job that does not run may start, as far as runs give
    /// back by then what it wants, beside all that is planned for others; `Long.MAX_VALUE` if that
    /// leaves it too little.
    ///
    /// @param floor when runs end that are past their ends
    public long from(JobId job, List<Claim> claims, long now, long floor) {
        Stay own = lift(job);
        long from = now;
        for (Claim claim : claims) {
            Curve curve = curves.get(claim.counter());
            if (curve != null || claim.amount() > claim.bound()) {
                from = Math.max(from, from(claim, curve, now, floor));
            }
        }
        putBack(job, own);
        return from;
    }

    private static long from(Claim claim, @Nullable Curve curve, long now, long floor) {
        long least = Saturated.plus(claim.amount(), curve == null ? 0 : curve.planned);
        if (curve == null || least > claim.bound()) {
            return Long.MAX_VALUE;
        }
        return curve.downTo(claim.bound() - least, now, floor);
    }

    /// Whether a job that does not run may do so from now on until then, and leaves every other one
    /// its expected start.
    ///
    /// @param until `Long.MAX_VALUE` for ever
    public boolean leaves(JobId job, List<Claim> claims, long until) {
        Stay own = lift(job);
        boolean leaves = true;
        for (Claim claim : claims) {
            Curve curve = curves.get(claim.counter());
            leaves =
                    leaves && (curve == null || curve.leaves(claim.amount(), claim.bound(), until));
        }
        putBack(job, own);
        return leaves;
    }

    private @Nullable Stay lift(JobId job) {
        Stay own = stays.get(job);
        leave(job);
        return own;
    }

    private void putBack(JobId job, @Nullable Stay own) {
        if (own != null) {
            enter(job, own);
        }
    }
}
