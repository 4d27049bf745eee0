package io.berth.core.engine;

import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;

/// Whose place a job may have.
///
/// @param grounds of the runs that give way for it, by [Stake#ground]. No two of them give way for
///   one another, not even through others: else jobs could stop each other for ever
/// @param always whether neither the time for which a run is exempt nor the most victims bind it
/// @param claims to the places of more runs, as far as its queues have room for it
public record Preemptor(BitSet grounds, boolean always, List<Claim> claims) {

    /// The right to the places of runs as long as a queue has room for the job.
    ///
    /// @param queue as [Decisions#covers] is asked for it
    /// @param grounds by [Stake#ground]
    public record Claim(int queue, BitSet grounds) {

        public Claim {
            grounds = (BitSet) grounds.clone();
        }
    }

    public Preemptor {
        grounds = (BitSet) grounds.clone();
        claims = List.copyOf(claims);
    }

    /// One that may have these places whatever its queues have room for.
    public Preemptor(BitSet grounds, boolean always) {
        this(grounds, always, List.of());
    }

    /// What it may have now.
    ///
    /// @param covers whether a queue has room for the job
    Preemptor now(IntPredicate covers) {
        List<Claim> open = claims.stream().filter(it -> covers.test(it.queue())).toList();
        var all = (BitSet) grounds.clone();
        open.forEach(it -> all.or(it.grounds()));
        return new Preemptor(all, always, open);
    }

    /// The same, bound by neither exempt time nor the most victims.
    Preemptor beyond() {
        return new Preemptor(grounds, true, claims);
    }

    /// Whether anybody is there who could give way for it, had its queues room for it: a run, or
    /// one that is expected to start and would give its place back.
    boolean mayAsk(Scheduling all) {
        return claims.isEmpty()
                ? all.cluster.standsOn(grounds)
                : !all.plans.all().isEmpty()
                        || all.cluster.standsOn(grounds)
                        || claims.stream().anyMatch(it -> all.cluster.standsOn(it.grounds()));
    }

    boolean takes(Stake stake, long now) {
        return stake.told()
                ? now < stake.exemptUntil()
                : grounds.get(stake.ground()) && (always || stake.exemptUntil() <= now);
    }
}
