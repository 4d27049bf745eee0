package io.berth.placement;

import io.berth.log.Pulse;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/// Alive unless the loop that leads, or stands by, has died or not turned for [Pulse#WEDGED].
@Liveness
@ApplicationScoped
class PlacementLive implements HealthCheck {

    private final PlacementLoop loop;

    PlacementLive(PlacementLoop loop) {
        this.loop = loop;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("cell")
                .status(loop.alive())
                .withData("wedged after", Pulse.WEDGED.toString())
                .build();
    }
}
