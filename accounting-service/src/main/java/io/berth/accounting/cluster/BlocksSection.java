package io.berth.accounting.cluster;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.NodeName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The blocks of nodes of a cluster file: `blocks: {rack1: "gpu-[01-18]"}`, `blockSizes: [18, 36]`.
final class BlocksSection {

    private BlocksSection() {}

    /// Null where there are none.
    static @Nullable Blocks of(YamlMap root) throws InvalidClusterFile {
        YamlMap all = root.map("blocks");
        var known = new HashSet<String>();
        var blocks = new ArrayList<Block>();
        for (String name : all.names()) {
            List<String> nodes = NodeLists.of(all, name);
            for (String node : nodes) {
                if (node.equals("ALL") || !known.add(node)) {
                    throw new InvalidClusterFile(
                            all.place(name),
                            "node " + node + " is in one block alone, by its name");
                }
            }
            try {
                blocks.add(new Block(name, nodes.stream().map(NodeName::new).toList()));
            } catch (IllegalArgumentException e) {
                throw new InvalidClusterFile(all.place(name), String.valueOf(e.getMessage()));
            }
        }
        List<Integer> sizes = sizes(root);
        if (blocks.isEmpty() && !sizes.isEmpty()) {
            throw new InvalidClusterFile("blockSizes", "there are no blocks");
        }
        return blocks.isEmpty() ? null : new Blocks(blocks, sizes);
    }

    private static List<Integer> sizes(YamlMap root) throws InvalidClusterFile {
        var sizes = new ArrayList<Integer>();
        for (String text : root.texts("blockSizes")) {
            int size = text.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(text) : 0;
            if (size == 0
                    || (!sizes.isEmpty()
                            && (size <= sizes.getLast() || size % sizes.getFirst() != 0))) {
                throw new InvalidClusterFile(
                        "blockSizes",
                        "'"
                                + text
                                + "' is no size of blocks: they rise, each a multiple of the first");
            }
            sizes.add(size);
        }
        return sizes;
    }
}
