package io.berth.core.engine;

/// What a demand needs of a node by where it lies there, beside how much: GPUs that are linked to
/// one another, GPUs and CPUs of the same sockets.
///
/// Where a run is, is known: it is among what the kind of the node counts. Where one will be that
/// has only an expected start is not. So a demand with a seating is expected to start when no
/// expected start stands on the node that takes of the same, and at that moment everything that is
/// free is kept for it: whoever starts before is gone by then, whoever starts later takes what it
/// leaves.
public interface Seating {

    /// Whether the demand has its places among what is free of what the kind of the node counts.
    /// With more free it has, too.
    ///
    /// @param free by place; places that are left out are 0
    boolean fits(long[] free);

    /// Whether it matters where its CPUs lie, and not its GPUs alone.
    boolean ofCpus();
}
