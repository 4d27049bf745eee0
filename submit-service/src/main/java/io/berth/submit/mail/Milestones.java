package io.berth.submit.mail;

import io.berth.contracts.JobState;
import io.berth.contracts.MailType;
import io.berth.submit.Job;
import io.berth.submit.Job.Attempt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
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
    /// @param runMillis for which it has run then
    record Reached(Job job, MailType type, int percent, long runMillis) {}

    /// Those that came in a span of time; the run of a job comes to each of them once.
    ///
    /// @param after epoch milliseconds, as `until`
    static List<Reached> between(Stream<Job> jobs, long after, long until) {
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
                        if (at > after && at <= until) {
                            reached.add(new Reached(job, type, percent, runMillis));
                        }
                    });
                });
        return reached;
    }
}
