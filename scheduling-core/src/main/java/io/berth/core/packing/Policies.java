package io.berth.core.packing;

import java.util.List;

/// The packing policies by name.
public final class Policies {

    private static final List<String> NAMES =
            List.of(
                    "default",
                    "fgd",
                    "fgd-paper",
                    "best-fit",
                    "gpu-packing",
                    "gpu-clustering",
                    "dot-product",
                    "first-fit",
                    "random");

    private Policies() {}

    public static List<String> names() {
        return NAMES;
    }

    /// A fresh policy of one of [#names].
    ///
    /// @param nodes the empty cluster
    /// @param list all jobs to come; only `fgd-paper` looks at it
    /// @param seed of `random`
    public static PackingPolicy of(String name, List<FreeNode> nodes, List<Shape> list, long seed) {
        int cpus = Math.max(1, nodes.stream().mapToInt(node -> node.cpus).max().orElse(0));
        int gpuMilli =
                Math.max(1, (int) nodes.stream().mapToLong(FreeNode::freeGpuMilli).max().orElse(0));
        return switch (name) {
            case "default" -> learning();
            case "fgd" -> new Fgd();
            case "fgd-paper" -> new FgdPaper(list);
            case "best-fit" -> new BestFit(cpus, gpuMilli);
            case "gpu-packing" -> new GpuPacking();
            case "gpu-clustering" -> new GpuClustering();
            case "dot-product" -> new DotProduct(cpus, gpuMilli);
            case "first-fit" -> (_, _) -> 0;
            case "random" -> new RandomFit(seed);
            default ->
                    throw new IllegalStateException(
                            "make a packing policy: expected one of " + NAMES + ", found " + name);
        };
    }

    /// Berth's own policy, which learns from what arrives; the one named `default`.
    public static PackingPolicy learning() {
        return new Futures();
    }
}
