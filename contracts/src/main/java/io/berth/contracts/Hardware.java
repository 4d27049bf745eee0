package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a machine is made of, beyond what placement counts.
///
/// @param numaNodes by id
/// @param hugePages by size
/// @param tmpMib size in MiB of the file system that holds /tmp
/// @param drivers the GPU drivers that were looked for, each with what was found
/// @param outOfService GPUs that are in the machine and that no job gets
/// @param imexChannels numbers of the channels by which GPUs of several nodes share memory; null if
///   there are none
/// @param cores of each CPU, by the node's ids, the number of its core: CPUs with one number are
///   threads of one core; empty if it is not told
public record Hardware(
        List<NumaNode> numaNodes,
        List<HugePages> hugePages,
        long tmpMib,
        List<GpuDriver> drivers,
        List<OutOfService> outOfService,
        @Nullable IndexSet imexChannels,
        @Added @JsonInclude(Include.NON_EMPTY) List<Integer> cores) {

    public Hardware {
        cores = cores == null ? List.of() : List.copyOf(cores);
        numaNodes = List.copyOf(numaNodes);
        hugePages = List.copyOf(hugePages);
        drivers = List.copyOf(drivers);
        outOfService = List.copyOf(outOfService);
    }

    /// Of a machine without channels, of whose cores nothing is told.
    public Hardware(
            List<NumaNode> numaNodes,
            List<HugePages> hugePages,
            long tmpMib,
            List<GpuDriver> drivers,
            List<OutOfService> outOfService) {
        this(numaNodes, hugePages, tmpMib, drivers, outOfService, null, List.of());
    }

    /// A NUMA node.
    ///
    /// @param cpus the CPUs in it, by the node's ids; empty if it has memory alone
    public record NumaNode(int id, IndexSet cpus, long memoryMib) {}

    /// Huge pages that the kernel has set aside.
    public record HugePages(long sizeKib, long count) {}

    /// What was found of a vendor's driver.
    ///
    /// @param version the driver's
    /// @param api the newest version of the computing interface that it speaks, such as CUDA's
    ///   `12.4`
    /// @param problem why it tells nothing, in one line; null if all is well
    public record GpuDriver(
            GpuHardware.Vendor vendor,
            @Nullable String version,
            @Nullable String api,
            @Nullable String problem) {}

    /// A GPU that no job gets.
    ///
    /// @param index its place in PCI order
    /// @param uuid null if it does not even tell that
    /// @param health why it stands aside
    /// @param reason in one line
    public record OutOfService(
            int index,
            @Nullable String uuid,
            @Nullable String busId,
            Health health,
            String reason) {}

    /// The way of a GPU out of service and back.
    public enum Health {
        HEALTHY,
        /// An error was seen that may pass: the GPU still works, and is watched.
        SUSPECT,
        /// An error was seen that does not pass: no new job gets it.
        DRAINED,
        /// It is empty and is being tried.
        TESTING,
        /// It does not answer: nothing but a reset or a reboot brings it back.
        LOST
    }
}
