package io.berth.accounting;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Ready while the books are kept and the cluster file is in force.
@Readiness
@ApplicationScoped
class AccountingHealth implements HealthCheck {

    private final BooksLoop books;
    private final ClusterConfiguration configuration;

    AccountingHealth(BooksLoop books, ClusterConfiguration configuration) {
        this.books = books;
        this.configuration = configuration;
    }

    @Override
    public HealthCheckResponse call() {
        Condition books = this.books.condition();
        Condition configuration = this.configuration.condition();
        return HealthCheckResponse.named("accounting")
                .status(
                        this.books.alive()
                                && books instanceof Condition.Running
                                && configuration instanceof Condition.Running)
                .withData("books", words(books))
                .withData("configuration", words(configuration))
                .build();
    }

    private static String words(Condition condition) {
        return switch (condition) {
            case Condition.Running _ -> "running";
            case Condition.Waiting it -> "waiting: " + it.what();
            case Condition.Stopped it -> "stopped: " + it.why();
        };
    }
}
