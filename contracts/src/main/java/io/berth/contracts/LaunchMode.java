package io.berth.contracts;

/// Where a run's script starts.
public enum LaunchMode {
    /// On the first node only, as Slurm's `sbatch` does. The other nodes stand ready for steps.
    BATCH,
    /// Once on every node, with `SLURM_NODEID` and `SLURM_PROCID` telling them apart, as one
    /// replica of a training job each.
    PER_NODE,
    /// Nowhere: all nodes stand ready for steps, until the run is stopped. So run the components of
    /// a heterogeneous job after the first.
    HELD;

    /// Whether the script runs on the node of that place in the run.
    public boolean runsScriptOn(int index) {
        return switch (this) {
            case BATCH -> index == 0;
            case PER_NODE -> true;
            case HELD -> false;
        };
    }
}
