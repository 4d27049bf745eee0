package io.berth.core.priority;

/// What a cell has in all, whether it is up or down: the measure of a job's size.
public record ClusterSize(int nodes, long cpus) {

    /// Before any node was seen.
    public static final ClusterSize UNKNOWN = new ClusterSize(0, 0);

    public ClusterSize plus(int moreCpus) {
        return new ClusterSize(nodes + 1, cpus + moreCpus);
    }
}
