package io.berth.core.engine;

import io.berth.core.engine.Waiting.Association;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The jobs that wait, found by fit class and length in the order of priority, without ever being
/// sorted.
///
/// Jobs of one association that age at the same speed keep their order, so they stand in a [Line]
/// once and for all; lines of the same speed keep their order until fair shares change. A job that
/// has reached the cap of its age moves to the line of speed 0. A new fair share moves lines, not
/// jobs.
final class Queue {

    private static final @Nullable Ladders[] NONE = {};
    private static final Set<Map.Entry<Long, TreeSet<Line>>> NO_LADDERS = Set.of();

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

    private long origin;
    private boolean empty = true;

    /// Jobs of one class, bucket, association and speed, in their lasting order; those that are
    /// outbid by themselves.
    static final class Line {
        final FitClass fit;
        final Ladders ladders;
        final Association association;
        final long slope;
        final int bucket;
        final boolean outbid;
        final TreeSet<Waiting> jobs = new TreeSet<>(Queue::byKey);

        /// The first of the jobs.
        private Waiting head;

        Line(Ladders ladders, long slope, Waiting head) {
            this.fit = head.fit;
            this.ladders = ladders;
            this.association = head.association;
            this.slope = slope;
            this.bucket = head.bucket;
            this.outbid = head.outbid;
            this.head = head;
        }

        /// Whether its jobs may have expected starts.
        boolean plannable() {
            return !outbid && fit.plannable();
        }

        long key() {
            return head.key + 1000 * association.share;
        }
    }

    private static int byKey(Waiting a, Waiting b) {
        return a.key != b.key ? Long.compare(b.key, a.key) : Waiting.bySubmission(a, b);
    }

    private static int byKey(Line a, Line b) {
        long key = a.key();
        long other = b.key();
        return key != other ? Long.compare(other, key) : Waiting.bySubmission(a.head, b.head);
    }

    private record Keyed(long key, Line line) {

        /// As that of lines.
        static final Comparator<Keyed> ORDER =
                (a, b) ->
                        a.key != b.key
                                ? Long.compare(b.key, a.key)
                                : Waiting.bySubmission(a.line.head, b.line.head);
    }

    private record LineName(int association, long slope, boolean outbid) {}

    /// What lines have in common that keep their order until fair shares change.
    private record Rung(int tier, int partition, long slope) {}

    /// The lines of one fit class, by bucket.
    static final class Lines {
        final @Nullable Ladders[] buckets = new Ladders[Buckets.count()];

        /// The buckets that hold jobs, one bit each.
        long filled;

        /// Of each speed, the lines that stand before all those of shorter jobs, by bucket; null
        /// until somebody asks, after another line has come to stand first.
        private @Nullable List<List<Line>> stairs;

        List<List<Line>> stairs() {
            List<List<Line>> known = stairs;
            if (known == null) {
                known = climb();
                stairs = known;
            }
            return known;
        }

        private List<List<Line>> climb() {
            var bySlope = new TreeMap<Long, List<Line>>();
            for (Ladders ladders : buckets) {
                for (var ladder : ladders == null ? NO_LADDERS : ladders.bySlope.entrySet()) {
                    Line first = ladder.getValue().isEmpty() ? null : ladder.getValue().first();
                    List<Line> below =
                            bySlope.computeIfAbsent(ladder.getKey(), _ -> new ArrayList<>());
                    if (first != null && (below.isEmpty() || byKey(first, below.getLast()) < 0)) {
                        below.add(first);
                    }
                }
            }
            return List.copyOf(bySlope.values());
        }
    }

    /// The lines of one fit class and bucket, by name and by speed.
    private static final class Ladders {
        final Lines of;
        final Map<LineName, Line> lines = new HashMap<>();
        final TreeMap<Long, TreeSet<Line>> bySlope = new TreeMap<>();

        Ladders(Lines of) {
            this.of = of;
        }
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
        Lines lines = job.fit.lines;
        if (lines == null) {
            lines = new Lines();
            job.fit.lines = lines;
            classes.add(job.fit);
        }
        Ladders ladders = lines.buckets[job.bucket];
        if (ladders == null) {
            ladders = new Ladders(lines);
            lines.buckets[job.bucket] = ladders;
            lines.filled |= 1L << job.bucket;
        }
        fresh.add(job.fit);
        job.key = key(job);
        long slope = job.capped ? 0 : job.slope;
        Ladders standing = ladders;
        Line line =
                ladders.lines.computeIfAbsent(
                        new LineName(job.association.id, slope, job.outbid),
                        _ -> new Line(standing, slope, job));
        boolean heads = line.jobs.isEmpty() || byKey(job, line.head) < 0;
        if (heads && !line.jobs.isEmpty()) {
            stepOff(line);
        }
        line.jobs.add(job);
        if (heads) {
            line.head = job;
            stepOn(line);
        }
        job.line = line;
    }

    void remove(Waiting job) {
        Line line = job.line;
        if (line == null) {
            return;
        }
        boolean heads = line.head == job;
        if (heads) {
            stepOff(line);
        }
        line.jobs.remove(job);
        if (line.jobs.isEmpty()) {
            line.ladders.lines.remove(new LineName(line.association.id, line.slope, line.outbid));
            if (line.ladders.lines.isEmpty()) {
                empty(job.fit, job.bucket);
            }
        } else if (heads) {
            line.head = line.jobs.first();
            stepOn(line);
        }
        job.line = null;
    }

    private void stepOn(Line line) {
        line.ladders.of.stairs = null;
        line.ladders
                .bySlope
                .computeIfAbsent(line.slope, _ -> new TreeSet<>(Queue::byKey))
                .add(line);
        if (line.plannable()) {
            rung(line).add(line);
        }
    }

    private void stepOff(Line line) {
        line.ladders.of.stairs = null;
        TreeSet<Line> ladder = line.ladders.bySlope.get(line.slope);
        if (ladder != null) {
            ladder.remove(line);
        }
        rung(line).remove(line);
    }

    private TreeSet<Line> rung(Line line) {
        return plannable.computeIfAbsent(
                new Rung(line.fit.tier, line.fit.partition, line.slope),
                _ -> new TreeSet<>(Queue::byKey));
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
        Lines lines = fit.lines;
        for (Ladders ladders : lines == null ? NONE : lines.buckets) {
            for (Line line : ladders == null ? List.<Line>of() : ladders.lines.values()) {
                if (line.plannable()) {
                    rung(line).add(line);
                } else {
                    rung(line).remove(line);
                }
            }
        }
    }

    private void empty(FitClass fit, int bucket) {
        Lines lines = fit.lines;
        if (lines != null) {
            lines.buckets[bucket] = null;
            lines.filled &= ~(1L << bucket);
            if (lines.filled == 0) {
                fit.lines = null;
                classes.remove(fit);
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
            if (stands) {
                add(job);
            }
        }
    }

    /// Gives associations other fair shares.
    void reshare(Runnable change) {
        List<TreeSet<Line>> ladders = new ArrayList<>(plannable.values());
        for (FitClass fit : classes) {
            Lines lines = Objects.requireNonNull(fit.lines);
            lines.stairs = null;
            for (Ladders bucket : lines.buckets) {
                if (bucket != null) {
                    ladders.addAll(bucket.bySlope.values());
                }
            }
        }
        List<List<Line>> contents = new ArrayList<>();
        for (TreeSet<Line> ladder : ladders) {
            contents.add(List.copyOf(ladder));
            ladder.clear();
        }
        change.run();
        for (int i = 0; i < ladders.size(); i++) {
            ladders.get(i).addAll(inOrder(contents.get(i)));
        }
    }

    /// Lines in their order, of each of which the key is made out once: of a million that are added
    /// to a tree in another order, each would be compared with twenty.
    private static List<Line> inOrder(List<Line> lines) {
        return lines.stream()
                .map(it -> new Keyed(it.key(), it))
                .sorted(Keyed.ORDER)
                .map(Keyed::line)
                .toList();
    }

    /// The first job of all that may have an expected start; null if there is none.
    ///
    /// @param partitions of which they may be
    @Nullable Waiting first(IntPredicate partitions, long now) {
        Waiting best = null;
        for (var rung : plannable.entrySet()) {
            if (!rung.getValue().isEmpty() && partitions.test(rung.getKey().partition())) {
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

    /// The first job of a class, of those in a bucket up to that one; null if there is none.
    ///
    /// @param lastBucket -1 for none
    @Nullable Waiting head(FitClass fit, int lastBucket, long now) {
        if (lastBucket < 0) {
            return null;
        }
        Lines lines = fit.lines;
        if (lines == null || Long.numberOfTrailingZeros(lines.filled) > lastBucket) {
            return null;
        }
        Waiting best = null;
        for (List<Line> stairs : lines.stairs()) {
            int at = stairs.size() - 1;
            while (at >= 0 && stairs.get(at).bucket > lastBucket) {
                at--;
            }
            Waiting head = at < 0 ? null : stairs.get(at).head;
            boolean first = head != null && (best == null || Waiting.compare(head, best, now) < 0);
            best = first ? head : best;
        }
        return best;
    }
}
