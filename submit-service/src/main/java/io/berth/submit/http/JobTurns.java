package io.berth.submit.http;

import io.berth.contracts.JobId;
import io.berth.submit.Deadline;
import io.berth.submit.Position;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SubmissionWriter;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The order in which this gateway changes jobs: of one job one change at a time. A change on
/// condition (`If-Match`) waits until what was asked of the job before has been decided and shows,
/// so that of two that name the same tag one is made.
@Singleton
final class JobTurns {
    private static final int LOCKS = 64;

    /// Of what may stand in the log or not.
    private static final Position UNKNOWN = new Position(SubmissionWriter.CELL, Long.MAX_VALUE);

    private final GatewayLog log;
    private final SubmitConfig config;
    private final Clock clock;
    private final HttpHeaders headers;
    private final List<ReentrantLock> locks =
            Stream.generate(ReentrantLock::new).limit(LOCKS).toList();

    /// What was asked last of each job, until it is decided.
    private final Map<JobId, Position> undecided = new ConcurrentHashMap<>();

    /// @param headers of the request that is answered
    JobTurns(GatewayLog log, SubmitConfig config, Clock clock, HttpHeaders headers) {
        this.log = log;
        this.config = config;
        this.clock = clock;
        this.headers = headers;
    }

    /// Writes what is asked of jobs, when it is their turn.
    ///
    /// @throws EntityTags.Changed if a job is not as the request says
    /// @throws Unavailable if their turn does not come in time
    Position take(List<JobId> jobs, Supplier<Position> write) {
        List<Integer> places =
                jobs.stream().map(it -> (int) (it.value() % LOCKS)).distinct().sorted().toList();
        var mine = new ArrayDeque<ReentrantLock>();
        try {
            var due = Deadline.in(config.answerTimeout());
            for (int place : places) {
                lock(locks.get(place), due);
                mine.push(locks.get(place));
            }
            String seen = headers.getHeaderString(HttpHeaders.IF_MATCH);
            if (seen != null) {
                settle(jobs, due);
                jobs.forEach(job -> check(job, seen));
            }
            return written(jobs, write);
        } finally {
            mine.forEach(ReentrantLock::unlock);
        }
    }

    private static void lock(ReentrantLock lock, Deadline due) {
        try {
            if (!lock.tryLock(due.left().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new Unavailable("earlier changes are not written yet");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        }
    }

    /// Waits until what was asked of the jobs before has been decided and shows.
    private void settle(List<JobId> jobs, Deadline due) {
        Position latest =
                jobs.stream()
                        .flatMap(job -> Stream.ofNullable(undecided.get(job)))
                        .max(Comparator.comparingLong(Position::offset))
                        .orElse(null);
        if (latest == null) {
            log.catchUp(due);
        } else {
            boolean known = !latest.equals(UNKNOWN);
            log.awaitDecision(known ? latest : log.end(SubmissionWriter.CELL, due), due);
        }
    }

    private void check(JobId job, String seen) {
        boolean asSeen =
                log.picture()
                        .job(job, clock.millis())
                        .filter(it -> EntityTags.names(seen, EntityTags.of(it)))
                        .isPresent();
        if (!asSeen) {
            throw new EntityTags.Changed(job);
        }
    }

    private Position written(List<JobId> jobs, Supplier<Position> write) {
        undecided.values().removeIf(log::decided);
        jobs.forEach(job -> undecided.put(job, UNKNOWN));
        Position written = write.get();
        jobs.forEach(job -> undecided.put(job, written));
        return written;
    }
}
