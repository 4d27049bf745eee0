package io.berth.standalone.mesh;

import java.util.Optional;

/// The nodes that a mesh's agent stands for.
///
/// @param host whether this host is one
/// @param gpuProfile GPUs that are declared for this host, if any
/// @param virtual nodes that are only declared, such as `4xdgx-a100`, if any
public record Offer(boolean host, Optional<String> gpuProfile, Optional<String> virtual) {

    /// Whether any GPU is only declared.
    public boolean simulates() {
        return gpuProfile.isPresent() || virtual.isPresent();
    }
}
