package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// The most leaf switches that a job's nodes may span: `--switches=count@wait`.
///
/// @param maxWaitSeconds how long the job waits for such nodes before any will do; null is as long
///   as the cluster lets it
public record SwitchLimit(int count, @Nullable Long maxWaitSeconds) {

    public SwitchLimit {
        if (count < 1 || (maxWaitSeconds != null && maxWaitSeconds < 0)) {
            throw new IllegalArgumentException(
                    "switches "
                            + count
                            + "@"
                            + maxWaitSeconds
                            + ": a count of at least 1 and a wait");
        }
    }
}
