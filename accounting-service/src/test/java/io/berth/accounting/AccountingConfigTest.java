package io.berth.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AccountingConfigTest {

    @Test
    void nothing_has_to_be_set() {
        AccountingConfig config =
                new SmallRyeConfigBuilder()
                        .addDiscoveredConverters()
                        .withMapping(AccountingConfig.class)
                        .build()
                        .getConfigMapping(AccountingConfig.class);

        assertThat(config.clusterFile()).isEmpty();
        assertThat(config.sharesInterval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.longestPause()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.databaseTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.keep()).isEmpty();
        assertThat(config.archive()).isEmpty();
        assertThat(config.databaseCa()).isEmpty();
    }
}
