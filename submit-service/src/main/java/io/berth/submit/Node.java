package io.berth.submit;

import io.berth.contracts.Gres;
import io.berth.contracts.Hardware;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunUsage;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// A node with what jobs hold on it at one moment.
///
/// @param gpuHolders the job that holds a GPU, by its UUID; of a shared one, one of them
/// @param partsHeld hundredths or shards of a shared GPU that are held, by its UUID
/// @param gresHeld other resources as the holders were given them
/// @param jobs in the order of their ids
/// @param beat null if no heartbeat is remembered
public record Node(
        NodeStatus status,
        int cpusHeld,
        long memoryMibHeld,
        SequencedMap<String, Job> gpuHolders,
        SequencedMap<String, Long> partsHeld,
        List<Gres> gresHeld,
        List<Job> jobs,
        @Nullable Beat beat) {
    /// The last heartbeat of a node.
    ///
    /// @param heardAt epoch milliseconds
    /// @param used by the runs on it
    /// @param unwell the GPUs that are not healthy, by UUID
    public record Beat(
            long heardAt,
            int loadPercent,
            long memoryUsedMib,
            List<RunUsage> used,
            Map<String, Hardware.Health> unwell) {}

    public NodeName name() {
        return status.node();
    }

    public Inventory inventory() {
        return status.seen().inventory();
    }

    public boolean up() {
        return status.presence() == Presence.UP;
    }

    /// In Slurm's words. What an operator said of it outranks what it does.
    public String state() {
        NodeHold hold = status.hold();
        if (hold != null) {
            return hold.kind() == NodeHold.Kind.DOWN
                    ? "DOWN"
                    : jobs.isEmpty() ? "DRAINED" : "DRAINING";
        }
        return switch (status.presence()) {
            case DOWN, FENCED -> "DOWN";
            case SILENT, LEFT -> "NOT_RESPONDING";
            case UP ->
                    jobs.isEmpty()
                            ? "IDLE"
                            : cpusHeld >= inventory().cpus() ? "ALLOCATED" : "MIXED";
        };
    }
}
