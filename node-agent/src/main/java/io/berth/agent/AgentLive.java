package io.berth.agent;

import io.berth.log.Pulse;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/// Alive unless the loop that reads orders has died or not turned for [Pulse#WEDGED]. Runs outlive
/// the process, but not its container: Kubernetes looks at [AgentReady] alone.
@Liveness
@ApplicationScoped
class AgentLive implements HealthCheck {

    private final AgentService service;

    AgentLive(AgentService service) {
        this.service = service;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("orders")
                .status(service.alive())
                .withData("wedged after", Pulse.WEDGED.toString())
                .build();
    }
}
