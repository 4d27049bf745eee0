package io.berth.agent.group;

import io.berth.contracts.IndexSet;
import java.util.List;

/// What a run's part may use.
///
/// @param cpus the host's CPUs that it is bound to; empty binds it to none
/// @param processes how many processes and threads it may have at a time; 0 is without a limit
/// @param devices the device files that it may open, such as `c 195:0 rw`
public record Limits(IndexSet cpus, long memoryMib, int processes, List<String> devices) {

    public Limits {
        devices = List.copyOf(devices);
    }

    public long memoryBytes() {
        return Math.multiplyExact(memoryMib, 1L << 20);
    }
}
