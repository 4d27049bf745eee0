package io.berth.agent.launch;

import java.util.Map;
import java.util.Optional;

/// Where the nodes of a run meet for its steps, as its specification tells it.
///
/// @param gateway `ws://host:port`
public record StepPlace(String gateway, String secret) {

    /// The file in a run's folder that keeps it for the agent.
    public static final String NAME = "step-place";

    static final String SECRET = "BERTH_STEP_SECRET";
    private static final String GATEWAY = "BERTH_STEP_GATEWAY";

    static Optional<StepPlace> of(Map<String, String> environment) {
        String gateway = environment.get(GATEWAY);
        String secret = environment.get(SECRET);
        return gateway == null || secret == null
                ? Optional.empty()
                : Optional.of(new StepPlace(gateway, secret));
    }
}
