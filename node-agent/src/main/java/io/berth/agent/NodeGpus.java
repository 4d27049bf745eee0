package io.berth.agent;

import io.berth.agent.gpu.GpuEnergy;
import io.berth.agent.gpu.GpuTrial;
import io.berth.agent.gpu.GpuWatch;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.launch.Commands;
import io.berth.agent.nvml.MigDriver;
import io.berth.agent.nvml.NvmlSensors.Reading;
import io.berth.contracts.Inventory;
import io.berth.contracts.MigGpu;
import io.berth.contracts.event.Order;
import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The GPUs that a machine really has, for the agent of its node: those that fail leave its
/// inventory and come back when they pass, and the runs on them are told; those in MIG mode are
/// divided as ordered. Those that did not work at the start are looked for until they do.
final class NodeGpus implements GpuWatch.Listener, Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeGpus.class);

    private final NodeAgent agent;
    private final AgentConfig config;
    private final GpuTrial trial;
    private final MigDivider divider;
    private final ScheduledExecutorService looks =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("gpus-later").daemon().factory());

    private volatile Optional<GpuEnergy> energy = Optional.empty();
    private volatile Optional<GpuWatch> watch = Optional.empty();

    private HostInventory found;
    private Map<String, Aside> aside = Map.of();

    /// By UUID, the GPUs in MIG mode that could not be divided, with the reason; empty if nobody
    /// knows what they are.
    private final Map<String, String> troubled = new TreeMap<>();

    /// By UUID, those that came back and were away when the machine was last read.
    private final Set<String> missed = new TreeSet<>();

    private boolean reading;

    /// By UUID, those that are being divided.
    private final Set<String> underway = new TreeSet<>();

    private NodeGpus(NodeAgent agent, HostInventory found, AgentConfig config, Commands commands)
            throws InterruptedException {
        this.agent = agent;
        this.config = config;
        this.trial = GpuTrial.by(config.gpuTest(), commands);
        this.found = found;
        this.divider =
                new MigDivider(
                        new MigDriver(config.nvmlLibrary()),
                        agent::holds,
                        () -> found().again(config),
                        this::divided);
        agent.divider(this::divide);
        if (found.answers()) {
            await(divider.also(this::listen), config.driverWait());
        }
        long patience = config.gpuPatience().toMillis();
        var unused =
                looks.scheduleWithFixedDelay(
                        this::lookAgain, patience, patience, TimeUnit.MILLISECONDS);
    }

    /// Waits for it, so long at most: the driver may hang meanwhile.
    private static void await(Future<?> done, Duration limit) throws InterruptedException {
        try {
            done.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.warn("NVIDIA's driver does not answer: GPUs are watched when it does");
        } catch (ExecutionException e) {
            LOG.atError().setCause(e).log("GPUs are not watched");
        }
    }

    /// Begins to read what the GPUs do, where a driver tells.
    private void listen() {
        energy.ifPresent(GpuEnergy::close);
        energy = GpuEnergy.open(config.nvmlLibrary());
        energy.ifPresent(it -> agent.meters().read(it::read));
        if (watch.isEmpty()) {
            watch =
                    GpuWatch.start(
                            config.nvmlLibrary(),
                            new GpuWatch.Timing(config.heartbeat(), config.gpuPatience()),
                            trial,
                            this);
            watch.ifPresent(it -> agent.samples(it::samples));
        }
    }

    /// Begins to watch, and to divide.
    static NodeGpus watch(
            NodeAgent agent, HostInventory found, AgentConfig config, Commands commands)
            throws InterruptedException {
        return new NodeGpus(agent, found, config, commands);
    }

    /// Until it is done a registration tells that nothing is on the GPU.
    private synchronized void divide(Order.Partition order) {
        underway.add(order.gpu());
        troubled.remove(order.gpu());
        agent.has(inventory());
        divider.begin(order);
    }

    /// The node registers when all are divided.
    private synchronized void divided(
            String gpu, @Nullable HostInventory now, @Nullable String failure) {
        underway.remove(gpu);
        if (failure != null) {
            // Of a machine that cannot be read nobody knows what is on the GPU.
            troubled.put(gpu, now == null ? "" : failure);
        }
        found(now);
    }

    /// The machine was read, or could not be.
    private synchronized void found(@Nullable HostInventory now) {
        found = now == null ? found : now;
        if (underway.isEmpty()) {
            agent.offer(inventory());
        } else {
            agent.has(inventory());
        }
    }

    private synchronized HostInventory found() {
        return found;
    }

    private Inventory inventory() {
        Inventory inventory = found.node(agent.name().value(), aside).inventory();
        for (var trouble : troubled.entrySet()) {
            String gpu = trouble.getKey();
            String why = trouble.getValue();
            inventory =
                    why.isEmpty()
                            ? inventory.emptied(gpu, it -> it.split(List.of(), null))
                            : inventory.withMig(gpu, it -> it.split(it.instances(), why));
        }
        for (String gpu : underway) {
            inventory = inventory.emptied(gpu, MigGpu::underway);
        }
        return inventory;
    }

    @Override
    public void failed(String uuid, String reason, boolean fatal) {
        agent.gpuFailed(uuid, reason, fatal);
    }

    /// A GPU that comes back may have been away when the machine was last read, as it is after each
    /// division.
    @Override
    public synchronized void aside(Map<String, Aside> gpus) {
        aside.keySet().stream()
                .filter(uuid -> !underway.isEmpty() || !found.gpus().has(uuid))
                .forEach(missed::add);
        missed.removeAll(gpus.keySet());
        aside = gpus;
        agent.offer(inventory());
        readMissed();
    }

    /// Reads the machine if GPUs that came back are missing; until they are there, at each sample.
    private synchronized void readMissed() {
        if (!missed.isEmpty() && !reading) {
            reading = true;
            divider.read(this::foundMissed);
        }
    }

    private synchronized void foundMissed(@Nullable HostInventory now) {
        reading = false;
        if (now != null && missed.removeIf(uuid -> now.gpus().has(uuid))) {
            found(now);
        }
    }

    /// Reads the machine if a driver or a GPU did not work when it was last read: at boot the agent
    /// may start before them.
    private synchronized void lookAgain() {
        if (found.troubled() && !reading) {
            reading = true;
            divider.read(this::foundAgain);
        }
    }

    private void foundAgain(@Nullable HostInventory now) {
        boolean better = better(now);
        if (now != null && better) {
            LOG.atInfo()
                    .addKeyValue("node", agent.name())
                    .addKeyValue("gpus", now.gpus().gpus().size())
                    .log("A GPU or a driver works that did not");
            // The driver is asked under no lock: it may hang.
            listen();
            found(now);
        }
    }

    private synchronized boolean better(@Nullable HostInventory now) {
        reading = false;
        return now != null && now.betterThan(found);
    }

    @Override
    public void sampled(List<Reading> readings) {
        agent.meters().sampled(readings);
        readMissed();
    }

    @Override
    public boolean free(String uuid) {
        return !agent.holds(uuid);
    }

    @Override
    public void close() {
        looks.shutdownNow();
        divider.close();
        watch.ifPresent(GpuWatch::close);
        energy.ifPresent(GpuEnergy::close);
    }
}
