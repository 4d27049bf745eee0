package io.berth.placement;

import io.berth.core.engine.PassTally;
import io.berth.core.placement.Placement.Pass;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// What Prometheus is told of the passes over the queue: how long they take, how deep they go, and
/// what backfill does. `sdiag` reads it.
final class PassMeters {

    private final Map<Pass, Meters> meters = new EnumMap<>(Pass.class);
    private final Counter backfilled;

    /// @param buckets of the histograms of their times
    PassMeters(MeterRegistry registry, Duration... buckets) {
        this.backfilled = registry.counter("berth.placement.backfilled.jobs");
        for (Pass pass : Pass.values()) {
            meters.put(pass, new Meters(registry, pass, buckets));
        }
    }

    /// A pass was decided.
    void passed(Pass pass, Duration took, PassTally tally) {
        backfilled.increment(tally.backfilled());
        Meters its = meters.get(pass);
        if (its != null) {
            its.passed(new Last(took, tally, System.currentTimeMillis()));
        }
    }

    /// The newest of a kind.
    ///
    /// @param at by this machine's clock, in epoch milliseconds
    private record Last(Duration took, PassTally tally, long at) {

        static final Last NONE = new Last(Duration.ZERO, PassTally.NONE, 0);
    }

    private static final class Meters {

        private final Timer times;
        private final DistributionSummary depths;
        private volatile Last last = Last.NONE;

        Meters(MeterRegistry registry, Pass pass, Duration... buckets) {
            var tags = Tags.of("pass", pass.name().toLowerCase(Locale.ROOT));
            String name = "berth.placement.pass";
            times =
                    Timer.builder(name)
                            .serviceLevelObjectives(buckets)
                            .tags(tags)
                            .register(registry);
            depths = DistributionSummary.builder(name + ".depth").tags(tags).register(registry);
            gauge(registry, name + ".last.seconds", tags, it -> it.took().toNanos() / 1e9);
            gauge(registry, name + ".last.depth", tags, it -> it.tally().tried());
            gauge(registry, name + ".last.planned", tags, it -> it.tally().planned());
            gauge(registry, name + ".last.timestamp.seconds", tags, it -> it.at() / 1e3);
        }

        private void gauge(
                MeterRegistry registry, String name, Tags tags, ToDoubleFunction<Last> value) {
            registry.gauge(name, tags, this, it -> value.applyAsDouble(it.last));
        }

        void passed(Last pass) {
            last = pass;
            times.record(pass.took());
            depths.record(pass.tally().tried());
        }
    }
}
