package io.berth.priority;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;

/// What Prometheus is told of the ranking.
@Singleton
final class PriorityMeters {

    void register(@Observes StartupEvent event, PriorityLoop loop, MeterRegistry registry) {
        registry.gauge("berth.priority.leading", loop, it -> it.leading() ? 1 : 0);
        registry.gauge("berth.priority.unread.records", loop, PriorityLoop::unread);
        FunctionCounter.builder("berth.priority.records", loop, PriorityLoop::written)
                .register(registry);
        MultiGauge deviations =
                MultiGauge.builder("training.fair.share.deviation").register(registry);
        loop.watchedBy(byAccount -> {
            var rows = new ArrayList<Row<?>>();
            byAccount.forEach(
                    (account, parts) -> rows.add(Row.of(Tags.of("queue", account), parts)));
            deviations.register(rows, true);
        });
    }
}
