package io.berth.core.engine;

/// What one part of a job takes on a node of one kind.
///
/// @param gpus whole GPUs, all of one type
/// @param lane which of the kind's GPU types they are of; -1 without GPUs
public record Demand(int cpus, long memoryMib, int gpus, int lane) {

    public Demand {
        if (cpus < 0 || memoryMib < 0 || gpus < 0 || (gpus > 0) != (lane >= 0)) {
            throw new IllegalArgumentException(
                    "demand of %d CPUs, %d MiB and %d GPUs of lane %d"
                            .formatted(cpus, memoryMib, gpus, lane));
        }
    }
}
