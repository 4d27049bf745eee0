package io.berth.agent;

import io.berth.agent.group.ApartGroup;
import io.berth.agent.group.ContainerLeaf;
import io.berth.agent.group.Groups;
import io.berth.agent.group.HostGroups;
import io.berth.agent.host.LocalNode;
import io.berth.agent.host.MachineIdentity;
import io.berth.agent.host.StartRefused;
import io.berth.agent.host.SystemFiles;
import io.berth.agent.host.VirtualNodes;
import io.berth.agent.kafka.AgentLog;
import io.berth.agent.kafka.OrderReader;
import io.berth.agent.kafka.SpecsTopic;
import io.berth.agent.launch.Commands;
import io.berth.agent.launch.HostCheck;
import io.berth.agent.launch.Launcher;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.SpoolWatch;
import io.berth.agent.launch.SystemdScope;
import io.berth.contracts.Hardware;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.log.Clocks;
import io.berth.log.KafkaConnection;
import io.berth.log.KeyExchange;
import io.berth.log.SigningKey;
import io.berth.log.TopicDeclarations;
import io.berth.log.TrustedKeys;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All agents of one process, with what they share: host, groups, shims, connections.
public final class AgentProcess implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(AgentProcess.class);

    /// How long the end of runs may take beyond the kill grace.
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(5);

    /// How long the shims of runs that have ended may take to go.
    private static final Duration SHIMS_LIMIT = Duration.ofSeconds(2);

    private final List<NodeAgent> agents = new ArrayList<>();
    private final List<Closeable> shared = new ArrayList<>();
    private final AgentConfig.OnShutdown onShutdown;
    private final Duration killGrace;
    private final OrderLoop loop;
    private Optional<SystemdScope> scope = Optional.empty();

    /// Opens the spools, tries what the host can enforce, adopts what runs and begins to register.
    ///
    /// @param ended called when a run's part has ended
    /// @throws StartRefused if the configuration or the host does not allow it
    public AgentProcess(
            AgentConfig config,
            String version,
            KafkaConnection connection,
            TopicDeclarations declarations,
            Consumer<RunEnd> ended)
            throws IOException, InterruptedException {
        this(SystemFiles.HERE, config, version, connection, declarations, ended);
    }

    /// The same on a machine of which the kernel tells in these files.
    AgentProcess(
            SystemFiles files,
            AgentConfig config,
            String version,
            KafkaConnection connection,
            TopicDeclarations declarations,
            Consumer<RunEnd> ended)
            throws IOException, InterruptedException {
        onShutdown = config.onShutdown();
        killGrace = config.killGrace();
        var exchange = new KeyExchange();
        var log =
                shared(
                        new AgentLog(
                                connection::smallProducer, config.cell(), key(config), exchange));
        try {
            NodeHealth.check(config);
            open(machine(files, config), config, version, connection, log, ended);
        } catch (IOException | InterruptedException | RuntimeException e) {
            closeShared();
            throw e;
        }
        var heartbeats = shared(new Heartbeats(log));
        List<NodeOrders> nodes = agents.stream().map(NodeAgent::orders).toList();
        heartbeats.start(nodes, config.heartbeat());
        var orders = new OrderReader(config.placementKeys().map(TrustedKeys::new), exchange);
        loop =
                new OrderLoop(
                        connection,
                        declarations,
                        log,
                        orders,
                        nodes,
                        new GatewayRequests(agents, Clocks.SYSTEM),
                        Clocks.SYSTEM);
        loop.start();
    }

    private static Optional<SigningKey> key(AgentConfig config) {
        return config.nodeKey()
                .map(file -> {
                    try {
                        return SigningKey.of(file);
                    } catch (IOException e) {
                        throw new StartRefused("berth.agent.node-key: " + e.getMessage());
                    }
                });
    }

    private void open(
            HostInventory found,
            AgentConfig config,
            String version,
            KafkaConnection connection,
            AgentLog log,
            Consumer<RunEnd> ended)
            throws IOException, InterruptedException {
        List<LocalNode> nodes = nodes(config, found);
        Path home = Files.createDirectories(config.home()).toRealPath();
        var spools = new ArrayList<Spool>();
        for (LocalNode node : nodes) {
            spools.add(shared(Spool.open(home, node.name())));
        }
        String parent = groups(config);
        Launcher best =
                new HostLauncher(config, home, nodes, parent)
                        .open(shared(new SpecsTopic(connection)), shared(new SpoolWatch()));
        ApartGroup apart = ApartGroup.make(parent);
        shared.add(() -> apart.remove(stops() ? SHIMS_LIMIT : Duration.ZERO));
        best.shims().standIn(apart.entrances());
        shared(best.shims());
        shared(best.spans());
        Tried tried = tried(best, nodes.getFirst(), spools.getFirst());
        require(config.requiredIsolation().orElse(List.of()), tried.isolation());
        Duration fenceAfter = config.fenceAfter().orElse(null);
        if (fenceAfter != null && !tried.launcher().canFence()) {
            throw new StartRefused(
                    "berth.agent.fence-after takes control groups and the compiled shim, which are not here");
        }
        var timing =
                new NodeAgent.Timing(
                        config.syncTimeout(),
                        config.killGrace(),
                        fenceAfter,
                        new GpuUse.Rule(config.lowGpuUse(), config.lowGpuUseAfter()));
        MachineIdentity machine = MachineIdentity.read(home);
        for (int i = 0; i < nodes.size(); i++) {
            LocalNode node = nodes.get(i).enforcing(tried.isolation());
            agents.add(
                    new NodeAgent(
                            node,
                            machine,
                            version,
                            timing,
                            spools.get(i),
                            tried.launcher(),
                            log::write,
                            ended));
            announce(node, tried.launcher().groups());
            warnOfOpenGpus(node, config.gpusWithoutIsolation());
        }
        Commands commands = tried.launcher().hooks().commands();
        if (config.healthProgram().isPresent()) {
            var program =
                    new HostCheck(config.healthProgram().get(), config.healthLimit(), commands);
            shared(NodeHealth.watch(program, config, agents));
        }
        if (config.host() && config.gpuProfile().isEmpty()) {
            shared(NodeGpus.watch(agents.getFirst(), found, config, commands));
        }
    }

    /// The group above all nodes' groups.
    private String groups(AgentConfig config) throws IOException, InterruptedException {
        String name = config.cgroupParent();
        if (config.systemdScope()) {
            scope = SystemdScope.open(name, config.killGrace(), new Commands());
        }
        if (scope.isPresent()) {
            return scope.get().parent();
        }
        ContainerLeaf.enter(name)
                .ifPresent(leaf ->
                        shared.add(() -> {
                            if (stops()) {
                                leaf.close();
                            }
                        }));
        return name;
    }

    private static HostInventory machine(SystemFiles files, AgentConfig config)
            throws IOException, InterruptedException {
        HostInventory machine = HostInventory.read(files, config);
        machine.gres()
                .unheeded()
                .forEach(it -> LOG.atWarn().addKeyValue("line", it).log("Means nothing here"));
        return machine;
    }

    boolean alive() {
        return loop.alive();
    }

    public List<NodeAgent> agents() {
        return List.copyOf(agents);
    }

    /// Lets go of all runs, or ends them first, as configured.
    @Override
    public void close() throws IOException {
        loop.close();
        if (stops()) {
            stopRuns();
        }
        for (NodeAgent agent : agents) {
            agent.close();
        }
        closeShared();
        if (stops() && scope.isPresent()) {
            scope.get().close();
        }
    }

    private boolean stops() {
        return onShutdown == AgentConfig.OnShutdown.STOP;
    }

    private void closeShared() throws IOException {
        for (Closeable each : shared.reversed()) {
            each.close();
        }
    }

    private void stopRuns() {
        agents.forEach(NodeAgent::stopAll);
        long deadline = System.nanoTime() + killGrace.plus(SHUTDOWN_LIMIT).toNanos();
        try {
            for (NodeAgent agent : agents) {
                agent.awaitStopped(deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private <T extends Closeable> T shared(T resource) {
        shared.add(resource);
        return resource;
    }

    /// A launcher and what the host enforces with it, found by a run of nothing.
    private record Tried(Launcher launcher, Set<Isolation> isolation) {

        static Tried with(Launcher launcher, LocalNode node, Spool spool)
                throws IOException, InterruptedException {
            RunFiles files = spool.trial();
            try {
                return new Tried(launcher, launcher.trial(node, files));
            } finally {
                files.remove();
            }
        }
    }

    /// The best groups that the host has, or none where they cannot be used.
    private Tried tried(Launcher best, LocalNode node, Spool spool)
            throws IOException, InterruptedException {
        try {
            return Tried.with(best, node, spool);
        } catch (IOException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("groups", best.groups().description())
                    .log("Groups cannot be used: runs are not limited");
            return Tried.with(best.in(HostGroups.processTrees()), node, spool);
        }
    }

    private static void require(List<Isolation> required, Set<Isolation> enforced) {
        List<Isolation> missing =
                required.stream().filter(it -> !enforced.contains(it)).distinct().toList();
        if (!missing.isEmpty()) {
            throw new StartRefused(
                    "this host cannot enforce %s, which berth.agent.required-isolation demands: it enforces %s"
                            .formatted(missing, enforced));
        }
    }

    private static List<LocalNode> nodes(AgentConfig config, HostInventory found) {
        var nodes = new ArrayList<LocalNode>();
        if (config.host()) {
            nodes.add(found.node(config));
        }
        config.virtual().ifPresent(text -> nodes.addAll(VirtualNodes.of(text, found.host())));
        if (nodes.isEmpty()) {
            throw new StartRefused(
                    "no node to stand for: berth.agent.host is false and berth.agent.virtual is not set");
        }
        if (nodes.stream().map(LocalNode::name).distinct().count() < nodes.size()) {
            throw new StartRefused(
                    "node name '%s' is that of a virtual node too: set berth.agent.name"
                            .formatted(nodes.getFirst().name()));
        }
        return nodes;
    }

    private static void warnOfOpenGpus(LocalNode node, boolean allowed) {
        Inventory inventory = node.inventory();
        if (!inventory.simulated()
                && !inventory.gpus().isEmpty()
                && !inventory.isolation().contains(Isolation.DEVICES)) {
            LOG.atWarn()
                    .addKeyValue("node", node.name())
                    .log(
                            allowed
                                    ? "Every job can open the GPUs of all: this host cannot isolate them"
                                    : "No job gets a GPU: this host cannot isolate them, and berth.agent.gpus-without-isolation is not set");
        }
    }

    private static void announce(LocalNode node, Groups groups) {
        var inventory = node.inventory();
        LOG.atInfo()
                .addKeyValue("node", node.name())
                .addKeyValue("cpus", inventory.cpus())
                .addKeyValue("memoryMib", inventory.memoryMib())
                .addKeyValue("gpus", inventory.gpus().size())
                .addKeyValue("simulated", inventory.simulated())
                .addKeyValue("groups", groups.description())
                .addKeyValue("isolation", inventory.isolation())
                .log(inventory.simulated() ? "Node with declared GPUs" : "Node");
        Hardware hardware = inventory.hardware();
        if (hardware != null) {
            hardware.drivers().stream()
                    .filter(driver -> driver.problem() != null)
                    .forEach(driver ->
                            LOG.atWarn()
                                    .addKeyValue("vendor", driver.vendor())
                                    .addKeyValue("problem", driver.problem())
                                    .log("GPU driver does not work"));
            hardware.outOfService()
                    .forEach(gpu ->
                            LOG.atWarn()
                                    .addKeyValue("gpu", gpu.index())
                                    .addKeyValue("uuid", gpu.uuid())
                                    .addKeyValue("busId", gpu.busId())
                                    .addKeyValue("reason", gpu.reason())
                                    .log("GPU out of service"));
        }
    }
}
