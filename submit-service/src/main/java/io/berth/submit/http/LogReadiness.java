package io.berth.submit.http;

import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ready is a gateway whose brokers answer, that has caught up with the log, and that knows the
/// cluster's configuration.
@Readiness
@Singleton
final class LogReadiness implements HealthCheck {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(LogReadiness.class);

    private final GatewayLog log;
    private final AtomicReference<String> lastObstacle = new AtomicReference<>("not asked yet");

    LogReadiness(GatewayLog log) {
        this.log = log;
    }

    @Override
    public HealthCheckResponse call() {
        String obstacle = obstacle();
        if (!obstacle.equals(lastObstacle.getAndSet(obstacle))) {
            if (obstacle.isEmpty()) {
                LOG.info("Ready");
            } else {
                LOG.atWarn().addKeyValue("cause", obstacle).log("Not ready");
            }
        }
        var response = HealthCheckResponse.named("log");
        return obstacle.isEmpty()
                ? response.up().build()
                : response.down().withData("cause", obstacle).build();
    }

    /// What keeps the gateway from being ready; empty if nothing does.
    private String obstacle() {
        try {
            log.ping(Deadline.in(PATIENCE));
            return log.picture().configuration().isPresent() ? "" : "no configuration yet";
        } catch (Unavailable e) {
            return String.valueOf(e.getMessage());
        }
    }
}
