package io.berth.placement;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Ready while the cell is led from here.
@Readiness
@ApplicationScoped
class PlacementReady implements HealthCheck {

    private final PlacementLoop loop;

    PlacementReady(PlacementLoop loop) {
        this.loop = loop;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("leading").status(loop.leading()).build();
    }
}
