package io.berth.agent;

import io.berth.agent.gpu.GpuEnergy;
import io.berth.agent.gpu.GpuTrial;
import io.berth.agent.gpu.GpuWatch;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.launch.Commands;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Inventory;
import java.io.Closeable;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The GPUs that a machine really has, watched for the agent of its node: those that fail leave its
/// inventory and come back when they pass, and the runs on them are told.
final class NodeGpus implements GpuWatch.Listener, Closeable {

    private final NodeAgent agent;
    private final HostInventory found;
    private final Optional<GpuEnergy> energy;
    private final Optional<GpuWatch> watch;

    private NodeGpus(NodeAgent agent, HostInventory found, AgentConfig config, Commands commands) {
        this.agent = agent;
        this.found = found;
        this.energy = GpuEnergy.open(config.nvmlLibrary());
        energy.ifPresent(it -> agent.meters().read(it::read));
        this.watch =
                GpuWatch.start(
                        config.nvmlLibrary(),
                        new GpuWatch.Timing(config.heartbeat(), config.gpuPatience()),
                        new GpuTrial(config.gpuTest(), commands),
                        this);
        watch.ifPresent(it -> agent.samples(it::samples));
    }

    /// Begins to watch.
    static NodeGpus watch(
            NodeAgent agent, HostInventory found, AgentConfig config, Commands commands) {
        return new NodeGpus(agent, found, config, commands);
    }

    @Override
    public void failed(String uuid, String reason, boolean fatal) {
        agent.gpuFailed(uuid, reason, fatal);
    }

    @Override
    public void aside(Map<String, Aside> gpus) {
        Inventory left = found.without(gpus).node(agent.name().value()).inventory();
        agent.offer(left);
    }

    @Override
    public void sampled(List<GpuSample> samples) {
        agent.meters().sampled(samples);
    }

    @Override
    public boolean free(String uuid) {
        return !agent.holds(uuid);
    }

    @Override
    public void close() {
        watch.ifPresent(GpuWatch::close);
        energy.ifPresent(GpuEnergy::close);
    }
}
