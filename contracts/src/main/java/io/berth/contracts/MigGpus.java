package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// GPUs of some nodes that are divided anew by MIG as jobs need it.
///
/// @param nodes names; `ALL` alone is every node
/// @param gpus which of a node's GPUs, by their place in PCI order; null is all in MIG mode
/// @param profiles into which they may be split; null is all that the driver offers but those with
///   extensions (`+me`)
/// @param costSeconds for which a division is taken to last: a job that would start by then anyway
///   is not worth one
/// @param holdSeconds for which a GPU stays as it was divided, at least
public record MigGpus(
        List<String> nodes,
        @Nullable IndexSet gpus,
        @Nullable List<String> profiles,
        long costSeconds,
        long holdSeconds) {

    public static final long DEFAULT_COST_SECONDS = 15;
    public static final long DEFAULT_HOLD_SECONDS = 300;

    public MigGpus {
        nodes = List.copyOf(nodes);
        profiles = profiles == null ? null : List.copyOf(profiles);
    }

    public boolean on(NodeName node) {
        return nodes.equals(List.of("ALL")) || nodes.contains(node.value());
    }

    /// Whether that GPU of one of the nodes may be divided anew.
    public boolean gives(MigGpu gpu) {
        return gpus == null || gpus.contains(gpu.index());
    }

    /// Whether a GPU may be split into that.
    public boolean gives(MigProfile profile) {
        boolean plain = profile.name().indexOf('+') < 0 && profile.name().indexOf('-') < 0;
        return profiles == null ? plain : profiles.contains(profile.name());
    }

    /// What of a GPU's placement table it may be split into.
    public List<MigProfile> table(MigGpu gpu) {
        return gives(gpu)
                ? gpu.profiles().stream().filter(this::gives).toList()
                : List.<MigProfile>of();
    }

    /// How many instances that a request would take one of the nodes has at most, divided for it
    /// alone.
    public int most(Inventory node, GpuRequest request) {
        return node.migGpus().stream()
                .mapToInt(gpu ->
                        table(gpu).stream()
                                .filter(profile -> request.admits(gpu, profile))
                                .mapToInt(MigProfile::most)
                                .max()
                                .orElse(0))
                .sum();
    }
}
