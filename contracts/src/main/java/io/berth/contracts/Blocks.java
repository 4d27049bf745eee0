package io.berth.contracts;

import java.util.List;

/// Blocks of nodes that are closer to one another than a switch makes them, such as the nodes of an
/// NVL72 rack: Slurm's topology/block.
///
/// @param blocks in a row: neighbours are closer than others
/// @param sizes nodes of a block, then of the blocks of blocks, as planned: each is a multiple of
///   the first; none for blocks alone
public record Blocks(List<Block> blocks, List<Integer> sizes) {

    /// A block.
    public record Block(String name, List<NodeName> nodes) {
        public Block {
            nodes = List.copyOf(nodes);
        }
    }

    public Blocks {
        blocks = List.copyOf(blocks);
        sizes = List.copyOf(sizes);
    }
}
