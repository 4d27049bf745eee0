package io.berth.accounting;

import io.berth.log.Pulse;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/// Alive unless the loop that keeps the books has died or not turned for [Pulse#WEDGED].
@Liveness
@ApplicationScoped
class AccountingLive implements HealthCheck {

    private final BooksLoop books;

    AccountingLive(BooksLoop books) {
        this.books = books;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("books")
                .status(books.alive())
                .withData("wedged after", Pulse.WEDGED.toString())
                .build();
    }
}
