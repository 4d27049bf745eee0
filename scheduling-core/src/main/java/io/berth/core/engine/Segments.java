package io.berth.core.engine;

import io.berth.core.engine.Usable.Candidate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Chooses a gang's nodes in segments of one size, each of which lies in one block of the network.
///
/// *Goals*, ranked: the lowest level of the network whose one domain holds all segments, and of its
/// domains the one with the fewest segments to spare; the fewest blocks; the blocks that are left
/// with the fewest nodes; then the policy's score. *Constraint*: no segment lies in two blocks. A
/// block may hold several. All parts of the gang are alike.
///
/// *Method*: a block holds as many segments as its usable nodes make. As long as no block holds all
/// that are left the largest is taken, and then the smallest that does: so there are as few blocks
/// as can be, and none is missed.
///
/// *Example*: three segments of 4 nodes; blocks have 9, 6 and 5 usable nodes. The first holds two
/// of them, the third the last one.
///
/// Source: Slurm's topology/block, topology.conf(5); sbatch(1), `--segment`.
final class Segments {

    private final Network network;
    private final FitClass fit;
    private final int size;

    Segments(Network network, FitClass fit) {
        this.network = network;
        this.fit = fit;
        this.size = fit.layout.segment();
    }

    private int wanted() {
        return fit.parts() / size;
    }

    /// The candidates of the segments, one segment after the other; null if they are too few.
    ///
    /// @param order in which those of a block are taken
    @Nullable List<Candidate> choose(List<Candidate> candidates, Comparator<Candidate> order) {
        int blocks = network.blocks();
        int[] usable = new int[blocks];
        for (Candidate candidate : candidates) {
            int block = network.block(candidate.node().index);
            if (block >= 0) {
                usable[block]++;
            }
        }
        int[] takes = taken(closest(usable));
        if (takes == null) {
            return null;
        }
        List<List<Candidate>> byBlock = new ArrayList<>();
        for (int block = 0; block < blocks; block++) {
            byBlock.add(takes[block] == 0 ? List.of() : new ArrayList<>());
        }
        for (Candidate candidate : candidates) {
            int block = network.block(candidate.node().index);
            if (block >= 0 && takes[block] > 0) {
                byBlock.get(block).add(candidate);
            }
        }
        var chosen = new ArrayList<Candidate>();
        for (int block = 0; block < blocks; block++) {
            byBlock.get(block).stream().sorted(order).limit(takes[block]).forEach(chosen::add);
        }
        return chosen;
    }

    /// From when on all segments may be had together, if nodes that are ready stay so.
    ///
    /// @param readyAt by node, in the order of `nodes`
    long readyAt(Node[] nodes, long[] readyAt) {
        long[][] byBlock = new long[network.blocks()][];
        int[] counts = new int[byBlock.length];
        for (int i = 0; i < readyAt.length; i++) {
            int block = network.block(nodes[i].index);
            if (block >= 0) {
                long[] times = byBlock[block] == null ? new long[size] : byBlock[block];
                times =
                        counts[block] == times.length
                                ? Arrays.copyOf(times, 2 * size + times.length)
                                : times;
                times[counts[block]++] = readyAt[i];
                byBlock[block] = times;
            }
        }
        long[] segments = new long[readyAt.length / size + 1];
        int found = 0;
        for (int block = 0; block < byBlock.length; block++) {
            if (byBlock[block] != null) {
                Arrays.sort(byBlock[block], 0, counts[block]);
            }
            for (int last = size - 1; last < counts[block]; last += size) {
                segments[found++] = byBlock[block][last];
            }
        }
        Arrays.sort(segments, 0, found);
        return found < wanted() ? Node.NEVER : segments[wanted() - 1];
    }

    /// The usable nodes by block, of the closest domain that holds all segments; of all where none
    /// does.
    private int[] closest(int[] usable) {
        for (int level = 0; level < network.closeness(); level++) {
            int[] whole = new int[network.near(level).count()];
            for (int block = 0; block < usable.length; block++) {
                int domain = network.nearOfBlock(level, block);
                if (domain >= 0) {
                    whole[domain] += usable[block] / size;
                }
            }
            int best = -1;
            for (int domain = 0; domain < whole.length; domain++) {
                if (whole[domain] >= wanted() && (best < 0 || whole[domain] < whole[best])) {
                    best = domain;
                }
            }
            if (best >= 0) {
                int[] inside = usable.clone();
                for (int block = 0; block < inside.length; block++) {
                    inside[block] = network.nearOfBlock(level, block) == best ? inside[block] : 0;
                }
                return inside;
            }
        }
        return usable;
    }

    /// How many nodes are taken of each block; null if they do not make all segments.
    private int @Nullable [] taken(int[] usable) {
        var takes = new int[usable.length];
        int left = wanted();
        while (left > 0) {
            int best = -1;
            for (int block = 0; block < usable.length; block++) {
                if (takes[block] == 0
                        && usable[block] >= size
                        && better(usable, block, best, left)) {
                    best = block;
                }
            }
            if (best < 0) {
                return null;
            }
            int segments = Math.min(left, usable[best] / size);
            takes[best] = segments * size;
            left -= segments;
        }
        return takes;
    }

    /// Whether a block is to be taken before another for so many segments.
    private boolean better(int[] usable, int block, int other, int left) {
        if (other < 0) {
            return true;
        }
        int own = Math.min(left, usable[block] / size);
        int others = Math.min(left, usable[other] / size);
        return own != others ? own > others : usable[block] < usable[other];
    }
}
