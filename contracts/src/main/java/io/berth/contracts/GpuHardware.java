package io.berth.contracts;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a driver tells of a GPU beyond what requests name. A null is what it did not tell.
///
/// @param vendor who makes it: it decides which variables and device files a job gets
/// @param busId PCI address, `0000:3b:00.0`
/// @param computeCapability such as `9.0`
/// @param cpus the CPUs nearest to it, by the node's ids
/// @param powerLimitWatts the limit that is enforced now
/// @param ecc whether its memory corrects errors now
/// @param switchLinks the active NVLinks to each NVSwitch, by the switch's PCI address
/// @param fabric where it stands in an NVLink fabric of several nodes
/// @param mig what part of a split GPU this is; null for a whole one
/// @param renderMinor number of its `/dev/dri/renderDN`, on AMD's
public record GpuHardware(
        Vendor vendor,
        String busId,
        @Nullable String serial,
        @Nullable String computeCapability,
        @Nullable IndexSet cpus,
        @Nullable Integer powerLimitWatts,
        @Nullable Boolean ecc,
        Map<String, Integer> switchLinks,
        @Nullable Fabric fabric,
        @Nullable MigInstance mig,
        @Nullable Integer renderMinor) {

    public enum Vendor {
        NVIDIA,
        AMD
    }

    /// A place in an NVLink fabric: GPUs of the same cluster and clique reach one another by
    /// NVLink, whatever node they are in.
    ///
    /// @param cluster UUID of the NVLink domain
    public record Fabric(String cluster, int clique) {}

    /// A compute instance of a GPU that is split by MIG.
    ///
    /// @param parent UUID of the GPU
    /// @param gpuInstance the GPU instance's id
    /// @param computeInstance the compute instance's id in it
    /// @param capabilities minor numbers of the `nvidia-caps` devices that open it
    public record MigInstance(
            String parent, int gpuInstance, int computeInstance, IndexSet capabilities) {}

    public GpuHardware {
        switchLinks = Collections.unmodifiableMap(new TreeMap<>(switchLinks));
    }
}
