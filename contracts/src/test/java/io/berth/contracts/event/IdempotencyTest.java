package io.berth.contracts.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Idempotency.Claim;
import io.berth.contracts.event.Submission.Submitted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class IdempotencyTest {
    private static final long DAY = Idempotency.MEMORY_MILLIS;

    private final Idempotency idempotency = new Idempotency();

    @Test
    void the_first_with_a_key_stands_and_the_second_is_void() {
        idempotency.read(submitted(1, "alice", "k"), 10);

        var first = idempotency.read(submitted(2, "alice", "k"), 11);

        assertThat(first).map(Claim::job).contains(new JobId(1));
    }

    @Test
    void the_same_record_read_twice_stays_valid() {
        idempotency.read(submitted(1, "alice", "k"), 10);

        var again = idempotency.read(submitted(1, "alice", "k"), 10);

        assertThat(again).isEmpty();
    }

    @Test
    void another_users_key_is_another_key() {
        idempotency.read(submitted(1, "alice", "k"), 10);

        var bobs = idempotency.read(submitted(2, "bob", "k"), 11);

        assertThat(bobs).isEmpty();
        assertThat(idempotency.find("bob", "k")).map(Claim::job).contains(new JobId(2));
    }

    @Test
    void without_a_key_nothing_is_remembered() {
        var read = idempotency.read(submitted(1, "alice", null), 10);

        assertThat(read).isEmpty();
    }

    @Test
    void a_key_is_free_again_after_a_day() {
        idempotency.read(submitted(1, "alice", "k"), 10);

        var next = idempotency.read(submitted(2, "alice", "k"), 10 + DAY + 1);

        assertThat(next).isEmpty();
        assertThat(idempotency.find("alice", "k")).map(Claim::job).contains(new JobId(2));
    }

    @Test
    void a_key_is_remembered_for_a_whole_day() {
        idempotency.read(submitted(1, "alice", "k"), 10);

        var next = idempotency.read(submitted(2, "alice", "k"), 10 + DAY);

        assertThat(next).map(Claim::job).contains(new JobId(1));
    }

    @Test
    void exactly_the_first_of_each_key_within_a_day_is_valid() {
        for (long seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var reader = new Idempotency();
            Map<String, Long> firstAt = new HashMap<>();
            List<String> wrong = new ArrayList<>();
            long now = 0;
            for (int job = 1; job <= 50; job++) {
                now += random.nextLong(DAY / 4);
                String key = "k" + random.nextInt(5);
                Long first = firstAt.get(key);
                boolean expectValid = first == null || first < now - DAY;
                if (expectValid) {
                    firstAt.put(key, now);
                }
                if (reader.read(submitted(job, "alice", key), now).isEmpty() != expectValid) {
                    wrong.add("job " + job);
                }
            }

            assertThat(wrong).as("seed %d", seed).isEmpty();
        }
    }

    private static Submitted submitted(long job, String user, @Nullable String key) {
        var description =
                new JobDescription(
                        user,
                        "a",
                        "p",
                        "q",
                        "n",
                        new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), GpuRequest.NONE),
                        LaunchMode.BATCH,
                        0,
                        0,
                        true);
        return new Submitted(
                new JobId(job),
                description,
                user,
                new SpecReference(0, job, ""),
                key == null ? null : new IdempotencyKey(key, "sha"));
    }
}
