package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SubmitConfigTest {
    @Test
    void defaults_are_those_that_the_documentation_names() {
        var config =
                new SmallRyeConfigBuilder()
                        .withConverter(Duration.class, 300, new DurationConverter())
                        .withMapping(SubmitConfig.class)
                        .build()
                        .getConfigMapping(SubmitConfig.class);

        assertThat(config.answerTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.writeTimeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(config.viewTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(config.bodyTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.maxArraySize()).isEqualTo(10_001);
        assertThat(config.bulkTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.bulks()).isEqualTo(2);
        assertThat(config.requestsInFlight()).isEqualTo(1000);
        assertThat(config.sessions()).isEqualTo(256);
        assertThat(config.userSessions()).isEmpty();
        assertThat(config.userRequestsPerSecond()).isZero();
        assertThat(config.sessionUrl()).isEmpty();
        assertThat(config.tracesEndpoint()).isEmpty();
        assertThat(config.followers()).isEqualTo(256);
        assertThat(config.specRetention()).isEqualTo(Duration.ofDays(7));
        assertThat(config.mailFrom()).isEmpty();
        assertThat(config.mailDomain()).isEqualTo("localhost");
        assertThat(config.mailPause()).isEqualTo(Duration.ofSeconds(5));
    }
}
