package io.berth.agent;

import io.berth.agent.amd.AmdEnergy;
import io.berth.agent.amd.AmdSensors;
import io.berth.agent.gpu.EnergyCounters;
import io.berth.agent.gpu.GpuEnergy;
import io.berth.agent.gpu.GpuSensors;
import io.berth.agent.gpu.GpuSensors.Reading;
import io.berth.agent.gpu.GpuTrial;
import io.berth.agent.gpu.GpuWatch;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.host.SystemFiles;
import io.berth.agent.launch.Commands;
import io.berth.agent.nvml.MigDriver;
import io.berth.agent.nvml.NvmlEnergy;
import io.berth.agent.nvml.NvmlSensors;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Inventory;
import io.berth.contracts.MigGpu;
import io.berth.contracts.event.Order;
import java.io.Closeable;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
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

    /// Each vendor's has a thread of its own: a driver that hangs holds up no other's.
    private final Map<Vendor, GpuEnergy> energies = new ConcurrentSkipListMap<>();

    private final Map<Vendor, GpuWatch> watches = new ConcurrentSkipListMap<>();

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
        agent.samples(this::samples);
        agent.meters().read(this::millijoules);
        listenToAmd();
        if (found.answers()) {
            await(divider.also(this::listenToNvidia), config.driverWait());
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

    private void listenToNvidia() {
        listen(
                Vendor.NVIDIA,
                NvmlEnergy.open(config.nvmlLibrary()),
                () -> NvmlSensors.open(config.nvmlLibrary()));
    }

    private void listenToAmd() {
        SystemFiles files = found().files();
        listen(Vendor.AMD, AmdEnergy.open(files), () -> AmdSensors.open(files));
    }

    /// Begins to read what the GPUs of a vendor do, where its driver tells.
    private void listen(
            Vendor vendor,
            Optional<? extends EnergyCounters> counters,
            Supplier<Optional<? extends GpuSensors>> sensors) {
        if (counters.isPresent()) {
            GpuEnergy before = energies.put(vendor, new GpuEnergy(counters.get()));
            if (before != null) {
                before.close();
            }
        }
        if (!watches.containsKey(vendor)) {
            var timing = new GpuWatch.Timing(config.heartbeat(), config.gpuPatience());
            sensors.get()
                    .ifPresent(it -> watches.put(vendor, GpuWatch.start(it, timing, trial, this)));
        }
    }

    /// By their indices: AMD's come after NVIDIA's.
    private List<GpuSample> samples() {
        return watches.values().stream().flatMap(it -> it.samples().stream()).toList();
    }

    /// The energy counters of GPUs, each from its vendor's driver.
    private CompletableFuture<Map<String, Long>> millijoules(Collection<String> uuids) {
        CompletableFuture<Map<String, Long>> all = CompletableFuture.completedFuture(Map.of());
        for (GpuEnergy energy : energies.values()) {
            List<String> its = uuids.stream().filter(energy::has).toList();
            if (!its.isEmpty()) {
                all = all.thenCombine(energy.read(its), NodeGpus::both);
            }
        }
        return all;
    }

    private static Map<String, Long> both(Map<String, Long> some, Map<String, Long> others) {
        var all = new HashMap<>(some);
        all.putAll(others);
        return all;
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
    public synchronized void aside(Set<String> watched, Map<String, Aside> gpus) {
        var now = new TreeMap<>(aside);
        now.keySet().removeAll(watched);
        now.putAll(gpus);
        aside.keySet().stream()
                .filter(uuid -> !underway.isEmpty() || !found.gpus().has(uuid))
                .forEach(missed::add);
        missed.removeAll(now.keySet());
        aside = now;
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
            listenToNvidia();
            listenToAmd();
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
        watches.values().forEach(GpuWatch::close);
        energies.values().forEach(GpuEnergy::close);
    }
}
