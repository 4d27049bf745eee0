package io.berth.priority;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PriorityConfigTest {

    @Test
    void nothing_has_to_be_set() {
        PriorityConfig config =
                new SmallRyeConfigBuilder()
                        .addDiscoveredConverters()
                        .withMapping(PriorityConfig.class)
                        .build()
                        .getConfigMapping(PriorityConfig.class);

        assertThat(config.fairShareInterval()).isEqualTo(Duration.ofMillis(500));
        assertThat(config.longestPause()).isEqualTo(Duration.ofSeconds(5));
    }
}
