package io.berth.core.engine;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// How close nodes are. Switches: for each level, the domain in which each node lies; level 0 are
/// leaf switches, the last level is everything that is connected. Blocks of nodes that are closer
/// still, such as those of one NVLink fabric, and blocks of blocks. Levels that jobs name, whatever
/// they are made of. And in which row they stand.
public final class Network {

    /// Without a topology: all nodes are equally close.
    public static final Network FLAT = new Network(List.of());

    /// The level of leaf switches among those of which a job may be bound to few domains; the
    /// levels that jobs name follow it.
    public static final int LEAVES = 0;

    /// In which domain each node lies.
    ///
    /// @param domainOf by node; -1 is in none
    /// @param count of its domains
    record Level(int[] domainOf, int count) {

        private static Level of(int[] domainOf) {
            return new Level(domainOf, Arrays.stream(domainOf).max().orElse(-1) + 1);
        }

        int domain(Node node) {
            return domainOf[node.index];
        }
    }

    private final List<Level> levels;

    /// Leaf switches, where there are, then the levels that jobs name; their domains.
    private final List<Level> binding;

    /// By level that binds, the nodes that are in a domain of it.
    private final List<BitSet> members;

    private final int[][][] under;

    private final int[] places;
    private final List<Level> blocks;
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

    /// A network of which jobs name no level.
    ///
    /// @param blocks by level, then by node: the blocks, then blocks of blocks; as `levels`
    public Network(List<int[]> levels, int[] places, List<int[]> blocks) {
        this(levels, places, blocks, List.of());
    }

    /// @param named the levels that jobs name, numbered from 1; as `levels`
    public Network(List<int[]> levels, int[] places, List<int[]> blocks, List<int[]> named) {
        this.blocks = blocks.stream().map(Level::of).toList();
        this.inBlock = blocks.isEmpty() ? new int[0][] : inverse(this.blocks.getFirst());
        this.places = places.clone();
        this.levels = levels.stream().map(Level::of).toList();
        this.binding =
                Stream.concat(
                                Stream.of(levels.isEmpty() ? new int[0] : levels.getFirst()),
                                named.stream())
                        .map(Level::of)
                        .toList();
        this.members = binding.stream().map(Network::members).toList();
        this.under = binding.stream().map(Network::inverse).toArray(int[][][]::new);
        this.ofBlock = new int[closeness()][inBlock.length];
        for (int level = 0; level < ofBlock.length; level++) {
            for (int block = 0; block < inBlock.length; block++) {
                ofBlock[level][block] = common(near(level).domainOf, inBlock[block]);
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

    /// A level of closeness. Must not be changed.
    Level near(int level) {
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
        return blocks.isEmpty() ? -1 : blocks.getFirst().domainOf[node];
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

    private static BitSet members(Level level) {
        var members = new BitSet();
        for (int node = 0; node < level.domainOf.length; node++) {
            members.set(node, level.domainOf[node] >= 0);
        }
        return members;
    }

    /// By domain, its nodes.
    private static int[][] inverse(Level level) {
        int[] domainOf = level.domainOf;
        var sizes = new int[level.count + 1];
        for (int domain : domainOf) {
            sizes[domain + 1]++;
        }
        var nodes = new int[sizes.length - 1][];
        Arrays.setAll(nodes, domain -> new int[sizes[domain + 1]]);
        Arrays.fill(sizes, 0);
        for (int node = 0; node < domainOf.length; node++) {
            if (domainOf[node] >= 0) {
                nodes[domainOf[node]][sizes[domainOf[node]]++] = node;
            }
        }
        return nodes;
    }

    /// Whether there is such a level, of which a job may be bound to few domains.
    boolean binds(int level) {
        return level == LEAVES ? !levels.isEmpty() : level < binding.size();
    }

    /// Whether nodes lie in no more domains than a class allows.
    boolean holds(FitClass fit, int[] nodes) {
        return fit.maxSwitches == 0
                || Arrays.stream(nodes).map(node -> domain(fit.level, node)).distinct().count()
                        <= fit.maxSwitches;
    }

    /// A level that binds. Must not be changed.
    Level binding(int level) {
        return binding.get(level);
    }

    /// Those of the nodes that are in a domain of a level that binds.
    ///
    /// @param nodes null for all, also in the answer
    @Nullable BitSet within(int level, @Nullable BitSet nodes) {
        BitSet all = members.get(level);
        if (all.cardinality() == binding.get(level).domainOf.length) {
            return nodes;
        }
        var within = (BitSet) all.clone();
        if (nodes != null) {
            within.and(nodes);
        }
        return within;
    }

    /// The nodes in a domain of a level that binds. Must not be changed.
    int[] under(int level, int domain) {
        return under[level][domain];
    }

    int levels() {
        return levels.size();
    }

    /// Where a node stands in the row of all nodes: those whose places differ by one are
    /// neighbours.
    int place(int node) {
        return places.length == 0 ? node : places[node];
    }

    /// A node's domain of a level that binds; -1 if it is in none.
    int domain(int level, int node) {
        return binding.get(level).domainOf[node];
    }

    /// How many domains a level has that binds.
    int domains(int level) {
        return under[level].length;
    }
}
