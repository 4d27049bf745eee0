package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.standalone.mesh.MeshClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Submissions that go to the gateway all at once, each with a key of its own, and again until they
/// are answered.
final class KeyedRequests implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final MeshClient user;
    private final Duration patience;
    private final List<Asked> all = new ArrayList<>();
    private final ExecutorService users = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile String last = "";

    private record Asked(Map<String, ?> job, String key, Future<Long> id) {}

    KeyedRequests(MeshClient user, List<Map<String, ?>> jobs, Duration patience) {
        this.user = user;
        this.patience = patience;
        for (Map<String, ?> job : jobs) {
            String key = UUID.randomUUID().toString();
            all.add(new Asked(job, key, users.submit(() -> submitted(job, key))));
        }
    }

    private long submitted(Map<String, ?> job, String key) throws InterruptedException {
        while (true) {
            try {
                return user.submit(job, key).path("id").asLong();
            } catch (IOException e) {
                unanswered.incrementAndGet();
                last = e.toString();
                TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
            }
        }
    }

    /// How many have been answered.
    long answered() {
        return all.stream().filter(it -> it.id().isDone()).count();
    }

    /// How often one was sent and not answered, or not with a job.
    int unanswered() {
        return unanswered.get();
    }

    /// The ids of all, as soon as all are answered.
    List<Long> ids() throws Exception {
        var ids = new ArrayList<Long>();
        for (Asked asked : all) {
            await().atMost(patience)
                    .untilAsserted(() -> assertThat(asked.id().isDone()).as(last).isTrue());
            ids.add(asked.id().get());
        }
        return ids;
    }

    /// The ids that all get who ask once more.
    List<Long> idsOnceMore() throws Exception {
        var ids = new ArrayList<Long>();
        for (Asked asked : all) {
            ids.add(submitted(asked.job(), asked.key()));
        }
        return ids;
    }

    @Override
    public void close() {
        users.shutdownNow();
    }
}
