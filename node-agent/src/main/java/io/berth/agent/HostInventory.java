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
import io.berth.agent.host.SystemFiles;
import io.berth.agent.nvml.NvidiaGpus;
import io.berth.contracts.MigGpu;
import io.berth.slurm.GresConf;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;

/// The machine as it was found: the kernel's word and the drivers'.
///
/// @param gpus as the drivers tell of them
/// @param gres what an operator says of them, and of other resources
record HostInventory(Host host, FoundGpus gpus, GresConf gres) {

    /// @param nvmlLibrary the NVIDIA driver's library, by name or path
    static HostInventory read(String nvmlLibrary) throws IOException {
        return read(nvmlLibrary, Host.read());
    }

    /// The same, of which jobs get what the settings leave.
    static HostInventory read(AgentConfig config) throws IOException {
        return read(
                config.nvmlLibrary(),
                Host.read().without(config.reservedCpus(), config.reservedMemory()));
    }

    private static HostInventory read(String nvmlLibrary, Host host) throws IOException {
        SystemFiles files = SystemFiles.HERE;
        FoundGpus gpus = NvidiaGpus.find(nvmlLibrary, files, host).and(AmdGpus.find(files, host));
        return new HostInventory(host, gpus, GresConf.NONE);
    }

    /// The machine of which an operator says that.
    HostInventory having(GresConf other) {
        return new HostInventory(host, gpus, other);
    }

    /// Whether a driver or a GPU does not work.
    boolean troubled() {
        return problems() > 0 || !gpus.outOfService().isEmpty();
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

    /// @throws io.berth.agent.host.StartRefused if what the operator says of the GPUs and what was
    ///   found are at odds
    HostInventory checked() {
        pinned().contradictions().stream()
                .findFirst()
                .ifPresent(it -> {
                    throw GresFile.refused(it);
                });
        return this;
    }

    /// The node that stands for the machine.
    LocalNode node(String name) {
        return node(name, Map.of());
    }

    /// The same without those GPUs, by UUID.
    LocalNode node(String name, Map<String, Aside> aside) {
        FoundGpus left = pinned().gpus().without(aside);
        var hardware = HardwareFiles.read(SystemFiles.HERE, host, left);
        LocalNode node = LocalNode.host(host, name, left, hardware);
        return node.saying(gres);
    }

    /// The node that stands for the machine and pretends to have the GPUs of a profile.
    LocalNode node(String name, GpuProfile profile) {
        var hardware = HardwareFiles.read(SystemFiles.HERE, host, gpus);
        LocalNode node = LocalNode.declared(host, name, profile, hardware);
        return node.saying(gres);
    }

    private PinnedGpus.Pinned pinned() {
        return PinnedGpus.of(gpus, gres, SystemFiles.HERE, host);
    }
}
