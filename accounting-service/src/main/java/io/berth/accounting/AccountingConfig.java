package io.berth.accounting;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The settings of the accounting service.
@ConfigMapping(prefix = "berth.accounting")
public interface AccountingConfig {

    /// The cluster's configuration; without it, the one of `examples/accounts.yaml`.
    Optional<Path> clusterFile();

    /// How often usage is published while runs hold resources.
    @WithDefault("10s")
    Duration sharesInterval();

    /// The longest pause between two tries to reach the database or the brokers.
    @WithDefault("5s")
    Duration longestPause();
}
