package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.GpuSample;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import java.util.List;

/// A node is alive, every 5 seconds.
///
/// @param applied highest order number applied in this epoch
/// @param runs the runs that are prepared or running
/// @param loadPercent 1-minute load average of the host, in hundredths
/// @param memoryUsedMib memory in use on the host
/// @param gpus what its GPUs are doing, as far as they say
/// @param used what the runs whose code runs have used on it so far
public record Heartbeat(
        NodeName node,
        long epoch,
        long applied,
        List<RunId> runs,
        int loadPercent,
        long memoryUsedMib,
        @Added @JsonInclude(Include.NON_EMPTY) List<GpuSample> gpus,
        @Added @JsonInclude(Include.NON_EMPTY) List<RunUsage> used) {

    public Heartbeat {
        runs = List.copyOf(runs);
        gpus = gpus == null ? List.of() : List.copyOf(gpus);
        used = used == null ? List.of() : List.copyOf(used);
    }

    /// A heartbeat of a node that tells nothing of GPUs and of what runs use.
    public Heartbeat(
            NodeName node,
            long epoch,
            long applied,
            List<RunId> runs,
            int loadPercent,
            long memoryUsedMib) {
        this(node, epoch, applied, runs, loadPercent, memoryUsedMib, List.of(), List.of());
    }
}
