package io.berth.contracts;

/// Where a run's script starts.
public enum LaunchMode {
    /// On the first node only, as Slurm's `sbatch` does. The other nodes stand ready for steps.
    BATCH,
    /// Once on every node, with `SLURM_NODEID` and `SLURM_PROCID` telling them apart, as one
    /// replica of a training job each.
    PER_NODE
}
