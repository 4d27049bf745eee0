package io.berth.core.packing;

/// A rule for choosing the node, and on it the GPUs, of an arriving job. The node with the least
/// cost takes it, the first in the cluster's order among equals.
///
/// A policy never sees what will arrive and never refuses a shape that fits. It may learn the mix
/// of shapes from those that have arrived. It is confined to one thread; the same arrivals in the
/// same order give the same costs.
public interface PackingPolicy {

    /// What placing the shape on the node costs; only comparable between nodes at one time. The
    /// node is as given again on return.
    ///
    /// @param node one that the shape fits on
    long cost(FreeNode node, Shape shape);

    /// The GPUs that the shape takes on the node, as bits: as many as it wants, each with room.
    default long gpus(FreeNode node, Shape shape) {
        return node.tightestGpus(shape);
    }

    /// Learns that the shape has arrived, before it is placed.
    default void arrived(Shape shape) {}

    /// A number that changes when costs asked for earlier no longer hold although their node is as
    /// it was.
    default int version() {
        return 0;
    }
}
