package io.berth.core.packing;

import java.util.List;

/// A rule for choosing the node, and on it the GPUs, of an arriving job. The node with the least
/// cost takes it, the first in the cluster's order among equals.
///
/// A policy never sees what will arrive and never refuses a shape that fits. It may learn the mix
/// of shapes from those that have arrived. It is confined to one thread; the same arrivals in the
/// same order give the same costs.
public interface PackingPolicy {

    /// What placing the shape on these GPUs of the node costs; only comparable between nodes at one
    /// time. The node is as given again on return.
    ///
    /// @param node one that the shape fits on
    /// @param gpus as bits
    long cost(FreeNode node, Shape shape, long gpus);

    /// The same on the GPUs that it would take there.
    default long cost(FreeNode node, Shape shape) {
        return cost(node, shape, gpus(node, shape));
    }

    /// The GPUs that the shape takes on the node, as bits: as many as it wants, each with room.
    default long gpus(FreeNode node, Shape shape) {
        return node.tightestGpus(shape);
    }

    /// Learns that the shape has arrived, before it is placed.
    default void arrived(Shape shape) {}

    /// Whether what arrives matters to it.
    default boolean learns() {
        return false;
    }

    /// Forgets all that has arrived, and learns this instead.
    default void learn(List<Shape> arrivals) {}

    /// Costs asked for from now on are of that time.
    default void at(long time) {}

    /// A number that changes when costs asked for earlier no longer hold although their node is as
    /// it was.
    default int version() {
        return 0;
    }

    /// Whether a search must compare all nodes with room, and not only the tightest few.
    default boolean comparesAll() {
        return true;
    }
}
