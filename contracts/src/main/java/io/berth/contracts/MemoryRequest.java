package io.berth.contracts;

/// Memory asked for, in MiB per node, per CPU or per GPU. `0` per node asks for all that a node
/// has, as Slurm's `--mem=0`.
public record MemoryRequest(Per per, long mib) {

    public enum Per {
        NODE,
        CPU,
        GPU
    }

    public MemoryRequest {
        if (mib < 0 || (mib == 0 && per != Per.NODE)) {
            throw new IllegalArgumentException(
                    "memory of " + mib + " MiB per " + per + " is not positive");
        }
    }

    public static MemoryRequest perNode(long mib) {
        return new MemoryRequest(Per.NODE, mib);
    }

    public static MemoryRequest perCpu(long mib) {
        return new MemoryRequest(Per.CPU, mib);
    }

    public boolean wholeNode() {
        return mib == 0;
    }
}
