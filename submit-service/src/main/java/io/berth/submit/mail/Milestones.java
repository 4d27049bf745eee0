package io.berth.submit.mail;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.MailType;
import io.berth.submit.Job;
import io.berth.submit.Job.Attempt;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The parts of its time limit that a job's run has used up, in percent: those that mail may be
/// about. Time in which a run stood still does not count.
final class Milestones {

    private static final SortedMap<Integer, MailType> PARTS =
            new TreeMap<>(
                    Map.of(
                            50, MailType.TIME_LIMIT_50,
                            80, MailType.TIME_LIMIT_80,
                            90, MailType.TIME_LIMIT_90));

    private Milestones() {}

    /// A part that a run has come to.
    ///
    /// @param at epoch milliseconds
    /// @param runMillis for which it has run then
    record Reached(Job job, long at, MailType type, int percent, long runMillis) {

        /// All before it, and itself.
        Told told() {
            return new Told(at, job.id().value());
        }
    }

    /// Up to where parts were told, in the order of time and of jobs.
    ///
    /// @param at epoch milliseconds
    /// @param job the last one of those at that time
    record Told(long at, long job) {

        private static final Pattern TEXT = Pattern.compile("(\\d{1,18})(?: (\\d{1,18}))?");

        /// All up to that time.
        static Told until(long at) {
            return new Told(at, Long.MAX_VALUE);
        }

        /// As [#text] writes it; empty if that is no such text.
        static Optional<Told> parse(String text) {
            var parts = TEXT.matcher(text);
            if (!parts.matches()) {
                return Optional.empty();
            }
            long at = Long.parseLong(parts.group(1));
            return Optional.of(
                    parts.group(2) == null
                            ? until(at)
                            : new Told(at, Long.parseLong(parts.group(2))));
        }

        /// `1700000000000` for all up to that time, `1700000000000 17` for those up to job 17.
        String text() {
            return job == Long.MAX_VALUE ? Long.toString(at) : at + " " + job;
        }

        private boolean before(long time, JobId id) {
            return time > at || (time == at && id.value() > job);
        }
    }

    /// Those that came in a span of time, in the order of time and of jobs; the run of a job comes
    /// to each of them once.
    ///
    /// @param until epoch milliseconds
    static List<Reached> between(Stream<Job> jobs, Told told, long until) {
        var reached = new ArrayList<Reached>();
        jobs.filter(it -> it.state() == JobState.RUNNING)
                .forEach(job -> {
                    Attempt attempt = job.attempt();
                    long limitMillis = 1000 * job.description().timeLimitSeconds();
                    if (attempt == null || limitMillis == 0) {
                        return;
                    }
                    PARTS.forEach((percent, type) -> {
                        long runMillis = limitMillis / 100 * percent;
                        long at = attempt.placedAt() + attempt.suspendedMillis() + runMillis;
                        if (told.before(at, job.id()) && at <= until) {
                            reached.add(new Reached(job, at, type, percent, runMillis));
                        }
                    });
                });
        reached.sort(Comparator.comparingLong(Reached::at).thenComparing(it -> it.job().id()));
        return reached;
    }
}
