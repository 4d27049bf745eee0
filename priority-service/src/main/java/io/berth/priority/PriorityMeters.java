package io.berth.priority;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// What Prometheus is told of the ranking.
@Singleton
final class PriorityMeters {

    void register(@Observes StartupEvent event, PriorityLoop loop, MeterRegistry registry) {
        registry.gauge("berth.priority.leading", loop, it -> it.leading() ? 1 : 0);
        registry.gauge("berth.priority.unread.records", loop, PriorityLoop::unread);
        FunctionCounter.builder("berth.priority.records", loop, PriorityLoop::written)
                .register(registry);
    }
}
