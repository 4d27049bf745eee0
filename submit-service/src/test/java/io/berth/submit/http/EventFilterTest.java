package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.PrivateData;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.request.Sight;
import io.berth.submit.Job;
import io.berth.submit.JobFold;
import io.berth.submit.Samples;
import io.berth.submit.feed.FeedEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class EventFilterTest {

    private static final EventFilter ALL = of("");

    private final Map<JobId, Job> log = new HashMap<>();
    private final Map<JobId, Job> read = new HashMap<>();
    private final AtomicInteger lookups = new AtomicInteger();
    private final AtomicInteger readings = new AtomicInteger();

    private final JobsOfEvents jobs =
            new JobsOfEvents(
                    id -> {
                        lookups.incrementAndGet();
                        return Optional.ofNullable(read.get(id));
                    },
                    () -> {
                        readings.incrementAndGet();
                        read.putAll(log);
                    });

    private static EventFilter of(String users) {
        try {
            return EventFilter.of(null, users, null);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Sight bob(PrivateData... hidden) {
        return new Sight(
                Samples.configuration(it ->
                        it instanceof Cluster all
                                ? all.with(to -> to.privateData = List.of(hidden))
                                : it),
                "bob",
                false);
    }

    private static FeedEvent started(long job) {
        return new FeedEvent(0, job, "Started", new JobId(job), null, null, "{}", 1);
    }

    private void logged(long id, String user) {
        var submitted =
                new Submitted(
                        new JobId(id),
                        Samples.description(user, "batch", 0),
                        user,
                        new SpecReference(0, id, ""),
                        null);
        log.put(submitted.job(), JobFold.submitted(submitted, 0, id, 1));
    }

    @Test
    void where_nothing_is_private_no_job_is_looked_up() {
        assertThat(ALL.admits(started(1), bob(), jobs::job)).isTrue();
        assertThat(ALL.admits(started(1), bob(PrivateData.USERS), jobs::job)).isTrue();
        assertThat(lookups).hasValue(0);
    }

    @Test
    void an_event_that_is_read_before_its_job_is_told_to_its_owner() {
        logged(1, "bob");
        logged(2, "alice");

        assertThat(ALL.admits(started(1), bob(PrivateData.JOBS), jobs::job)).isTrue();
        assertThat(ALL.admits(started(2), bob(PrivateData.JOBS), jobs::job)).isFalse();
        assertThat(of("alice").admits(started(2), bob(), jobs::job)).isTrue();
        assertThat(of("bob").admits(started(2), bob(), jobs::job)).isFalse();
    }

    @Test
    void jobs_that_are_forgotten_cost_one_reading_of_the_log() {
        for (long id = 1; id < 10; id++) {
            assertThat(ALL.admits(started(id), bob(PrivateData.JOBS), jobs::job)).isFalse();
        }
        assertThat(readings).hasValue(1);
    }
}
