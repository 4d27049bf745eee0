package io.berth.core.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The classes that may gain by what came free and do not know it yet, those first of which a job
/// may stand first.
///
/// Most of thousands of classes are never told, for what came free is taken before their turn. So
/// as long as it lasts nothing is read of them but numbers that lie side by side in memory.
///
/// *Method*: a heap for each tier, in which a class stands by what its jobs' priority is at most
/// ([Peaks]) until it is at the top, and by its first job from then on.
final class Gainers {

    private final Scheduling all;
    private final long now;
    private final Function<FitClass, @Nullable Waiting> firstOf;

    private final BitSet pending = new BitSet();

    /// Those that stand by their first job.
    private final BitSet exact = new BitSet();

    /// By class, the highest priority by which it was added and still stands.
    private final long[] highest;

    /// The highest first.
    private final List<Tier> tiers = new ArrayList<>();

    /// Its classes by priority, the highest first, and by the submission of their jobs; some are
    /// pending no longer, and some stand there twice.
    private record Tier(int number, Heap classes) {}

    /// @param firstOf the first job of a class that may gain; null if there is none
    Gainers(Scheduling all, long now, Function<FitClass, @Nullable Waiting> firstOf) {
        this.all = all;
        this.now = now;
        this.firstOf = firstOf;
        this.highest = new long[all.classes().size()];
    }

    /// Adds a class.
    ///
    /// @param peak no higher than that is the priority of any of its jobs that may gain
    void add(int id, long peak) {
        if (pending.get(id) && highest[id] >= peak) {
            return;
        }
        pending.set(id);
        exact.clear(id);
        highest[id] = peak;
        tier(all.peaks.tier(id)).push(-peak, Long.MIN_VALUE, id);
    }

    private Heap tier(int number) {
        int at = 0;
        while (at < tiers.size() && tiers.get(at).number > number) {
            at++;
        }
        if (at == tiers.size() || tiers.get(at).number != number) {
            tiers.add(at, new Tier(number, new Heap()));
        }
        return tiers.get(at).classes;
    }

    boolean has(int id) {
        return pending.get(id);
    }

    /// Takes a class out. False: it was not there.
    boolean remove(int id) {
        boolean there = pending.get(id);
        pending.clear(id);
        return there;
    }

    /// The first one; null if there is none, or if all its jobs stand behind that one.
    ///
    /// @param other null for nobody
    @Nullable FitClass before(@Nullable Waiting other) {
        Waiting last = other == null ? null : other.last(now);
        for (Tier tier : tiers) {
            settle(tier.classes);
            if (!tier.classes.isEmpty()) {
                return last == null || !behind(tier, last)
                        ? all.classes().get(tier.classes.item())
                        : null;
            }
        }
        return null;
    }

    /// Whether the first class of a tier stands behind a job, as in [Waiting#order].
    private boolean behind(Tier tier, Waiting job) {
        return tier.number == job.fit.tier
                ? tier.classes.isBefore(-job.priority(now), job.submission)
                : tier.number < job.fit.tier;
    }

    /// Leaves a class at the top that is pending and stands by its first job.
    private void settle(Heap classes) {
        while (!classes.isEmpty() && !(pending.get(classes.item()) && exact.get(classes.item()))) {
            int id = classes.item();
            classes.pop();
            if (pending.get(id)) {
                exact.set(id);
                highest[id] = Peaks.NONE;
                Waiting first = firstOf.apply(all.classes().get(id));
                classes.push(
                        first == null ? -Peaks.NONE : -first.priority(now),
                        first == null ? Long.MAX_VALUE : first.submission,
                        id);
            }
        }
    }

    /// Only some of them may gain by it any more.
    void keep(IntPredicate some) {
        for (Tier tier : tiers) {
            tier.classes.keep(id -> {
                boolean kept = pending.get(id) && some.test(id);
                pending.set(id, kept);
                return kept;
            });
        }
    }
}
