package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// The most domains of a level of the network that a job's nodes may span: leaf switches,
/// `--switches=count@wait`, or one domain of a level that is named, `--topology=level@wait`.
///
/// @param maxWaitSeconds how long the job waits for such nodes before any will do, and no longer
///   than the cluster lets it; 0 only prefers them. Null is as long as the cluster lets it for leaf
///   switches, and without end for a level that is named
/// @param level its name, of which the job has one domain; null is leaf switches
public record SwitchLimit(int count, @Nullable Long maxWaitSeconds, @Nullable String level) {

    public SwitchLimit {
        if (count < 1 || (maxWaitSeconds != null && maxWaitSeconds < 0)) {
            throw new IllegalArgumentException(
                    "switches "
                            + count
                            + "@"
                            + maxWaitSeconds
                            + ": a count of at least 1 and a wait");
        }
        if (level != null && count != 1) {
            throw new IllegalArgumentException(
                    "%d domains of the level %s: a job is in one or in any"
                            .formatted(count, level));
        }
    }

    /// So many leaf switches.
    public SwitchLimit(int count, @Nullable Long maxWaitSeconds) {
        this(count, maxWaitSeconds, null);
    }

    /// One domain of a level.
    public static SwitchLimit within(String level, @Nullable Long maxWaitSeconds) {
        return new SwitchLimit(1, maxWaitSeconds, level);
    }

    /// Whether no wait is long enough for any nodes to do.
    public boolean endless() {
        return level != null && maxWaitSeconds == null;
    }
}
