package io.berth.core.placement;

import io.berth.contracts.Gpu;

/// GPUs of a node that are as good as one another.
record Lane(String type, long memoryMib) implements Comparable<Lane> {

    /// Of GPUs that are not given out whole.
    static final Lane NONE = new Lane("", 0);

    static Lane of(Gpu gpu) {
        return new Lane(gpu.type(), gpu.memoryMib());
    }

    @Override
    public int compareTo(Lane other) {
        int byType = type.compareTo(other.type);
        return byType != 0 ? byType : Long.compare(memoryMib, other.memoryMib);
    }
}
