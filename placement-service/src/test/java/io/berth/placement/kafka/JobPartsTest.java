package io.berth.placement.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class JobPartsTest {

    @Test
    void it_has_what_a_map_has_whatever_comes_and_goes() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var parts = new JobParts();
            var map = new HashMap<Long, Long>();
            int jobs = 1 + random.nextInt(300);
            for (int i = 0; i < 2_000; i++) {
                long job = (1L + random.nextInt(jobs)) * (random.nextBoolean() ? 1 : 64);
                long part =
                        i % 1_000 < 700 && random.nextInt(3) != 0 ? 1 + random.nextInt(1_000) : 0;
                Long before = part == 0 ? map.remove(job) : map.put(job, part);

                assertThat(parts.put(job, part))
                        .as("seed %d, step %d", seed, i)
                        .isEqualTo(before == null ? 0 : before);
            }
        }
    }
}
