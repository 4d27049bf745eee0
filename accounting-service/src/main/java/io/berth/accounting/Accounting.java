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

    Accounting(BooksLoop books, SharesLoop shares) {
        this.books = books;
        this.shares = shares;
    }

    void start(@Observes StartupEvent event) {
        books.start();
        shares.start();
    }

    void stop(@Observes ShutdownEvent event) {
        books.stop();
        shares.stop();
    }
}
