package io.berth.priority;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/// The settings of the priority service.
@ConfigMapping(prefix = "berth.priority")
public interface PriorityConfig {

    /// The shortest time between two calculations of fair share.
    @WithDefault("500ms")
    Duration fairShareInterval();

    /// The longest pause between two tries to reach the brokers.
    @WithDefault("5s")
    Duration longestPause();
}
