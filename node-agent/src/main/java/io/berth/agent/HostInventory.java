package io.berth.agent;

import io.berth.agent.host.AmdGpus;
import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.host.GpuProfile;
import io.berth.agent.host.HardwareFiles;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.agent.host.SystemFiles;
import io.berth.agent.nvml.NvidiaGpus;
import io.berth.contracts.Gres;
import io.berth.contracts.Hardware;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/// The machine as it was found: the kernel's word and the drivers'.
///
/// @param gres resources other than GPUs, which an operator names
record HostInventory(Host host, FoundGpus gpus, Hardware hardware, List<Gres> gres) {

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
        return new HostInventory(host, gpus, HardwareFiles.read(files, host, gpus), List.of());
    }

    /// The machine with other resources beside its GPUs.
    HostInventory having(List<Gres> others) {
        return new HostInventory(host, gpus, hardware, others);
    }

    /// The machine without those GPUs, by UUID.
    HostInventory without(Map<String, Aside> aside) {
        FoundGpus left = gpus.without(aside);
        return new HostInventory(
                host, left, HardwareFiles.read(SystemFiles.HERE, host, left), gres);
    }

    /// The node that stands for the machine.
    LocalNode node(String name) {
        LocalNode node = LocalNode.host(host, name, gpus, hardware);
        return node.with(node.inventory().having(gres));
    }

    /// The node that stands for the machine and pretends to have the GPUs of a profile.
    LocalNode node(String name, GpuProfile profile) {
        LocalNode node = LocalNode.declared(host, name, profile, hardware);
        return node.with(node.inventory().having(gres));
    }
}
