package io.berth.core.engine;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// How close nodes are. Switches: for each level, the domain in which each node lies; level 0 are
/// leaf switches, the last level is everything that is connected. Blocks of nodes that are closer
/// still, such as those of one NVLink fabric, and blocks of blocks. And in which row they stand.
public final class Network {

    /// Without a topology: all nodes are equally close.
    public static final Network FLAT = new Network(List.of());

    private final List<int[]> levels;
    private final int[] domains;
    private final int[][] leaves;

    /// The nodes under no switch, where there are switches.
    private final BitSet apart = new BitSet();

    private final int[] places;
    private final List<int[]> blocks;
    private final int[][] inBlock;

    /// By level of closeness, the domain of each block; -1 if it lies in several.
    private final int[][] ofBlock;

    /// Nodes that stand in the order of their indices.
    ///
    /// @param levels by level, then by node; domains are numbered from 0, and -1 is under no switch
    public Network(List<int[]> levels) {
        this(levels, new int[0]);
    }

    /// A network without blocks.
    ///
    /// @param places in the row, by node; empty if they are their indices
    public Network(List<int[]> levels, int[] places) {
        this(levels, places, List.of());
    }

    /// @param blocks by level, then by node: the blocks, then blocks of blocks; as `levels`
    public Network(List<int[]> levels, int[] places, List<int[]> blocks) {
        this.blocks = List.copyOf(blocks);
        this.inBlock =
                blocks.isEmpty()
                        ? new int[0][]
                        : leaves(blocks.getFirst(), count(blocks.getFirst()));
        this.places = places.clone();
        this.levels = List.copyOf(levels);
        this.domains = levels.stream().mapToInt(Network::count).toArray();
        this.leaves = levels.isEmpty() ? new int[0][] : leaves(levels.getFirst(), domains[0]);
        for (int node = 0; !levels.isEmpty() && node < leaves().length; node++) {
            apart.set(node, leaves()[node] < 0);
        }
        this.ofBlock = new int[closeness()][inBlock.length];
        for (int level = 0; level < ofBlock.length; level++) {
            for (int block = 0; block < inBlock.length; block++) {
                ofBlock[level][block] = common(near(level), inBlock[block]);
            }
        }
    }

    /// The domain in which all those nodes lie; -1 if there is none.
    private static int common(int[] level, int[] nodes) {
        int first = nodes.length == 0 ? -1 : level[nodes[0]];
        return Arrays.stream(nodes).allMatch(node -> level[node] == first) ? first : -1;
    }

    /// How many levels of closeness there are: blocks, blocks of blocks, then switches.
    int closeness() {
        return blocks.size() + levels.size();
    }

    /// The domain of each node at a level of closeness. Must not be changed.
    int[] near(int level) {
        return level < blocks.size() ? blocks.get(level) : levels.get(level - blocks.size());
    }

    /// The domain of a block at a level of closeness; -1 if it lies in several.
    int nearOfBlock(int level, int block) {
        return ofBlock[level][block];
    }

    /// How many blocks there are.
    int blocks() {
        return inBlock.length;
    }

    /// The block of a node; -1 if it is in none.
    int block(int node) {
        return blocks.isEmpty() ? -1 : blocks.getFirst()[node];
    }

    /// Whether each run of so many of the nodes lies in one block.
    boolean inSegments(int[] nodes, int segment) {
        return IntStream.range(0, nodes.length)
                .allMatch(part -> {
                    int block = block(nodes[part]);
                    return block >= 0 && block == block(nodes[part - part % segment]);
                });
    }

    /// The nodes of a block. Must not be changed.
    int[] inBlock(int block) {
        return inBlock[block];
    }

    static int count(int[] level) {
        int most = 0;
        for (int domain : level) {
            most = Math.max(most, domain + 1);
        }
        return most;
    }

    private static int[][] leaves(int[] leafOf, int count) {
        var sizes = new int[count + 1];
        for (int leaf : leafOf) {
            sizes[leaf + 1]++;
        }
        var leaves = new int[count][];
        Arrays.setAll(leaves, leaf -> new int[sizes[leaf + 1]]);
        Arrays.fill(sizes, 0);
        for (int node = 0; node < leafOf.length; node++) {
            if (leafOf[node] >= 0) {
                leaves[leafOf[node]][sizes[leafOf[node]]++] = node;
            }
        }
        return leaves;
    }

    /// By node, its leaf switch; -1 if it is under none. Must not be changed.
    int[] leaves() {
        return levels.getFirst();
    }

    /// Those of the nodes that are under a switch, where there are switches.
    ///
    /// @param nodes null for all, also in the answer
    @Nullable BitSet underSwitches(@Nullable BitSet nodes) {
        if (apart.isEmpty()) {
            return nodes;
        }
        var under = new BitSet();
        if (nodes == null) {
            under.set(0, leaves().length);
        } else {
            under.or(nodes);
        }
        under.andNot(apart);
        return under;
    }

    /// The nodes under a leaf switch. Must not be changed.
    int[] under(int leaf) {
        return leaves[leaf];
    }

    int levels() {
        return levels.size();
    }

    /// Where a node stands in the row of all nodes: those whose places differ by one are
    /// neighbours.
    int place(int node) {
        return places.length == 0 ? node : places[node];
    }

    int domain(int level, int node) {
        return levels.get(level)[node];
    }

    int domains(int level) {
        return domains[level];
    }
}
