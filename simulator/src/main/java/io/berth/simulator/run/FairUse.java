package io.berth.simulator.run;

import io.berth.contracts.event.FairShares.Factor;
import io.berth.contracts.event.PriorityRules;
import io.berth.core.fairshare.FairShare;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.fairshare.Member;
import io.berth.core.fairshare.ShareTree;
import io.berth.simulator.trace.TraceJob;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Fair share on virtual time: who has used how much, and what follows for the priority of his
/// jobs.
///
/// Usage is the time of GPUs, counted while they are held, and forgotten by the half-life. The
/// factors are Fair Tree's, calculated anew every [#INTERVAL_MILLIS].
final class FairUse {

    /// As Slurm's PriorityCalcPeriod.
    static final long INTERVAL_MILLIS = TimeUnit.MINUTES.toMillis(5);

    /// Points for a factor of 1.
    static final long WEIGHT = 10_000;

    /// What one user has, and has had.
    private static final class Use {
        private int gpus;
        private long micros;
        private long asOf;

        /// Thousandths of GPU milliseconds that still count at that time.
        long at(long now, HalfLife halfLife) {
            long elapsed = now - asOf;
            micros =
                    halfLife.decay(micros, elapsed)
                            + halfLife.accrue(1000L * gpus * elapsed, elapsed);
            asOf = now;
            return micros;
        }
    }

    private final ShareTree tree;
    private final HalfLife halfLife;
    private final Consumer<List<Factor>> changed;
    private final Map<Member, Use> uses = new HashMap<>();
    private Map<Member, Long> factors = Map.of();
    private long next;

    /// @param changed is told the factors whenever they are others than before
    FairUse(Accounts accounts, HalfLife halfLife, Consumer<List<Factor>> changed) {
        this.tree = accounts.tree();
        this.halfLife = halfLife;
        this.changed = changed;
        accounts.members().forEach(it -> uses.put(it, new Use()));
    }

    private Use use(Member member) {
        return Objects.requireNonNull(uses.get(member));
    }

    /// The job's user holds so many GPUs more from now on; fewer if negative.
    void hold(TraceJob job, int gpus, long now) {
        Use use = use(Accounts.member(job));
        use.at(now, halfLife);
        use.gpus += gpus;
    }

    /// When the factors are calculated next.
    long next() {
        return next;
    }

    /// Calculates the factors, if that is due, and tells if they have changed.
    void calculate(long now) {
        if (now < next) {
            return;
        }
        next = now + INTERVAL_MILLIS;
        var usage = new TreeMap<Member, Long>();
        uses.forEach((member, use) -> usage.put(member, use.at(now, halfLife)));
        List<Factor> calculated = FairShare.factors(tree, usage, PriorityRules.DEFAULT);
        var byMember = new HashMap<Member, Long>();
        calculated.forEach(it -> byMember.put(new Member(it.account(), it.user()), it.factor()));
        if (!byMember.equals(factors)) {
            factors = byMember;
            changed.accept(calculated);
        }
    }
}
