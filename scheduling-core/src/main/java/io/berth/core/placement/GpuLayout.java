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
/// their number and before any way over PCI, as AMD's XGMI does; a NUMA node that two GPUs share
/// counts last.
///
/// *Method*: all subsets are compared once for each set of free GPUs, and the answer is kept. It is
/// for nodes of up to [#MOST] GPUs.
///
/// *Example*: a DGX-1 whose GPU 0 is held gives GPUs 4 to 7 to a job of four: they have nine links
/// among them, and no other four have more.
///
/// An *island* is a set of GPUs each of which reaches each other over NVLinks (or XGMI) between
/// GPUs of the set: straight, through a switch, or through one another. So two boards of four that
/// only PCI joins have islands of four; any four of eight that a switch links are one.
///
/// Source: the sum over pairs is what Slurm's gres.conf(5) `Links` and NVIDIA's device plugin
/// compare.
final class GpuLayout {

    /// Above it there would be too many subsets to compare.
    static final int MOST = 16;

    private static final long NVLINK = 1000;

    /// What layouts are told apart by.
    private record Shape(@Nullable GpuLinks links, List<Integer> numaNodes) {}

    private record Choice(int free, int count, boolean island) {}

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

    /// By GPU, those that it has links of its own to, as bits.
    private final long[] linked;

    private final Map<Choice, Integer> choices = new HashMap<>();

    private GpuLayout(Shape shape) {
        size = shape.numaNodes.size();
        nearness = new long[size][size];
        linked = new long[Math.min(size, Long.SIZE)];
        for (int from = 0; from < size; from++) {
            for (int to = 0; to < size; to++) {
                nearness[from][to] = nearness(shape, from, to);
            }
        }
        for (int from = 0; from < linked.length && shape.links != null; from++) {
            for (int to = 0; to < linked.length; to++) {
                linked[from] |= shape.links.linked(from, to) ? 1L << to : 0;
            }
        }
    }

    /// Whether there is an island of so many GPUs.
    ///
    /// @param free the places of the GPUs to choose from, as bits
    boolean holdsIsland(long free, int count) {
        return someIsland(free, count) != 0;
    }

    /// An island of so many GPUs, which must be there: of up to [#MOST] GPUs the nearest, of more
    /// the first that is found.
    ///
    /// @param free the places of the GPUs to choose from, as bits
    long island(long free, int count) {
        return size > MOST
                ? someIsland(free, count)
                : choices.computeIfAbsent(new Choice((int) free, count, true), this::best);
    }

    private long someIsland(long free, int count) {
        for (long rest = free; rest != 0; ) {
            long island = grown(free, rest & -rest, count);
            if (Long.bitCount(island) == count) {
                return island;
            }
            rest &= ~island;
        }
        return 0;
    }

    /// GPUs that can be reached from one over each other, that one first, but no more than a
    /// number.
    private long grown(long among, long from, int most) {
        long island = from;
        for (long edge = from; edge != 0 && Long.bitCount(island) < most; ) {
            long near = linked[Long.numberOfTrailingZeros(edge)] & among & ~island;
            long next = near & -near;
            edge = next == 0 ? edge & (edge - 1) : edge | next;
            island |= next;
        }
        return island;
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
                    case XGMI -> NVLINK;
                    case PIX -> 500;
                    case PXB -> 400;
                    case PHB -> 300;
                    case NODE -> 200;
                    case SYS -> 100;
                };
    }

    /// The places of the GPUs to take, as bits: of up to [#MOST] GPUs the nearest, of more the
    /// first.
    ///
    /// @param free the places of the GPUs to choose from, as bits; at least `count`
    long choose(long free, int count) {
        if (size <= MOST) {
            return choices.computeIfAbsent(new Choice((int) free, count, false), this::best);
        }
        long chosen = free;
        while (Long.bitCount(chosen) > count) {
            chosen &= ~Long.highestOneBit(chosen);
        }
        return chosen;
    }

    private int best(Choice choice) {
        int best = 0;
        long near = -1;
        long nearLeft = -1;
        for (int subset = choice.free; subset != 0; subset = (subset - 1) & choice.free) {
            if (Integer.bitCount(subset) != choice.count || (choice.island && !island(subset))) {
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

    private boolean island(long places) {
        return grown(places, places & -places, size) == places;
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
