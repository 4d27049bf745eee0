package io.berth.core.placement;

import io.berth.contracts.Gpu;

/// GPUs of a node that are as good as one another.
record Lane(String type, long memoryMib) implements Comparable<Lane> {

    static Lane of(Gpu gpu) {
        return new Lane(gpu.type(), gpu.memoryMib());
    }

    @Override
    public int compareTo(Lane other) {
        int byType = type.compareTo(other.type);
        return byType != 0 ? byType : Long.compare(memoryMib, other.memoryMib);
    }
}
