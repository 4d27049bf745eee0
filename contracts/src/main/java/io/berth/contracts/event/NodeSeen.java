package io.berth.contracts.event;

import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An agent registers: what its node has and which runs are on it. Placement answers with a Sync
/// that carries the nonce.
///
/// @param nonce new with each registration
/// @param machineId of the machine, from /etc/machine-id where there is one: a second machine of
///   the same name is refused
/// @param bootId new with each boot of the machine
/// @param runs the runs on the node
/// @param reportsEnd end offset of the agent's `runs` partition before this was written: placement
///   applies every report below it first
/// @param fenceSeconds if no heartbeat of the node is acknowledged for so long, it ends its runs by
///   itself, its agent dead or alive; null if they go on
/// @param unhealthy what the operator's health program says is wrong, in one line: the node gets no
///   new work until it registers without; null if all is well, or nobody looks
/// @param life which life of an agent wrote this; null of an agent of an earlier version
/// @param key the public half of the Ed25519 key that signs this record and all that the agent says
///   of the node, encoded as X.509 says, in Base64; null of an agent that signs nothing
/// @param sealFor the X25519 key, likewise, for which keys of specifications are sealed; null of an
///   agent of an earlier version
public record NodeSeen(
        NodeName node,
        String nonce,
        String machineId,
        String bootId,
        String agentVersion,
        Inventory inventory,
        List<HeldRun> runs,
        long reportsEnd,
        @Nullable Long fenceSeconds,
        @Nullable String unhealthy,
        @Nullable Life life,
        @Nullable String key,
        @Nullable String sealFor) {

    /// An agent from its start to its end.
    ///
    /// @param spool new with each spool, and kept in it
    /// @param number greater than that of every life before it on that spool
    public record Life(String spool, long number) {}

    public NodeSeen {
        runs = List.copyOf(runs);
    }

    /// A node of which nobody says that it is not well, by an agent of an earlier version.
    public NodeSeen(
            NodeName node,
            String nonce,
            String machineId,
            String bootId,
            String agentVersion,
            Inventory inventory,
            List<HeldRun> runs,
            long reportsEnd,
            @Nullable Long fenceSeconds) {
        this(
                node,
                nonce,
                machineId,
                bootId,
                agentVersion,
                inventory,
                runs,
                reportsEnd,
                fenceSeconds,
                null,
                null,
                null,
                null);
    }

    /// A node whose runs go on whatever happens.
    public NodeSeen(
            NodeName node,
            String nonce,
            String machineId,
            String bootId,
            String agentVersion,
            Inventory inventory,
            List<HeldRun> runs,
            long reportsEnd) {
        this(node, nonce, machineId, bootId, agentVersion, inventory, runs, reportsEnd, null);
    }

    /// The same, written in that life of an agent.
    public NodeSeen in(Life of) {
        return with(of, key, sealFor);
    }

    /// The same, signed with the key of that public half.
    public NodeSeen by(String signer) {
        return with(life, signer, sealFor);
    }

    /// The same, of an agent that opens what is sealed for that key.
    public NodeSeen sealing(String recipient) {
        return with(life, key, recipient);
    }

    private NodeSeen with(@Nullable Life of, @Nullable String signer, @Nullable String recipient) {
        return new NodeSeen(
                node,
                nonce,
                machineId,
                bootId,
                agentVersion,
                inventory,
                runs,
                reportsEnd,
                fenceSeconds,
                unhealthy,
                of,
                signer,
                recipient);
    }
}
