package io.berth.core.engine;

import java.util.concurrent.TimeUnit;

/// How jobs take the place of others.
///
/// @param mostVictims of one job
/// @param clearMillis how long nodes may take to be cleared of them. After that, what is kept for
///   the job is given back
public record Preemption(VictimOrder order, int mostVictims, long clearMillis) {

    public static final Preemption DEFAULT =
            new Preemption(VictimOrder.LEAST_LOST, Integer.MAX_VALUE, TimeUnit.MINUTES.toMillis(2));
}
