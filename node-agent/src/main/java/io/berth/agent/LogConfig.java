package io.berth.agent;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/// The shape of the log, the same for all services.
@ConfigMapping(prefix = "berth")
public interface LogConfig {

    /// Partitions of the topics that have one for each cell.
    @WithDefault("1")
    int cells();

    /// Partitions of `placements`, fixed for the life of the cell.
    @WithDefault("8")
    int nodePartitions();

    /// Replicas of each partition.
    @WithDefault("1")
    short replicas();
}
