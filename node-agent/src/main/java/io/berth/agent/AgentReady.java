package io.berth.agent;

import io.berth.agent.NodeAgent.Standing;
import io.berth.agent.NodeAgent.Status;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Ready while every agent of the process is in an epoch.
@Readiness
@ApplicationScoped
class AgentReady implements HealthCheck {

    private final AgentService service;

    AgentReady(AgentService service) {
        this.service = service;
    }

    @Override
    public HealthCheckResponse call() {
        List<NodeAgent> agents = service.agents();
        var response = HealthCheckResponse.named("registered");
        boolean ready = !agents.isEmpty() && service.alive();
        for (NodeAgent agent : agents) {
            Status status = agent.status();
            ready &= status.standing() == Standing.IN_EPOCH;
            String word = status.standing().name().toLowerCase(Locale.ROOT);
            response.withData(
                    agent.name().value(), status.why() == null ? word : word + ": " + status.why());
        }
        return response.status(ready).build();
    }
}
