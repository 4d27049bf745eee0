package io.berth.core.limits;

import io.berth.contracts.Spending;
import io.berth.contracts.event.FairShares.Budget;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// What the live jobs use together: of each QOS, of each user and account in it, of each
/// association and of each account with all below it.
///
/// Mutable and confined to one thread. A job that is added and removed leaves it as it was.
public final class Counters {

    /// One sum.
    static final class Sum {
        private long running;
        private long submitted;
        private final Map<String, Long> tres = new HashMap<>();

        /// Amount × second of the end: of a fleet's memory more than a number holds. What is left
        /// of it at some second is not, and modulo 2^64 it is the same.
        private final Map<String, Long> tresSeconds = new HashMap<>();

        private final Map<String, Long> committedSeconds = new HashMap<>();
        private long committedWall;

        long running() {
            return running;
        }

        /// Waiting ones included.
        long submitted() {
            return submitted;
        }

        long held(String resource) {
            return tres.getOrDefault(resource, 0L);
        }

        /// Amount × minutes that the running jobs may still take at that second.
        long runMinutes(String resource, long nowSeconds) {
            long left = tresSeconds.getOrDefault(resource, 0L) - held(resource) * nowSeconds;
            return Math.max(0, left) / 60;
        }

        /// Amount × seconds that the running jobs may take, from their starts to their limits.
        long committedSeconds(String resource) {
            return committedSeconds.getOrDefault(resource, 0L);
        }

        /// Seconds that the running jobs may take, from their starts to their limits.
        long committedWall() {
            return committedWall;
        }

        private boolean empty() {
            return running == 0 && submitted == 0;
        }
    }

    private static final Sum NOTHING = new Sum();

    private final LimitPolicy policy;
    private final Map<String, Sum> sums = new HashMap<>();
    private final Map<String, Spending> booked = new HashMap<>();
    private final Map<String, Spending> sinceThen = new HashMap<>();

    /// Nothing yet, under a policy whose accounts it follows.
    public Counters(LimitPolicy policy) {
        this.policy = policy;
    }

    /// A job waits, or, with a sign of -1, does not any more.
    public void submitted(JobUse job, int sign) {
        for (String key : policy.keys(job)) {
            Sum sum = sums.computeIfAbsent(key, _ -> new Sum());
            sum.submitted += sign;
            forget(key, sum);
        }
    }

    /// A job runs, or, with a sign of -1, does not any more.
    ///
    /// @param endSeconds when it reaches its limit, in seconds of cell time
    public void running(JobUse job, long endSeconds, int sign) {
        for (String key : policy.keys(job)) {
            Sum sum = sums.computeIfAbsent(key, _ -> new Sum());
            sum.running += sign;
            sum.submitted += sign;
            sum.committedWall += sign * job.longestSeconds();
            job.tres()
                    .forEach((name, amount) -> {
                        sum.tres.merge(name, sign * amount, Long::sum);
                        sum.tresSeconds.merge(name, sign * amount * endSeconds, Long::sum);
                        sum.committedSeconds.merge(
                                name,
                                Math.multiplyExact(sign * amount, job.longestSeconds()),
                                Long::sum);
                    });
            forget(key, sum);
        }
    }

    private void forget(String key, Sum sum) {
        if (sum.empty()) {
            sums.remove(key);
        }
    }

    /// What the books know to be spent of budgets.
    public void booked(Collection<Budget> budgets) {
        booked.clear();
        budgets.forEach(it -> booked.put(it.holder(), it.spent()));
    }

    /// A run ended that the books do not know yet.
    public void ended(JobUse job, Spending run) {
        for (String key : policy.keys(job)) {
            if (policy.budgets().contains(key)) {
                sinceThen.merge(key, run, Spending::plus);
            }
        }
    }

    /// The books know of all runs that have ended.
    public void allBooked() {
        sinceThen.clear();
    }

    /// What ended runs have spent of a budget.
    Spending spent(String key) {
        return booked.getOrDefault(key, Spending.ZERO)
                .plus(sinceThen.getOrDefault(key, Spending.ZERO));
    }

    Sum of(String key) {
        return sums.getOrDefault(key, NOTHING);
    }
}
