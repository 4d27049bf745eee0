package io.berth.accounting;

import io.berth.accounting.cluster.Revisions;
import io.berth.accounting.db.Books;
import io.berth.accounting.db.ConfigurationTable;
import io.berth.log.TopicDeclarations;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.Flyway;

/// The topics of the log, from the settings that all services share, and the way to the books.
final class Mesh {

    private Mesh() {}

    @Produces
    @Singleton
    static Books books(Flyway flyway, AccountingConfig config) {
        return new Books(flyway, config.databaseTimeout());
    }

    @Produces
    @Singleton
    static Revisions revisions(AccountingConfig config) {
        return new ConfigurationTable(config.databaseTimeout());
    }

    @Produces
    @Singleton
    static TopicDeclarations declarations(
            @ConfigProperty(name = "berth.cells", defaultValue = "1") int cells,
            @ConfigProperty(name = "berth.node-partitions", defaultValue = "8") int nodePartitions,
            @ConfigProperty(name = "berth.replicas", defaultValue = "1") short replicas) {
        return new TopicDeclarations(cells, nodePartitions, replicas);
    }
}
