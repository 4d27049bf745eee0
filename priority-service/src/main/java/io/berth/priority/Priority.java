package io.berth.priority;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Starts and ends the loop, and is ready while it ranks.
@Readiness
@ApplicationScoped
class Priority implements HealthCheck {

    private final PriorityLoop loop;

    Priority(PriorityLoop loop) {
        this.loop = loop;
    }

    void start(@Observes StartupEvent event) {
        loop.start();
    }

    void stop(@Observes ShutdownEvent event) {
        loop.stop();
    }

    @Override
    public HealthCheckResponse call() {
        var answer = HealthCheckResponse.named("priority").status(loop.waitsFor().isEmpty());
        loop.waitsFor().ifPresent(it -> answer.withData("waits for", it));
        return answer.build();
    }
}
