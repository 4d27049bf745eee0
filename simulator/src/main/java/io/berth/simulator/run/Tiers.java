package io.berth.simulator.run;

import io.berth.core.engine.Preemptor;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Groups of jobs by tier: those of a higher one may have the place of those of lower ones, as with
/// `preemption.type: partition_prio` and the mode `REQUEUE`, without grace.
///
/// A run that gives way is lost: its job waits again, in its old place of the queue, and runs as
/// long as if it had never begun.
public final class Tiers {

    /// Nobody gives way to anybody.
    public static final Tiers NONE = new Tiers(Map.of());

    /// Of a group that is not named.
    private static final int DEFAULT = 1;

    private final TreeMap<String, Integer> of;
    private final List<Integer> steps;

    public Tiers(Map<String, Integer> of) {
        this.of = new TreeMap<>(of);
        var steps = new TreeMap<Integer, Boolean>();
        of.values().forEach(tier -> steps.put(tier, true));
        steps.put(DEFAULT, true);
        this.steps = List.copyOf(steps.keySet());
    }

    public boolean any() {
        return !of.isEmpty();
    }

    int tier(String group) {
        return of.getOrDefault(group, DEFAULT);
    }

    /// The ground that a run of that tier stands on.
    int ground(int tier) {
        return steps.indexOf(tier);
    }

    /// Whose place a job of that tier may have; null is nobody's.
    @Nullable Preemptor preemptor(int tier) {
        var below = new BitSet();
        below.set(0, ground(tier));
        return below.isEmpty() ? null : new Preemptor(below, false);
    }

    /// `dev=0,prod=10`.
    @Override
    public String toString() {
        return String.join(
                ",", of.entrySet().stream().map(it -> it.getKey() + "=" + it.getValue()).toList());
    }
}
