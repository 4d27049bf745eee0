package io.berth.core.engine;

import java.util.BitSet;

/// Whose place a job may have.
///
/// @param grounds of the runs that give way for it, by [Stake#ground]. No two of them give way for
///   one another, not even through others: else jobs could stop each other for ever
/// @param always whether neither the time for which a run is exempt nor the most victims bind it
public record Preemptor(BitSet grounds, boolean always) {

    public Preemptor {
        grounds = (BitSet) grounds.clone();
    }

    boolean takes(Stake stake, long now) {
        return stake.told()
                ? now < stake.exemptUntil()
                : grounds.get(stake.ground()) && (always || stake.exemptUntil() <= now);
    }
}
