package io.berth.contracts;

import java.util.Collection;
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
/// @param links how the GPUs reach one another; null if it is not known
/// @param hardware what else was found; null if it is declared, or written by an older agent
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
        String architecture,
        @Nullable GpuLinks links,
        @Nullable Hardware hardware) {

    public Inventory {
        gpus = List.copyOf(gpus);
        isolation = isolation.stream().distinct().sorted().toList();
        if (links != null && links.rows().size() != gpus.size()) {
            throw new IllegalArgumentException(
                    "links of %d GPUs for %d".formatted(links.rows().size(), gpus.size()));
        }
    }

    /// An inventory of which no more is known.
    public Inventory(
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
        this(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                gpus,
                isolation,
                simulated,
                profile,
                os,
                architecture,
                null,
                null);
    }

    /// The same node, enforcing that.
    public Inventory enforcing(Collection<Isolation> enforced) {
        return new Inventory(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                gpus,
                List.copyOf(enforced),
                simulated,
                profile,
                os,
                architecture,
                links,
                hardware);
    }
}
