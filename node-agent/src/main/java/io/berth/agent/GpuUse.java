package io.berth.agent;

import io.berth.agent.launch.RunFiles;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether a run uses the GPUs that it holds: told when their use, in the mean over them and a
/// while, falls below a bound, and when it is above it again. Confined to its meter.
final class GpuUse {

    private static final Logger LOG = LoggerFactory.getLogger(GpuUse.class);

    /// What is too little.
    ///
    /// @param percent below which use is low; 0 is never
    /// @param over the time of which it is the mean
    record Rule(int percent, Duration over) {}

    /// Who is told. The same may be told again.
    interface Told {

        void underused(int percent, long seconds);

        void usedAgain();
    }

    /// What was told last, kept for an agent that takes over.
    ///
    /// @param percent the mean that was too low; -1 if it is not any more
    record Last(int percent, long seconds) {
        static final String NAME = "gpu-use";

        void to(Told told) {
            if (percent < 0) {
                told.usedAgain();
            } else {
                told.underused(percent, seconds);
            }
        }
    }

    private final Rule rule;
    private final RunFiles files;
    private final Told told;
    private final UseWindow window;

    GpuUse(Rule rule, RunFiles files, Told told) {
        this.rule = rule;
        this.files = files;
        this.told = told;
        this.window = new UseWindow(rule.over());
    }

    /// The GPUs were used so much for so long.
    void saw(long nanos, double percent) {
        window.add(nanos, percent);
        OptionalInt mean = window.mean();
        if (mean.isEmpty()) {
            return;
        }
        boolean low = mean.getAsInt() < rule.percent();
        try {
            Last before = files.kept(Last.NAME, Last.class).orElse(null);
            boolean wasLow = before != null && before.percent() >= 0;
            if (low != wasLow) {
                var now = new Last(low ? mean.getAsInt() : -1, rule.over().toSeconds());
                files.note(Last.NAME, now);
                now.to(told);
            }
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Use not noted");
        }
    }

    /// Tells what was told last to those who may not know it.
    void tellAgain() {
        try {
            files.kept(Last.NAME, Last.class).ifPresent(last -> last.to(told));
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Use not known");
        }
    }
}
