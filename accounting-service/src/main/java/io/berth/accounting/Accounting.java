package io.berth.accounting;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/// Starts the service's loops, and stops them in time.
@ApplicationScoped
class Accounting {

    private final BooksLoop books;
    private final SharesLoop shares;
    private final ConfigurationLoop configuration;
    private final NodesLoop nodes;
    private final RetentionLoop retention;

    Accounting(
            BooksLoop books,
            SharesLoop shares,
            ConfigurationLoop configuration,
            NodesLoop nodes,
            RetentionLoop retention) {
        this.books = books;
        this.shares = shares;
        this.configuration = configuration;
        this.nodes = nodes;
        this.retention = retention;
    }

    void start(@Observes StartupEvent event) {
        books.start();
        shares.start();
        configuration.start();
        nodes.start();
        retention.start();
    }

    void stop(@Observes ShutdownEvent event) {
        books.stop();
        shares.stop();
        configuration.stop();
        nodes.stop();
        retention.stop();
    }
}
