package io.berth.core.engine;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A job that waits and could start as far as it alone is concerned. One that may start in several
/// partitions waits in each of them, until it starts in one.
///
/// Its priority at a time is `constant + share + min(cap, slope × waited)`, exact to the
/// millisecond.
public final class Waiting {

    final long job;
    final FitClass fit;

    /// Which of its job's partitions it is for; 0 is the first that the job names.
    final int choice;

    final Association association;
    final long submission;
    final long submittedAt;
    final long constant;
    final long slope;
    final long cap;
    final long length;

    /// Whether limits keep it back at no time.
    final boolean unlimited;

    /// For how long it needs its nodes at least; [#length] unless it takes less where it then
    /// starts sooner.
    final long shortest;

    /// Before which it must have started, for its class or of its own; [Node#NEVER] if at any time.
    final long lastStart;

    /// Of its length; of one that takes less, the last that is no longer than it takes: it is
    /// looked for by its own lengths.
    final int bucket;

    /// Whether it has waited as long as counts.
    boolean capped;

    /// The job in each of its partitions; only itself for most.
    List<Waiting> either = List.of();

    /// Whether its job has an expected start in another partition: in this one it keeps nothing.
    boolean outbid;

    /// Its place in the queue while it stands there.
    Queue.@Nullable Line line;

    /// Its expected start while it has one.
    Plans.@Nullable Plan plan;

    /// The heterogeneous job of which it is a component; null of none.
    @Nullable HetSet set;

    /// Whether limits have kept it from an earlier start than its expected one since it was last
    /// looked for.
    boolean limited;

    /// Whether a start pass has it in line to be tried.
    boolean inLine;

    /// The part of its priority that lasts, since it stood in the queue.
    long key;

    /// A user in an account, whose fair share is added to the priority of all its jobs.
    public static final class Association {
        final int id;
        long share;

        Association(int id, long share) {
            this.id = id;
            this.share = share;
        }
    }

    /// @param constant millionths of a point
    /// @param slope millionths of a point per second of waiting
    /// @param cap the most that waiting adds, in millionths of a point
    /// @param submission order of submission
    public record Rank(long constant, long slope, long cap, long submission, long submittedAt) {}

    /// A partition in which a job may start.
    ///
    /// @param choice which of its partitions it is; 0 is the first that it names
    /// @param unlimited whether it waits for nothing but room: limits keep it back at no time
    ///   ([Decisions#admits], [Decisions#leaves])
    public record Entry(int choice, FitClass fit, Rank rank, boolean unlimited) {

        public Entry(int choice, FitClass fit, Rank rank) {
            this(choice, fit, rank, false);
        }
    }

    /// @param length milliseconds that a run of it may take in all; [Node#NEVER] without limit
    /// @param shortest milliseconds that it takes if it then starts sooner
    /// @param lastStart before which it ends if it has not started; [Node#NEVER] if it does not
    Waiting(
            long job,
            Entry entry,
            Association association,
            long length,
            long shortest,
            long lastStart) {
        Rank rank = entry.rank();
        this.job = job;
        this.fit = entry.fit();
        this.choice = entry.choice();
        this.association = association;
        this.submission = rank.submission();
        this.submittedAt = rank.submittedAt();
        this.constant = rank.constant();
        this.slope = rank.slope();
        this.cap = rank.cap();
        this.length = length;
        this.unlimited = entry.unlimited();
        this.shortest = shortest;
        this.lastStart = Math.min(lastStart, fit.hours.lastStart);
        this.bucket = shortest < length ? Buckets.upTo(shortest) : Buckets.of(length);
        this.capped = slope <= 0 || cap <= 0;
    }

    public long job() {
        return job;
    }

    /// Which of its job's partitions it is for; 0 is the first that the job names.
    public int choice() {
        return choice;
    }

    /// Those that start with it: itself, or the components of its set that wait.
    List<Waiting> together() {
        return set == null ? List.of(this) : List.copyOf(set.components());
    }

    /// Whether it takes less time than it asks for where it then starts sooner.
    boolean shortens() {
        return shortest < length;
    }

    /// Whether it ends of its own if it has not started in time.
    boolean expires() {
        return lastStart < fit.hours.lastStart;
    }

    /// When waiting stops counting.
    long cappedAt() {
        return submittedAt + Math.ceilDiv(1000 * cap, slope);
    }

    /// In thousandths of a millionth of a point.
    long priority(long now) {
        long age = capped ? Math.max(0, 1000 * cap) : slope * Math.max(0, now - submittedAt);
        return 1000 * (constant + association.share) + Math.min(Math.max(0, 1000 * cap), age);
    }

    /// Partition tier, priority, submission, id: first is tried first. The components of a set
    /// stand where the last of them does.
    public static Comparator<Waiting> order(long now) {
        return (a, b) -> compare(a, b, now);
    }

    static int compare(Waiting a, Waiting b, long now) {
        return a.set == null && b.set == null
                ? compareAlone(a, b, now)
                : a.set == b.set
                        ? Long.compare(a.job, b.job)
                        : compareAlone(a.last(now), b.last(now), now);
    }

    /// Itself, or the component of its set for which the others wait.
    Waiting last(long now) {
        return set == null ? this : set.last(now);
    }

    /// The same of jobs by themselves.
    static int compareAlone(Waiting a, Waiting b, long now) {
        if (a.fit.tier != b.fit.tier) {
            return Integer.compare(b.fit.tier, a.fit.tier);
        }
        int byPriority = Long.compare(b.priority(now), a.priority(now));
        return byPriority != 0 ? byPriority : bySubmission(a, b);
    }

    static int bySubmission(Waiting a, Waiting b) {
        int bySubmission = Long.compare(a.submission, b.submission);
        return bySubmission != 0 ? bySubmission : byId(a, b);
    }

    static int byId(Waiting a, Waiting b) {
        return a.job != b.job ? Long.compare(a.job, b.job) : Integer.compare(a.choice, b.choice);
    }
}
