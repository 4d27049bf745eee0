package io.berth.accounting;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// What Prometheus is told of the books.
@Singleton
final class BooksMeters {

    void register(@Observes StartupEvent event, BooksLoop books, MeterRegistry registry) {
        FunctionCounter.builder("berth.books.events", books, BooksLoop::booked).register(registry);
        FunctionCounter.builder("berth.books.dead.letters", books, BooksLoop::unbookable)
                .register(registry);
        registry.gauge("berth.books.unread.records", books, BooksLoop::unread);
    }
}
