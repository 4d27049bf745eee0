package io.berth.placement;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Ready while this instance leads its cell, or could at once if the one that leads it died.
@Readiness
@ApplicationScoped
class PlacementReady implements HealthCheck {

    private final PlacementLoop loop;

    PlacementReady(PlacementLoop loop) {
        this.loop = loop;
    }

    @Override
    public HealthCheckResponse call() {
        Role role = loop.role();
        return HealthCheckResponse.named("cell")
                .status((role == Role.STANDBY || role == Role.LEADER) && loop.alive())
                .withData("role", role.name())
                .build();
    }
}
