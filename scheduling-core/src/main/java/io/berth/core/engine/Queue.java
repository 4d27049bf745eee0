package io.berth.core.engine;

import io.berth.core.engine.Waiting.Association;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The jobs that wait, found by fit class and length in the order of priority, without ever being
/// sorted.
///
/// Jobs of one association that age at the same speed keep their order, so they stand in a [Line]
/// once and for all; lines of the same speed keep their order until fair shares change. A job that
/// has reached the cap of its age moves to the line of speed 0. A new fair share moves lines, not
/// jobs.
final class Queue {

    /// The lines of one fit class and bucket, by speed.
    private final Map<FitClass, @Nullable Ladders[]> classes = new LinkedHashMap<>();

    private final TreeSet<Waiting> caps =
            new TreeSet<>(
                    Comparator.comparingLong(Waiting::cappedAt).thenComparingLong(it -> it.job));
    private long origin;
    private boolean empty = true;
    private int size;

    /// Jobs of one association and speed, in their lasting order.
    static final class Line {
        final Ladders ladders;
        final Association association;
        final long slope;
        private final TreeSet<Waiting> jobs;
        private final Queue queue;

        Line(Queue queue, Ladders ladders, Association association, long slope) {
            this.queue = queue;
            this.ladders = ladders;
            this.association = association;
            this.slope = slope;
            this.jobs =
                    new TreeSet<>(
                            Comparator.comparingLong((Waiting it) -> queue.key(it))
                                    .reversed()
                                    .thenComparing(Waiting::bySubmission));
        }

        Waiting head() {
            return jobs.first();
        }

        long key() {
            return queue.key(head()) + 1000 * association.share;
        }
    }

    private record LineName(int association, long slope) {}

    /// The lines of one fit class and bucket.
    private static final class Ladders {
        final Map<LineName, Line> lines = new HashMap<>();
        final TreeMap<Long, TreeSet<Line>> bySlope = new TreeMap<>();
    }

    private static final Comparator<Line> BY_KEY =
            Comparator.comparingLong(Line::key)
                    .reversed()
                    .thenComparing(Line::head, Waiting::bySubmission);

    int size() {
        return size;
    }

    Collection<FitClass> classes() {
        return classes.keySet();
    }

    /// The part of a priority that lasts while jobs of one speed wait.
    private long key(Waiting job) {
        return job.capped
                ? 1000 * (job.constant + Math.max(0, job.cap))
                : 1000 * job.constant - job.slope * (job.submittedAt - origin);
    }

    void add(Waiting job) {
        if (empty) {
            empty = false;
            origin = job.submittedAt;
        }
        @Nullable Ladders[] buckets =
                classes.computeIfAbsent(job.fit, _ -> new Ladders[Buckets.count()]);
        Ladders ladders = buckets[job.bucket];
        if (ladders == null) {
            ladders = new Ladders();
            buckets[job.bucket] = ladders;
        }
        long slope = job.capped ? 0 : job.slope;
        Ladders standing = ladders;
        Line line =
                ladders.lines.computeIfAbsent(
                        new LineName(job.association.id, slope),
                        _ -> new Line(this, standing, job.association, slope));
        TreeSet<Line> ladder = ladders.bySlope.computeIfAbsent(slope, _ -> new TreeSet<>(BY_KEY));
        boolean heads = line.jobs.isEmpty() || line.jobs.comparator().compare(job, line.head()) < 0;
        if (heads && !line.jobs.isEmpty()) {
            ladder.remove(line);
        }
        line.jobs.add(job);
        if (heads) {
            ladder.add(line);
        }
        job.line = line;
        size++;
        if (!job.capped) {
            caps.add(job);
        }
    }

    void remove(Waiting job) {
        Line line = job.line;
        if (line == null) {
            return;
        }
        TreeSet<Line> ladder = line.ladders.bySlope.get(line.slope);
        boolean heads = line.head() == job;
        if (heads && ladder != null) {
            ladder.remove(line);
        }
        line.jobs.remove(job);
        if (line.jobs.isEmpty()) {
            line.ladders.lines.remove(new LineName(line.association.id, line.slope));
        } else if (heads && ladder != null) {
            ladder.add(line);
        }
        job.line = null;
        size--;
        if (!job.capped) {
            caps.remove(job);
        }
    }

    /// Moves the jobs that have waited as long as counts.
    void age(long now) {
        while (!caps.isEmpty() && caps.first().cappedAt() <= now) {
            Waiting job = caps.first();
            remove(job);
            job.capped = true;
            add(job);
        }
    }

    /// Gives associations other fair shares.
    void reshare(Runnable change) {
        List<TreeSet<Line>> ladders = new ArrayList<>();
        List<List<Line>> contents = new ArrayList<>();
        for (@Nullable Ladders[] buckets : classes.values()) {
            for (Ladders bucket : buckets) {
                if (bucket != null) {
                    for (TreeSet<Line> ladder : bucket.bySlope.values()) {
                        ladders.add(ladder);
                        contents.add(List.copyOf(ladder));
                        ladder.clear();
                    }
                }
            }
        }
        change.run();
        for (int i = 0; i < ladders.size(); i++) {
            ladders.get(i).addAll(contents.get(i));
        }
    }

    /// The first job of a class, of those in a bucket up to that one; null if there is none.
    @Nullable Waiting head(FitClass fit, int lastBucket, long now) {
        @Nullable Ladders[] buckets = classes.get(fit);
        Waiting best = null;
        for (int bucket = 0; buckets != null && bucket <= lastBucket; bucket++) {
            Ladders ladders = buckets[bucket];
            if (ladders == null) {
                continue;
            }
            for (TreeSet<Line> ladder : ladders.bySlope.values()) {
                if (!ladder.isEmpty()) {
                    Waiting head = ladder.first().head();
                    best = best == null || Waiting.compare(head, best, now) < 0 ? head : best;
                }
            }
        }
        return best;
    }
}
