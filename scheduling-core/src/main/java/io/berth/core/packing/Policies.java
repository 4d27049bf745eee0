package io.berth.core.packing;

import java.util.List;

/// The packing policies by name.
public final class Policies {

    /// The one that knows the whole list of jobs beforehand.
    private static final String OF_A_LIST = "fgd-paper";

    private static final List<String> NAMES =
            List.of(
                    "default",
                    "fgd",
                    OF_A_LIST,
                    "tightest",
                    "best-fit",
                    "gpu-packing",
                    "gpu-clustering",
                    "dot-product",
                    "least-loaded",
                    "first-fit",
                    "random");

    /// Leaves the least on the node.
    public static final PackingPolicy TIGHTEST = new Tightest();

    /// The node with the most free CPUs: Slurm's LLN.
    public static final PackingPolicy LEAST_LOADED = (node, _, _) -> -node.cpus;

    /// The first node that has room.
    public static final PackingPolicy FIRST_FIT = (_, _, _) -> 0;

    private Policies() {}

    public static List<String> names() {
        return NAMES;
    }

    /// The names of those that know nothing of the jobs to come.
    public static List<String> live() {
        return NAMES.stream().filter(name -> !name.equals(OF_A_LIST)).toList();
    }

    /// A fresh policy of one of [#live].
    ///
    /// @param nodes empty, one of each kind
    public static PackingPolicy of(String name, List<FreeNode> nodes) {
        return of(name, nodes, List.of(), 0);
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
            case OF_A_LIST -> new FgdPaper(list);
            case "tightest" -> TIGHTEST;
            case "best-fit" -> new BestFit(cpus, gpuMilli);
            case "gpu-packing" -> new GpuPacking();
            case "gpu-clustering" -> new GpuClustering();
            case "dot-product" -> new DotProduct(cpus, gpuMilli);
            case "least-loaded" -> LEAST_LOADED;
            case "first-fit" -> FIRST_FIT;
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
