package io.berth.contracts;

/// How a GPU is shared by runs that each hold a part of it.
public enum GpuSharing {
    /// By NVIDIA's Multi-Process Service, which bounds each run's processors and memory. Given out
    /// in thousandths of the GPU; Slurm counts hundredths.
    MPS("mps", Tres.MPS),
    /// By the good behaviour of its runs: nothing bounds them. Given out in as many parts as the
    /// cluster says.
    SHARD("shard", Tres.SHARD);

    /// Equal parts that a GPU is given out in, with [#MPS].
    public static final int THOUSANDTHS = 1000;

    private final String gres;
    private final String tres;

    GpuSharing(String gres, String tres) {
        this.gres = gres;
        this.tres = tres;
    }

    /// Its name in Slurm's `--gres`.
    public String gres() {
        return gres;
    }

    /// Its name as a trackable resource.
    public String tres() {
        return tres;
    }

    /// So many parts in the unit of the trackable resource: hundredths, begun ones counted, or
    /// shards.
    public long amount(int parts) {
        return this == MPS ? Math.ceilDiv(parts, 10) : parts;
    }
}
