package io.berth.agent;

import io.berth.agent.host.AmdGpus;
import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.host.GpuProfile;
import io.berth.agent.host.GresFile;
import io.berth.agent.host.HardwareFiles;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.agent.host.PinnedGpus;
import io.berth.agent.host.StartRefused;
import io.berth.agent.host.SystemFiles;
import io.berth.agent.nvml.NvidiaGpus;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.MigGpu;
import io.berth.slurm.GresConf;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;

/// The machine as it was found: the kernel's word and the drivers'.
///
/// @param files in which the kernel tells of it
/// @param gpus as the drivers tell of them
/// @param gres what an operator says of them, and of other resources
record HostInventory(SystemFiles files, Host host, FoundGpus gpus, GresConf gres) {

    /// Reads it; of its CPUs and memory jobs get what the settings leave. A driver that does not
    /// answer in time is one that does not work.
    ///
    /// @throws StartRefused if what is set, or said of the GPUs, and what was found are at odds
    static HostInventory read(SystemFiles files, AgentConfig config)
            throws IOException, InterruptedException {
        Host host = host(files, config);
        FoundGpus gpus =
                NvidiaGpus.within(config.driverWait(), config.nvmlLibrary(), files, host)
                        .and(AmdGpus.find(files, host));
        String name = name(host, config);
        GresConf gres =
                config.gresConf().map(file -> GresFile.read(file, name)).orElse(GresConf.NONE);
        var found = new HostInventory(files, host, gpus, gres);
        return config.gpuProfile().isEmpty() ? found.checked() : found;
    }

    /// The same, read again. It takes as long as the driver takes, or a GPU hangs.
    HostInventory again(AgentConfig config) throws IOException {
        Host now = host(files, config);
        FoundGpus found =
                NvidiaGpus.find(config.nvmlLibrary(), files, now, gpus.taken())
                        .and(AmdGpus.find(files, now));
        return new HostInventory(files, now, found, gres);
    }

    private static Host host(SystemFiles files, AgentConfig config) throws IOException {
        return Host.read(files).without(files, config.reservedCpus(), config.reservedMemory());
    }

    /// Whether a driver or a GPU does not work.
    boolean troubled() {
        return problems() > 0 || !gpus.outOfService().isEmpty();
    }

    /// Whether NVIDIA's driver answers: what it is asked may hang otherwise.
    boolean answers() {
        return gpus.drivers().stream()
                .anyMatch(it -> it.vendor() == Vendor.NVIDIA && it.problem() == null);
    }

    /// Whether a driver or a GPU works that did not.
    boolean betterThan(HostInventory before) {
        return problems() < before.problems()
                || Stream.concat(
                                gpus.gpus().stream().map(FoundGpus::physical),
                                gpus.migGpus().stream().map(MigGpu::uuid))
                        .anyMatch(uuid -> !before.gpus().has(uuid));
    }

    private long problems() {
        return gpus.drivers().stream().filter(driver -> driver.problem() != null).count();
    }

    private HostInventory checked() {
        pinned().contradictions().stream()
                .findFirst()
                .ifPresent(it -> {
                    throw GresFile.refused(it);
                });
        return this;
    }

    /// The name of the node that stands for the machine.
    String name(AgentConfig config) {
        return name(host, config);
    }

    private static String name(Host host, AgentConfig config) {
        return config.name().orElse(host.name());
    }

    /// The node that stands for the machine, with the GPUs that it has or pretends to have.
    LocalNode node(AgentConfig config) {
        String name = name(config);
        if (config.gpuProfile().isEmpty()) {
            return node(name, Map.of());
        }
        GpuProfile profile = GpuProfile.named(config.gpuProfile().get());
        var hardware = HardwareFiles.read(files, host, gpus);
        return LocalNode.declared(host, name, profile, hardware).saying(gres);
    }

    /// The node with the GPUs that the machine has, without those, by UUID.
    LocalNode node(String name, Map<String, Aside> aside) {
        FoundGpus left = pinned().gpus().without(aside);
        var hardware = HardwareFiles.read(files, host, left);
        return LocalNode.host(host, name, left, hardware).saying(gres);
    }

    private PinnedGpus.Pinned pinned() {
        return PinnedGpus.of(gpus, gres, files, host);
    }
}
