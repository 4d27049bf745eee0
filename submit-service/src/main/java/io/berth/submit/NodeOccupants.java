package io.berth.submit;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuShare;
import io.berth.contracts.Gres;
import io.berth.contracts.event.NodeStatus;
import io.berth.submit.Node.Beat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// Adds up what jobs hold on one node.
final class NodeOccupants {
    private final List<Job> jobs = new ArrayList<>();
    private final SequencedMap<String, Job> gpuHolders = new LinkedHashMap<>();
    private final SequencedMap<String, Long> partsHeld = new LinkedHashMap<>();
    private final List<Gres> gresHeld = new ArrayList<>();
    private int cpus;
    private long memoryMib;

    void add(Job job, Allocation allocation) {
        jobs.add(job);
        cpus += allocation.cpus().size();
        memoryMib += allocation.memoryMib();
        allocation.gpus().forEach(uuid -> gpuHolders.put(uuid, job));
        gresHeld.addAll(allocation.gres());
        GpuShare share = allocation.share();
        if (share != null) {
            partsHeld.merge(allocation.gpus().getFirst(), share.amount(), Long::sum);
        }
    }

    Node node(NodeStatus status, @Nullable Beat beat) {
        return new Node(status, cpus, memoryMib, gpuHolders, partsHeld, gresHeld, jobs, beat);
    }
}
