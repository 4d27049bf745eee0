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
import io.berth.contracts.MigGpu;
import io.berth.slurm.GresConf;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The machine as it was found: the kernel's word and the drivers'.
///
/// @param files in which the kernel tells of it
/// @param gpus as the drivers tell of them
/// @param gres what an operator says of them, and of other resources
record HostInventory(SystemFiles files, Host host, FoundGpus gpus, GresConf gres) {

    /// Reads it; of its CPUs and memory jobs get what the settings leave.
    ///
    /// @throws StartRefused if what is set, or said of the GPUs, and what was found are at odds
    static HostInventory read(SystemFiles files, AgentConfig config) throws IOException {
        HostInventory found = read(files, config, GresConf.NONE, List.of());
        GresConf gres =
                config.gresConf()
                        .map(file -> GresFile.read(file, found.name(config)))
                        .orElse(GresConf.NONE);
        var machine = new HostInventory(files, found.host(), found.gpus(), gres);
        return config.gpuProfile().isEmpty() ? machine.checked() : machine;
    }

    /// The same, read again.
    HostInventory again(AgentConfig config) throws IOException {
        return read(files, config, gres, gpus.taken());
    }

    private static HostInventory read(
            SystemFiles files, AgentConfig config, GresConf gres, List<Integer> taken)
            throws IOException {
        Host host = Host.read(files).without(files, config.reservedCpus(), config.reservedMemory());
        FoundGpus gpus =
                NvidiaGpus.find(config.nvmlLibrary(), files, host, taken)
                        .and(AmdGpus.find(files, host));
        return new HostInventory(files, host, gpus, gres);
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
