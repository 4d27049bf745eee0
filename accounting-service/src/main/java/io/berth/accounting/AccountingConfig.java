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

    /// How long the books wait for one answer of the database before they try again.
    @WithDefault("30s")
    Duration databaseTimeout();

    /// The certificates, in PEM, that the database's certificate leads to: it is spoken to over TLS
    /// alone, by the name that its certificate has. See [DatabaseTls].
    Optional<Path> databaseCa();

    /// How long jobs are kept in the books after their end, whole months at a time; for ever
    /// without.
    Optional<Duration> keep();

    /// A folder for files of what is no longer kept; without, it is deleted.
    Optional<Path> archive();
}
