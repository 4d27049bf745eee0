package io.berth.contracts.event;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.util.List;

/// A node is alive, every 5 seconds.
///
/// @param applied highest order number applied in this epoch
/// @param runs the runs that are prepared or running
/// @param loadPercent 1-minute load average of the host, in hundredths
/// @param memoryUsedMib memory in use on the host
public record Heartbeat(
        NodeName node,
        long epoch,
        long applied,
        List<RunId> runs,
        int loadPercent,
        long memoryUsedMib) {

    public Heartbeat {
        runs = List.copyOf(runs);
    }
}
