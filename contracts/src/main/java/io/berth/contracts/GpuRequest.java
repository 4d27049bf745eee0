package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// Whole GPUs asked for on each node, of one type (`a100`) or, without a type, of any.
public record GpuRequest(int perNode, @Nullable String type) {

    public static final GpuRequest NONE = new GpuRequest(0, null);

    public GpuRequest {
        if (perNode < 0) {
            throw new IllegalArgumentException("a request for " + perNode + " GPUs is negative");
        }
    }

    public boolean admits(Gpu gpu) {
        return type == null || type.equals(gpu.type());
    }
}
