package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Inventory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How near the GPUs of a node are to one another, and so which of the free ones a job gets.
///
/// *Goals*, ranked: the nearest GPUs, by the sum over all pairs; of the rest that stays free, the
/// nearest as well, so that the next job finds a good set too; the lowest numbers. NVLinks count by
/// their number and before any way over PCI; a NUMA node that two GPUs share counts last.
///
/// *Method*: all subsets are compared once for each set of free GPUs, and the answer is kept. It is
/// for nodes of up to [#MOST] GPUs.
///
/// *Example*: a DGX-1 whose GPU 0 is held gives GPUs 4 to 7 to a job of four: they have nine links
/// among them, and no other four have more.
///
/// Source: the sum over pairs is what Slurm's gres.conf(5) `Links` and NVIDIA's device plugin
/// compare.
final class GpuLayout {

    /// Above it there would be too many subsets to compare.
    static final int MOST = 16;

    private static final long NVLINK = 1000;

    /// What layouts are told apart by.
    private record Shape(@Nullable GpuLinks links, List<Integer> numaNodes) {}

    private record Choice(int free, int count) {}

    /// The layouts that were met, with their answers.
    static final class Known {

        private final Map<Shape, GpuLayout> layouts = new HashMap<>();

        GpuLayout of(Inventory inventory) {
            var shape =
                    new Shape(
                            inventory.links(),
                            inventory.gpus().stream().map(Gpu::numaNode).toList());
            return layouts.computeIfAbsent(shape, GpuLayout::new);
        }
    }

    private final int size;
    private final long[][] nearness;
    private final Map<Choice, Integer> choices = new HashMap<>();

    private GpuLayout(Shape shape) {
        size = shape.numaNodes.size();
        nearness = new long[size][size];
        for (int from = 0; from < size; from++) {
            for (int to = 0; to < size; to++) {
                nearness[from][to] = nearness(shape, from, to);
            }
        }
    }

    private static long nearness(Shape shape, int from, int to) {
        GpuLinks links = shape.links;
        int numaNode = shape.numaNodes.get(from);
        long same = numaNode >= 0 && numaNode == shape.numaNodes.get(to) ? 1 : 0;
        if (links == null) {
            return same;
        }
        return same
                + switch (links.path(from, to)) {
                    case SELF, UNKNOWN -> 0;
                    case NVLINK -> NVLINK * links.nvlinks(from, to);
                    case PIX -> 500;
                    case PXB -> 400;
                    case PHB -> 300;
                    case NODE -> 200;
                    case SYS -> 100;
                };
    }

    /// The places of the GPUs to take, as bits.
    ///
    /// @param free the places of the GPUs to choose from, as bits; at least `count`
    int choose(int free, int count) {
        return choices.computeIfAbsent(new Choice(free, count), this::best);
    }

    private int best(Choice choice) {
        int best = 0;
        long near = -1;
        long nearLeft = -1;
        for (int subset = choice.free; subset != 0; subset = (subset - 1) & choice.free) {
            if (Integer.bitCount(subset) != choice.count) {
                continue;
            }
            long own = sum(subset);
            if (own < near) {
                continue;
            }
            long left = sum(choice.free & ~subset);
            if (own > near || left >= nearLeft) {
                best = subset;
                near = own;
                nearLeft = left;
            }
        }
        return best;
    }

    private long sum(int places) {
        long sum = 0;
        for (int rest = places; rest != 0; rest &= rest - 1) {
            long[] near = nearness[Integer.numberOfTrailingZeros(rest)];
            for (int other = rest & (rest - 1); other != 0; other &= other - 1) {
                sum += near[Integer.numberOfTrailingZeros(other)];
            }
        }
        return sum;
    }
}
