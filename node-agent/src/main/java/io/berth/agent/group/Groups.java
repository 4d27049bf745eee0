package io.berth.agent.group;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.util.Optional;

/// The kernel's means of holding the processes of a run together on this host.
public interface Groups {

    /// In one or two words, for the log: `cgroup v1`.
    String description();

    /// Whether the kernel knows who is in a group.
    default boolean heldByKernel() {
        return true;
    }

    /// Has the kernel move processes into groups without a wait, where that is how tasks come into
    /// them. It is a setting of the machine, which stays. Why it cannot be set; nothing if it is,
    /// or is not needed.
    default Optional<String> favorMoves() throws IOException {
        return Optional.empty();
    }

    /// Whether limits of memory hold for swap too; true where that shows in groups alone.
    default boolean countSwap() {
        return true;
    }

    /// A fresh group with these limits, as far as the host has controllers for them. A group that
    /// was left over under this name is ended and removed first.
    Group create(NodeName node, RunId run, Limits limits) throws IOException;

    /// The group of a run that an earlier agent made. It may be gone already: then it is empty.
    Group find(NodeName node, RunId run);

    /// Removes what is above the groups of a node's runs, and the parent of all, if nothing is in
    /// them.
    void removeEmptyParents(NodeName node);
}
