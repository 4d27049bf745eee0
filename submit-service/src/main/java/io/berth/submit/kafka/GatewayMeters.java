package io.berth.submit.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// What Prometheus is told of the gateway's reading.
@Singleton
final class GatewayMeters {

    void register(@Observes StartupEvent event, GatewayLog log, MeterRegistry registry) {
        registry.gauge("berth.gateway.unread.records", log, GatewayLog::unread);
    }
}
