package io.berth.submit.http;

import io.berth.contracts.JobId;
import io.berth.submit.Deadline;
import io.berth.submit.Position;
import io.berth.submit.RecentlyUsed;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
    private static final int MOST_REMEMBERED = 4096;

    private final GatewayLog log;
    private final SubmitConfig config;
    private final Clock clock;
    private final HttpHeaders headers;
    private final List<ReentrantLock> locks =
            Stream.generate(ReentrantLock::new).limit(LOCKS).toList();
    private final Map<JobId, Position> latest =
            Collections.synchronizedMap(RecentlyUsed.atMost(MOST_REMEMBERED));

    /// @param headers of the request that is answered
    JobTurns(GatewayLog log, SubmitConfig config, Clock clock, HttpHeaders headers) {
        this.log = log;
        this.config = config;
        this.clock = clock;
        this.headers = headers;
    }

    /// Writes what is asked of jobs, when it is their turn.
    ///
    /// @throws Changed if a job is not as the request says
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
                jobs.forEach(job -> check(job, seen));
            }
            Position written = write.get();
            jobs.forEach(job -> latest.put(job, written));
            return written;
        } finally {
            mine.forEach(ReentrantLock::unlock);
        }
    }

    private static void lock(ReentrantLock lock, Deadline due) {
        try {
            if (!lock.tryLock(due.left().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new Unavailable("an earlier change of the job is not written yet");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        }
    }

    private void check(JobId job, String seen) {
        Position before = latest.get(job);
        if (before != null) {
            log.awaitDecision(before, Deadline.in(config.viewTimeout()));
        }
        boolean asSeen =
                log.picture()
                        .job(job, clock.millis())
                        .filter(it -> EntityTags.names(seen, EntityTags.of(it)))
                        .isPresent();
        if (!asSeen) {
            throw new Changed(job);
        }
    }

    /// A job is not as a request on condition says. Nothing was done.
    static final class Changed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Changed(JobId job) {
            super("job " + job + " is not as If-Match says; look again", null, false, false);
        }
    }
}
