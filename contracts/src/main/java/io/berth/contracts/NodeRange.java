package io.berth.contracts;

/// How many nodes a job may have: at least `least`, and up to `most` where they are free when it
/// starts (`--nodes=2-4`).
///
/// @param moreTasks whether each node more brings its tasks; else the same tasks are spread wider
public record NodeRange(int least, int most, boolean moreTasks) {

    public NodeRange {
        if (least < 1 || most <= least) {
            throw new IllegalArgumentException(
                    "nodes %d-%d: at least 1, and the most above the least".formatted(least, most));
        }
    }
}
