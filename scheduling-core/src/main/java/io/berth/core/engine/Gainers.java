package io.berth.core.engine;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The classes that may gain by what came free and do not know it yet, those first of which a job
/// may stand first.
///
/// Most of thousands of classes are never told, for what came free is taken before their turn. So
/// as long as it lasts nothing is read of them but numbers that lie side by side in memory.
///
/// *Method*: a heap, in which a class stands by what its jobs' priority is at most ([Peaks]) until
/// it is at the top, and by its first job from then on.
final class Gainers {

    private final Scheduling all;
    private final long now;
    private final Function<FitClass, @Nullable Waiting> firstOf;

    private final BitSet pending = new BitSet();

    /// Those that stand by their first job.
    private final BitSet exact = new BitSet();

    /// By class, the highest priority by which it was added and still stands.
    private final long[] highest;

    /// Of the heap, each class, its priority, and its job's submission; some are there no longer,
    /// and some twice.
    private int[] ids = new int[64];

    private long[] peaks = new long[64];
    private long[] submissions = new long[64];
    private int size;

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
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, 2 * size);
            peaks = Arrays.copyOf(peaks, 2 * size);
            submissions = Arrays.copyOf(submissions, 2 * size);
        }
        put(size++, id, peak, Long.MIN_VALUE);
        rise(size - 1);
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
        settle();
        if (size == 0) {
            return null;
        }
        Waiting last = other == null ? null : other.last(now);
        boolean behind =
                last != null
                        && before(
                                last.fit.tier,
                                last.priority(now),
                                last.submission,
                                all.peaks.tier(ids[0]),
                                peaks[0],
                                submissions[0]);
        return behind ? null : all.classes().get(ids[0]);
    }

    /// Leaves a class at the top that is one of them and stands by its first job.
    private void settle() {
        while (size > 0 && !(pending.get(ids[0]) && exact.get(ids[0]))) {
            int id = ids[0];
            if (pending.get(id)) {
                exact.set(id);
                highest[id] = Peaks.NONE;
                Waiting first = firstOf.apply(all.classes().get(id));
                peaks[0] = first == null ? Peaks.NONE : first.priority(now);
                submissions[0] = first == null ? Long.MAX_VALUE : first.submission;
            } else {
                move(--size, 0);
            }
            sink(0);
        }
    }

    /// Only some of them may gain by it any more.
    void keep(IntPredicate some) {
        int kept = 0;
        for (int at = 0; at < size; at++) {
            int id = ids[at];
            if (pending.get(id) && some.test(id)) {
                move(at, kept++);
            } else {
                pending.clear(id);
            }
        }
        size = kept;
        for (int at = size / 2 - 1; at >= 0; at--) {
            sink(at);
        }
    }

    private void rise(int from) {
        int at = from;
        for (int up = (at - 1) / 2; at > 0 && before(at, up); up = (at - 1) / 2) {
            swap(at, up);
            at = up;
        }
    }

    private void sink(int from) {
        int at = from;
        int down = first(at);
        while (down != at) {
            swap(at, down);
            at = down;
            down = first(at);
        }
    }

    /// The first of a class in the heap and the two below it.
    private int first(int at) {
        int first = at;
        for (int below = 2 * at + 1; below <= 2 * at + 2 && below < size; below++) {
            first = before(below, first) ? below : first;
        }
        return first;
    }

    private boolean before(int a, int b) {
        return before(
                all.peaks.tier(ids[a]),
                peaks[a],
                submissions[a],
                all.peaks.tier(ids[b]),
                peaks[b],
                submissions[b]);
    }

    /// As [Waiting#order].
    private static boolean before(
            int tier, long peak, long submission, int tierB, long peakB, long submissionB) {
        return tier != tierB
                ? tier > tierB
                : peak != peakB ? peak > peakB : submission < submissionB;
    }

    private void swap(int a, int b) {
        int id = ids[a];
        long peak = peaks[a];
        long submission = submissions[a];
        move(b, a);
        put(b, id, peak, submission);
    }

    private void move(int from, int to) {
        put(to, ids[from], peaks[from], submissions[from]);
    }

    private void put(int at, int id, long peak, long submission) {
        ids[at] = id;
        peaks[at] = peak;
        submissions[at] = submission;
    }
}
