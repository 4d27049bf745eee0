package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a node has.
///
/// @param cpus logical CPUs, with ids from 0
/// @param memoryMib memory in MiB that jobs may have
/// @param gpus the GPUs, by index
/// @param isolation what the agent can enforce and has verified on this host
/// @param simulated whether GPUs, or all of it, are declared and not there
/// @param profile the declared profile, if any, such as `dgx-a100`
public record Inventory(
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        int cpus,
        long memoryMib,
        List<Gpu> gpus,
        List<Isolation> isolation,
        boolean simulated,
        @Nullable String profile,
        String os,
        String architecture) {

    public Inventory {
        gpus = List.copyOf(gpus);
        isolation = isolation.stream().distinct().sorted().toList();
    }
}
