package io.berth.placement;

import io.berth.core.engine.Scheduling.Backfill;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The settings of the placement service.
@ConfigMapping(prefix = "berth.placement")
public interface PlacementConfig {

    /// The cell that this service decides for.
    @WithDefault("0")
    int cell();

    /// The file of the key that signs orders, made if it is not there. Its public half is put into
    /// `placement-keys` beside it, for agents.
    Optional<Path> signingKey();

    /// The least time between the starts of two rounds: what comes in together is decided together.
    @WithDefault("5ms")
    Duration schedMinInterval();

    /// A node that is silent for so long gets no new work.
    @WithDefault("10s")
    Duration silentAfter();

    /// A node that is silent for so long is DOWN.
    @WithDefault("300s")
    Duration nodeTimeout();

    /// How far ahead the jobs are planned that find no room.
    @WithDefault("conservative")
    Backfill backfill();

    /// How many waiting jobs have an expected start at most, with conservative backfill (Slurm's
    /// `bf_max_job_test`).
    @WithDefault("500")
    int bfMaxJobTest();

    /// The OpenTelemetry collector that gets the spans of jobs that waited, such as
    /// `http://collector:4318/v1/traces`; without one there are none.
    Optional<URI> tracesEndpoint();

    /// How often the whole state is written, from which rounds can be replayed; zero is never. It
    /// is written after the first round of each leader, too.
    @WithDefault("6h")
    Duration snapshotInterval();
}
