package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// A part of one shared GPU asked for.
///
/// @param parts thousandths with [GpuSharing#MPS], else shards; 0 asks only for memory
/// @param memoryMib of the GPU's memory at least, in MiB; null does not ask
public record ShareRequest(GpuSharing sharing, int parts, @Nullable Long memoryMib) {

    public ShareRequest {
        boolean memory = memoryMib != null && memoryMib > 0;
        if (parts < 0 || (parts == 0 && !memory) || (memoryMib != null && !memory)) {
            throw new IllegalArgumentException(
                    "%d parts and %s MiB of a GPU: one of them is above 0, neither below"
                            .formatted(parts, memoryMib));
        }
    }

    /// What it takes of a GPU: so many parts that they include the memory. Null if the GPU is
    /// shared otherwise, or is too small.
    ///
    /// @param of how many parts the GPU is given out in
    public @Nullable GpuShare on(GpuSharing how, int of, long gpuMemoryMib) {
        if (how != sharing) {
            return null;
        }
        long wanted = parts;
        if (memoryMib != null) {
            wanted =
                    gpuMemoryMib < memoryMib
                            ? Long.MAX_VALUE
                            : Math.max(wanted, Math.ceilDiv(memoryMib * of, gpuMemoryMib));
        }
        return wanted > of
                ? null
                : new GpuShare(sharing, (int) wanted, of, gpuMemoryMib * wanted / of);
    }

    /// As a trackable resource. What memory will take, alone or beside a part, is not known before
    /// it is placed: it counts as all of a GPU's hundredths, or as the shards that are named.
    public long amount() {
        return memoryMib == null || sharing == GpuSharing.SHARD
                ? sharing.amount(Math.max(1, parts))
                : sharing.amount(GpuSharing.THOUSANDTHS);
    }
}
