package io.berth.submit.http;

import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Ready is a gateway whose brokers answer, that has caught up with the log, and that knows the
/// cluster's configuration.
@Readiness
@Singleton
final class LogReadiness implements HealthCheck {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final GatewayLog log;

    LogReadiness(GatewayLog log) {
        this.log = log;
    }

    @Override
    public HealthCheckResponse call() {
        var response = HealthCheckResponse.named("log");
        try {
            log.ping(Deadline.in(PATIENCE));
            boolean configured = log.picture().configuration().isPresent();
            return configured
                    ? response.up().build()
                    : response.down().withData("cause", "no configuration yet").build();
        } catch (Unavailable e) {
            return response.down().withData("cause", String.valueOf(e.getMessage())).build();
        }
    }
}
