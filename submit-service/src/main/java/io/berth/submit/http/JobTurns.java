package io.berth.submit.http;

import io.berth.contracts.JobId;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Amended;
import io.berth.log.Clocks;
import io.berth.submit.Deadline;
import io.berth.submit.Position;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SubmissionWriter;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The order in which this gateway changes jobs: of one job one change at a time. A change on
/// condition (`If-Match`) waits until what was asked of the job before has been decided and shows,
/// so that of two that name the same tag one is made. A change of a job's terms or request waits
/// likewise for the one before: it says the whole of what it changes a part of.
@Singleton
final class JobTurns {
    private static final int LOCKS = 64;

    private final GatewayLog log;
    private final SubmitConfig config;
    private final Clocks clocks;
    private final HttpHeaders headers;
    private final List<ReentrantLock> locks = locks();

    /// Of their own: nobody waits for one who waits for a change before his.
    private final List<ReentrantLock> amending = locks();

    private final Asked undecided = new Asked();

    /// Of the terms or requests of jobs.
    private final Asked unamended = new Asked();

    /// What is asked of jobs as they are when it is their turn.
    @FunctionalInterface
    interface Reckoning {
        List<Submission> requests() throws Refused;
    }

    @FunctionalInterface
    private interface Turn<E extends Exception> {
        Position take(Deadline due) throws E;
    }

    /// @param headers of the request that is answered
    JobTurns(GatewayLog log, SubmitConfig config, Clocks clocks, HttpHeaders headers) {
        this.log = log;
        this.config = config;
        this.clocks = clocks;
        this.headers = headers;
    }

    /// Writes what is asked of jobs, when it is their turn.
    ///
    /// @throws EntityTags.Changed if a job is not as the request says
    /// @throws Unavailable if their turn does not come in time
    Position take(List<JobId> jobs, Supplier<Position> write) {
        return inTurn(
                locks,
                jobs,
                due -> {
                    String seen = headers.getHeaderString(HttpHeaders.IF_MATCH);
                    if (seen != null) {
                        settle(undecided, jobs, due);
                        jobs.forEach(job -> check(job, seen));
                    }
                    return written(undecided, jobs, write, due);
                });
    }

    /// Writes changes of jobs' descriptions, when it is their turn and the changes before show.
    ///
    /// @throws EntityTags.Changed if a job is not as the request says
    /// @throws Unavailable if their turn does not come in time
    Position amend(
            List<JobId> jobs, Reckoning reckoning, Function<List<Submission>, Position> write)
            throws Refused {
        return this.<Refused>inTurn(
                amending,
                jobs,
                due -> {
                    // What is refused is refused at once.
                    List<Submission> first = reckoning.requests();
                    boolean waits = !whole(first).isEmpty();
                    if (waits) {
                        settle(unamended, jobs, due);
                    }
                    List<Submission> requests = waits ? reckoning.requests() : first;
                    return take(
                            requests.stream().map(Submission::job).toList(),
                            () ->
                                    written(
                                            unamended,
                                            whole(requests),
                                            () -> write.apply(requests),
                                            due));
                });
    }

    /// The jobs of which a request says all terms, or the whole request for resources.
    private static List<JobId> whole(List<Submission> requests) {
        return requests.stream()
                .filter(it ->
                        it instanceof Amended amended
                                && (amended.change().terms() != null
                                        || amended.change().request() != null))
                .map(Submission::job)
                .toList();
    }

    private <E extends Exception> Position inTurn(
            List<ReentrantLock> locks, List<JobId> jobs, Turn<E> turn) throws E {
        List<Integer> places =
                jobs.stream().map(it -> (int) (it.value() % LOCKS)).distinct().sorted().toList();
        var mine = new ArrayDeque<ReentrantLock>();
        try {
            var due = Deadline.in(config.answerTimeout(), clocks);
            for (int place : places) {
                due.lock(locks.get(place), "earlier changes are not written yet");
                mine.push(locks.get(place));
            }
            return turn.take(due);
        } finally {
            mine.forEach(ReentrantLock::unlock);
        }
    }

    private static List<ReentrantLock> locks() {
        return Stream.generate(ReentrantLock::new).limit(LOCKS).toList();
    }

    /// Waits until what was asked of the jobs before has been decided and shows.
    private void settle(Asked asked, List<JobId> jobs, Deadline due) {
        asked.below(jobs, () -> end(due))
                .ifPresentOrElse(latest -> log.awaitDecision(latest, due), () -> log.catchUp(due));
    }

    private Position end(Deadline due) {
        return log.end(SubmissionWriter.CELL, due);
    }

    private void check(JobId job, String seen) {
        boolean asSeen =
                log.picture()
                        .job(job, clocks.millis())
                        .filter(it -> EntityTags.names(seen, EntityTags.of(it)))
                        .isPresent();
        if (!asSeen) {
            throw new EntityTags.Changed(job);
        }
    }

    private Position written(
            Asked asked, List<JobId> jobs, Supplier<Position> write, Deadline due) {
        long triedUntil = clocks.millis() - config.answerTimeout().toMillis();
        asked.forget(log::decided, triedUntil, () -> end(due));
        asked.asking(jobs, clocks.millis());
        Position written = write.get();
        asked.written(jobs, written, clocks.millis());
        return written;
    }
}
