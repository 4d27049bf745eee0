package io.berth.agent;

import io.berth.agent.gpu.GpuTest;
import io.berth.agent.gpu.GpuWatch;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.contracts.Inventory;
import java.io.Closeable;
import java.util.Map;
import java.util.Optional;

/// The GPUs that a machine really has, watched for the agent of its node: those that fail leave its
/// inventory and come back when they pass, and the runs on them are told.
final class NodeGpus implements GpuWatch.Listener, Closeable {

    private final NodeAgent agent;
    private final HostInventory found;
    private final Optional<GpuWatch> watch;

    private NodeGpus(NodeAgent agent, HostInventory found, AgentConfig config) {
        this.agent = agent;
        this.found = found;
        this.watch =
                GpuWatch.start(
                        config.nvmlLibrary(),
                        new GpuWatch.Timing(config.heartbeat(), config.gpuPatience()),
                        new GpuTest(config.gpuTest()),
                        this);
        watch.ifPresent(it -> agent.samples(it::samples));
    }

    /// Begins to watch.
    static NodeGpus watch(NodeAgent agent, HostInventory found, AgentConfig config) {
        return new NodeGpus(agent, found, config);
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
    public boolean free(String uuid) {
        return !agent.holds(uuid);
    }

    @Override
    public void close() {
        watch.ifPresent(GpuWatch::close);
    }
}
