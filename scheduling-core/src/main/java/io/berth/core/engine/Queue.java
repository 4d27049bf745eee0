package io.berth.core.engine;

import io.berth.core.engine.Waiting.Association;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The jobs that wait, found by fit class and length in the order of priority, without ever being
/// sorted.
///
/// Jobs of one association that age at the same speed keep their order, so they stand in a [Line]
/// once and for all; lines of the same speed keep their order until fair shares change. A job that
/// has reached the cap of its age moves to the line of speed 0. A new fair share moves lines, not
/// jobs.
///
/// Most lines hold one job, and of a million jobs each lies somewhere else in memory: so a line
/// holds what it is ordered by, and a class the keys of those lines that stand first ([Pace]).
final class Queue {

    /// The classes whose jobs wait.
    private final Set<FitClass> classes = new LinkedHashSet<>();

    /// The lines of all classes that may have expected starts.
    private final Map<Rung, TreeSet<Line>> plannable = new LinkedHashMap<>();

    /// The jobs that wait, here or with an expected start, and whose waiting still counts, by when
    /// it will no longer.
    private final TreeSet<Waiting> caps =
            new TreeSet<>(Comparator.comparingLong(Waiting::cappedAt).thenComparing(Waiting::byId));

    /// The classes to which jobs were added since [#settle] was last called.
    private final Set<FitClass> fresh = new LinkedHashSet<>();

    /// Of each class the jobs without an expected start that end if they do not start in time.
    private final Map<FitClass, Set<Waiting>> expiring = new LinkedHashMap<>();

    private final Peaks peaks;
    private long origin;
    private boolean empty = true;

    /// Jobs of one class, bucket, association and speed, in their lasting order; those that are
    /// outbid by themselves.
    static final class Line {
        private final Pace pace;
        private final Ladder ladder;
        private final Association association;
        private final boolean outbid;

        /// The first of the jobs.
        private Waiting head;

        /// Those behind it; null until there is one.
        private @Nullable TreeSet<Waiting> others;

        /// Of the head and its fair share, while the line stands among others.
        private long key;

        private Line(Pace pace, Ladder ladder, Waiting head) {
            this.pace = pace;
            this.ladder = ladder;
            this.association = head.association;
            this.outbid = head.outbid;
            this.head = head;
        }

        /// Whether its jobs may have expected starts.
        private boolean plannable() {
            return !outbid && head.fit.plannable();
        }

        private void weigh() {
            key = head.key + 1000 * association.share;
        }

        Iterator<Waiting> jobs() {
            return others == null
                    ? List.of(head).iterator()
                    : Stream.concat(Stream.of(head), others.stream()).iterator();
        }

        private void queue(Waiting job) {
            if (others == null) {
                others = new TreeSet<>(Queue::byKey);
            }
            others.add(job);
        }
    }

    private static int byKey(Waiting a, Waiting b) {
        return a.key != b.key ? Long.compare(b.key, a.key) : Waiting.bySubmission(a, b);
    }

    private static int byKey(Line a, Line b) {
        return a.key != b.key ? Long.compare(b.key, a.key) : Waiting.bySubmission(a.head, b.head);
    }

    private record LineName(int association, boolean outbid) {}

    /// What lines have in common that keep their order until fair shares change.
    ///
    /// @param expires whether their jobs end if they do not start in time
    private record Rung(int tier, int partition, long slope, boolean expires) {}

    /// The lines of one fit class and bucket and of one pace, in their order and by name.
    private static final class Ladder {
        final int bucket;
        final Map<LineName, Line> lines = new HashMap<>();
        final TreeSet<Line> inOrder = new TreeSet<>(Queue::byKey);

        Ladder(int bucket) {
            this.bucket = bucket;
        }
    }

    interface KeyOfBucket {
        void is(int bucket, long key);
    }

    /// The lines of one fit class and speed, by bucket; those of jobs that end if they do not start
    /// in time by themselves.
    static final class Pace {
        private final FitClass fit;
        private final long slope;
        private final boolean expires;

        /// Those of all classes that stand in one order with these.
        private final TreeSet<Line> rung;

        private final @Nullable Ladder[] ladders = new Ladder[Buckets.count()];

        /// The first of each bucket, and its key.
        private final @Nullable Line[] firsts = new Line[Buckets.count()];

        private final long[] keys = new long[Buckets.count()];

        /// The buckets that hold jobs, one bit each.
        private long filled;

        private Pace(FitClass fit, long slope, boolean expires, TreeSet<Line> rung) {
            this.fit = fit;
            this.slope = slope;
            this.expires = expires;
            this.rung = rung;
        }

        /// Whether its jobs' waiting still counts.
        boolean rises() {
            return slope > 0;
        }

        /// Tells the highest key of each bucket that holds jobs.
        void keys(KeyOfBucket told) {
            for (long left = filled; left != 0; left &= left - 1) {
                int bucket = Long.numberOfTrailingZeros(left);
                told.is(bucket, keys[bucket]);
            }
        }

        private Ladder ladder(int bucket) {
            Ladder known = ladders[bucket];
            if (known == null) {
                known = new Ladder(bucket);
                ladders[bucket] = known;
            }
            return known;
        }

        /// Lines have come to a bucket, or gone, or are in another order.
        private void settle(int bucket) {
            Ladder ladder = ladders[bucket];
            if (ladder == null || ladder.inOrder.isEmpty()) {
                ladders[bucket] = null;
                firsts[bucket] = null;
                filled &= ~(1L << bucket);
            } else {
                Line first = ladder.inOrder.first();
                firsts[bucket] = first;
                keys[bucket] = first.key;
                filled |= 1L << bucket;
            }
        }

        /// The first line of a bucket up to that one; null if there is none.
        private @Nullable Line first(int lastBucket) {
            Line best = null;
            int at = -1;
            for (long left = filled & (-1L >>> (Long.SIZE - 1 - lastBucket));
                    left != 0;
                    left &= left - 1) {
                int bucket = Long.numberOfTrailingZeros(left);
                if (at < 0 || keys[bucket] >= keys[at]) {
                    Line first = firsts[bucket];
                    boolean before =
                            first != null
                                    && (best == null
                                            || keys[bucket] > keys[at]
                                            || byKey(first, best) < 0);
                    best = before ? first : best;
                    at = before ? bucket : at;
                }
            }
            return best;
        }
    }

    Queue(Peaks peaks) {
        this.peaks = peaks;
    }

    Collection<FitClass> classes() {
        return classes;
    }

    /// The part of a priority that lasts while jobs of one speed wait.
    private long key(Waiting job) {
        return job.capped
                ? 1000 * (job.constant + Math.max(0, job.cap))
                : 1000 * job.constant - job.slope * (job.submittedAt - origin);
    }

    /// A job waits from now on.
    void came(Waiting job) {
        if (!job.capped) {
            caps.add(job);
        }
    }

    /// A job waits no longer.
    void left(Waiting job) {
        remove(job);
        if (!job.capped) {
            caps.remove(job);
        }
    }

    /// A job that waits has no expected start.
    void add(Waiting job) {
        if (empty) {
            empty = false;
            origin = job.submittedAt;
        }
        peaks.came(job, origin);
        classes.add(job.fit);
        fresh.add(job.fit);
        job.key = key(job);
        Pace pace = pace(job.fit, job.capped ? 0 : job.slope, job.expires());
        Ladder ladder = pace.ladder(job.bucket);
        var name = new LineName(job.association.id, job.outbid);
        Line line = ladder.lines.get(name);
        if (line == null) {
            line = new Line(pace, ladder, job);
            ladder.lines.put(name, line);
            stepOn(line);
        } else if (byKey(job, line.head) < 0) {
            stepOff(line);
            line.queue(line.head);
            line.head = job;
            stepOn(line);
        } else {
            line.queue(job);
        }
        job.line = line;
        if (job.expires() && !job.outbid) {
            expiring.computeIfAbsent(job.fit, _ -> new LinkedHashSet<>()).add(job);
        }
    }

    private Pace pace(FitClass fit, long slope, boolean expires) {
        for (Pace pace : fit.paces) {
            if (pace.slope == slope && pace.expires == expires) {
                return pace;
            }
        }
        var rung = new Rung(fit.tier, fit.partition, slope, expires);
        var pace =
                new Pace(
                        fit,
                        slope,
                        expires,
                        plannable.computeIfAbsent(rung, _ -> new TreeSet<>(Queue::byKey)));
        fit.paces.add(pace);
        return pace;
    }

    void remove(Waiting job) {
        Line line = job.line;
        if (line == null) {
            return;
        }
        job.line = null;
        if (job.expires()) {
            expiring.computeIfPresent(
                    job.fit, (_, its) -> its.remove(job) && its.isEmpty() ? null : its);
        }
        TreeSet<Waiting> others = line.others;
        if (line.head != job) {
            Objects.requireNonNull(others).remove(job);
            return;
        }
        stepOff(line);
        if (others != null && !others.isEmpty()) {
            line.head = others.removeFirst();
            stepOn(line);
            return;
        }
        line.ladder.lines.remove(new LineName(line.association.id, line.outbid));
        settle(line.pace, line.ladder.bucket);
        if (job.fit.paces.stream().allMatch(it -> it.filled == 0)) {
            classes.remove(job.fit);
        }
    }

    private void stepOn(Line line) {
        line.weigh();
        line.ladder.inOrder.add(line);
        settle(line.pace, line.ladder.bucket);
        if (line.plannable()) {
            line.pace.rung.add(line);
        }
    }

    private void settle(Pace pace, int bucket) {
        pace.settle(bucket);
        peaks.queued(pace.fit);
    }

    private void stepOff(Line line) {
        line.ladder.inOrder.remove(line);
        line.pace.rung.remove(line);
    }

    /// The classes to which jobs were added since the last call, or that may start jobs since then.
    List<FitClass> settle() {
        var since = List.copyOf(fresh);
        fresh.clear();
        return since;
    }

    /// All classes may start jobs again.
    void open() {
        fresh.addAll(classes);
    }

    /// The class may have expected starts now, or may have none any more.
    void judged(FitClass fit) {
        fresh.add(fit);
        for (Pace pace : fit.paces) {
            for (Ladder ladder : pace.ladders) {
                for (Line line : ladder == null ? List.<Line>of() : ladder.inOrder) {
                    if (line.plannable()) {
                        pace.rung.add(line);
                    } else {
                        pace.rung.remove(line);
                    }
                }
            }
        }
    }

    /// Moves the jobs that have waited as long as counts.
    void age(long now) {
        while (!caps.isEmpty() && caps.first().cappedAt() <= now) {
            Waiting job = caps.removeFirst();
            boolean stands = job.line != null;
            remove(job);
            job.capped = true;
            job.key = key(job);
            if (stands) {
                add(job);
            }
        }
    }

    /// Gives associations other fair shares.
    void reshare(Runnable change) {
        change.run();
        for (FitClass fit : classes) {
            for (Pace pace : fit.paces) {
                for (Ladder ladder : pace.ladders) {
                    if (ladder != null) {
                        ladder.lines.values().forEach(Line::weigh);
                        sort(ladder.inOrder);
                        pace.settle(ladder.bucket);
                    }
                }
            }
            peaks.queued(fit);
        }
        plannable.values().forEach(Queue::sort);
    }

    /// Puts lines in order that have other keys. Sorted before they are put into the tree, they are
    /// compared with fewer others that lie apart.
    private static void sort(TreeSet<Line> lines) {
        if (lines.size() > 1) {
            List<Line> sorted = new ArrayList<>(lines);
            sorted.sort(Queue::byKey);
            lines.clear();
            lines.addAll(sorted);
        }
    }

    /// The first job of all that may have an expected start; null if there is none.
    ///
    /// @param partitions of which they may be
    @Nullable Waiting first(IntPredicate partitions, long now) {
        return first(partitions, true, now);
    }

    /// The same.
    ///
    /// @param expiring whether one may be that ends if it does not start in time
    @Nullable Waiting first(IntPredicate partitions, boolean expiring, long now) {
        Waiting best = null;
        for (var rung : plannable.entrySet()) {
            Rung its = rung.getKey();
            if (!rung.getValue().isEmpty()
                    && (expiring || !its.expires())
                    && partitions.test(its.partition())) {
                Waiting head = rung.getValue().first().head;
                best = best == null || Waiting.compare(head, best, now) < 0 ? head : best;
            }
        }
        return best;
    }

    /// The jobs that may have an expected start, in the order of priority, as long as nobody comes
    /// or goes.
    QueueWalk walk(long now) {
        return new QueueWalk(plannable.values(), now);
    }

    /// The classes with jobs without an expected start that end if they do not start in time.
    List<FitClass> expiring() {
        return List.copyOf(expiring.keySet());
    }

    /// The first such job of a class; null if there is none.
    @Nullable Waiting expiring(FitClass fit, long now) {
        Set<Waiting> its = expiring.get(fit);
        return its == null ? null : Collections.min(its, Waiting.order(now));
    }

    /// The first job of a class, of those in a bucket up to that one; null if there is none.
    ///
    /// @param lastBucket -1 for none
    @Nullable Waiting head(FitClass fit, int lastBucket, long now) {
        Waiting best = null;
        for (Pace pace : lastBucket < 0 ? List.<Pace>of() : fit.paces) {
            Line first = pace.first(lastBucket);
            if (first != null && (best == null || Waiting.compare(first.head, best, now) < 0)) {
                best = first.head;
            }
        }
        return best;
    }
}
