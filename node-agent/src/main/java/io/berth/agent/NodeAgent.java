package io.berth.agent;

import io.berth.agent.host.GresFile;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.agent.host.MachineIdentity;
import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.Launcher;
import io.berth.agent.launch.OutputReading;
import io.berth.agent.launch.Outputs;
import io.berth.contracts.Allocation;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Gres;
import io.berth.contracts.Hardware;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent of one node: it registers, obeys the orders of the epoch that it was granted, and
/// keeps the node's runs. Orders are read to it by one thread; anybody may look at it.
///
/// ```
/// UNREGISTERED ── registration ──▶ REGISTERING ── Sync ──▶ IN_EPOCH
///       ▲                              │    │                 │
///       └─────── no Sync in time ──────┘    └─ Refused ─┐     ├── gap in numbers ──▶ UNREGISTERED
///                                                       ▼     ▼
///                                                       STOPPED ◀── order not understood
/// ```
public final class NodeAgent implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);

    public enum Standing {
        UNREGISTERED,
        REGISTERING,
        IN_EPOCH,
        /// It obeys nobody any more; its runs go on. A person must look.
        STOPPED
    }

    /// How long things take.
    ///
    /// @param syncTimeout after which an unanswered registration is repeated
    /// @param killGrace between TERM and KILL where no order says it
    /// @param fenceAfter see [Lease]
    /// @param lowUse after which a run whose GPUs are hardly used is told of
    record Timing(
            Duration syncTimeout,
            Duration killGrace,
            @Nullable Duration fenceAfter,
            GpuUse.Rule lowUse) {}

    /// Where the agent stands, at one moment.
    ///
    /// @param why what stopped it
    public record Status(Standing standing, long epoch, long applied, @Nullable String why) {}

    private volatile LocalNode node;

    /// Its other resources as they were found at the start, with device files that are gone for a
    /// while.
    private final List<Gres> gres;

    private volatile boolean changed;
    private volatile @Nullable String unhealthy;
    private volatile Supplier<List<GpuSample>> samples = List::of;
    private volatile Consumer<Order.Partition> divider = this::cannotDivide;
    private final MachineIdentity machine;
    private final String version;
    private final Timing timing;
    private final Outbox outbox;
    private final NodeRuns runs;
    private final Lease lease;

    private volatile Status status = new Status(Standing.UNREGISTERED, 0, 0, null);
    private String nonce = "";
    private List<HeldRun> told = List.of();
    private long ordersFrom;
    private long syncDue;

    /// Takes up what an earlier agent left in the node's spool.
    ///
    /// @param ended called when a run's part has ended
    NodeAgent(
            LocalNode node,
            MachineIdentity machine,
            String version,
            Timing timing,
            Spool spool,
            Launcher launcher,
            Outbox.Log reports,
            Consumer<RunEnd> ended)
            throws IOException {
        this.node = node;
        this.gres = node.inventory().gres();
        this.machine = machine;
        this.version = version;
        this.timing = timing;
        this.lease = spool.lease(timing.fenceAfter());
        this.outbox = new Outbox(node.name().value(), reports);
        this.runs =
                new NodeRuns(
                        this::node,
                        spool,
                        machine.bootId(),
                        launcher,
                        outbox,
                        timing.killGrace(),
                        new GpuMeters(timing.lowUse()),
                        ended,
                        this::unfit);
    }

    public LocalNode node() {
        return node;
    }

    public NodeName name() {
        return node.name();
    }

    public Status status() {
        return status;
    }

    public List<HeldRun> runs() {
        return runs.held();
    }

    /// How many runs it has, in whatever phase.
    int runCount() {
        return runs.ids().size();
    }

    /// Whether a run of the job is here.
    boolean runs(JobId job) {
        return runs.has(job);
    }

    /// Where a job wrote here; nothing if it did not run here, or too long ago.
    Optional<Outputs.Kept> wrote(JobId job) throws IOException {
        return runs.wrote(job);
    }

    /// What a job wrote here, read under its account.
    ///
    /// @param from the first byte; negative counts from the end
    /// @throws LaunchRefused if its account is gone
    OutputReading output(Outputs.Kept wrote, boolean error, long from)
            throws LaunchRefused, IOException, InterruptedException {
        return runs.output(wrote, error, from);
    }

    /// A run that begins or ends here, once it has done so or the time is over; nothing if it is
    /// not here.
    ///
    /// @param deadline of [System#nanoTime]
    Optional<RunPart> awaitBegun(RunId run, long deadline) throws InterruptedException {
        return runs.awaitBegun(run, deadline);
    }

    /// The node has other GPUs than before: it registers anew, and its runs go on.
    synchronized void offer(Inventory inventory) {
        has(inventory);
        changed = true;
    }

    /// What is wrong with the machine, null if it is well: the node registers anew when that
    /// changes.
    void unhealthy(@Nullable String why) {
        if (!Objects.equals(unhealthy, why)) {
            LOG.atWarn()
                    .addKeyValue("node", name())
                    .addKeyValue("why", why)
                    .log(why == null ? "The machine is well again" : "The machine is not well");
            unhealthy = why;
            changed = true;
        }
    }

    /// The node has other GPUs for a while, which is told if it registers meanwhile.
    synchronized void has(Inventory inventory) {
        node =
                node.with(
                        inventory
                                .having(GresFile.present(gres, node.said()))
                                .enforcing(node.inventory().isolation()));
        runs.know(inventory);
    }

    /// Who divides GPUs; must offer the inventory that comes of each order, whatever it is.
    void divider(Consumer<Order.Partition> by) {
        divider = by;
    }

    private synchronized void cannotDivide(Order.Partition order) {
        Inventory inventory = node.inventory();
        offer(
                inventory.withMig(
                        order.gpu(),
                        gpu -> gpu.split(gpu.instances(), "no GPUs are divided here")));
    }

    /// Where its heartbeats find what the GPUs do.
    void samples(Supplier<List<GpuSample>> source) {
        samples = source;
    }

    /// What the node's GPUs did when they were last sampled.
    public List<GpuSample> samples() {
        return samples.get();
    }

    /// What its runs do with the GPUs that they hold.
    GpuMeters meters() {
        return runs.meters();
    }

    /// A GPU has failed: the runs that hold it, or an instance of it, say so when they end, and end
    /// now if it is fatal.
    void gpuFailed(String uuid, String reason, boolean fatal) {
        runs.gpuFailed(uuid, reason, fatal);
    }

    /// Whether a run holds that GPU or an instance of it.
    boolean holds(String uuid) {
        return runs.holds(uuid);
    }

    /// Why one of the GPUs or other devices of a part cannot be had, if one cannot.
    private Optional<String> unfit(Allocation given) {
        Hardware hardware = node.inventory().hardware();
        Optional<String> gpu =
                hardware == null
                        ? Optional.empty()
                        : hardware.outOfService().stream()
                                .filter(it -> it.uuid() != null && given.gpus().contains(it.uuid()))
                                .map(it ->
                                        "GPU " + it.uuid() + " is out of service: " + it.reason())
                                .findFirst();
        return gpu.or(() -> lost(given));
    }

    /// Why one of the device files of a part cannot be had. The node registers anew without it, or
    /// the next run would be sent to it too.
    private synchronized Optional<String> lost(Allocation given) {
        Optional<String> lost = GresFile.lost(given.gres(), node.inventory().gres(), node.said());
        if (lost.isPresent()) {
            LOG.atWarn()
                    .addKeyValue("node", name())
                    .addKeyValue("file", lost.get())
                    .log("A device file is gone");
            offer(node.inventory());
        }
        return lost.map(file -> "device file %s of node %s is gone".formatted(file, name()));
    }

    /// Offers device files that were gone and are there again.
    private synchronized void lookForLost() {
        List<Gres> now = node.inventory().gres();
        if (!now.equals(gres) && !now.equals(GresFile.present(gres, node.said()))) {
            offer(node.inventory());
        }
    }

    /// What was written of it at that time, in milliseconds since boot, stands in the log.
    void heard(long written) {
        lease.heard(written);
    }

    /// A node that was not heard for too long obeys nothing that was ordered before: its runs are
    /// others' by now, or soon will be.
    private void leaveIfCutOff() {
        if (status.standing() == Standing.IN_EPOCH && lease.over()) {
            LOG.atWarn()
                    .addKeyValue("node", name())
                    .addKeyValue("runs", runs.ids())
                    .log("Cut off from the log for too long: the node's runs are ended");
            runs.fence();
            leaveEpoch();
        }
    }

    /// Whether it must register now.
    public boolean unregistered() {
        leaveIfCutOff();
        return switch (status.standing()) {
            case UNREGISTERED -> true;
            case REGISTERING -> System.nanoTime() - syncDue >= 0;
            case IN_EPOCH -> {
                lookForLost();
                if (changed) {
                    leaveEpoch();
                }
                yield changed;
            }
            case STOPPED -> false;
        };
    }

    /// Its place in the orders is lost: it must register again.
    public void leaveEpoch() {
        Status before = status;
        if (before.standing() != Standing.STOPPED) {
            status = new Status(Standing.UNREGISTERED, before.epoch(), before.applied(), null);
        }
    }

    /// Begins a registration: no report is written any more until the Sync. Whether the last one
    /// stands in the log; if not, try again.
    public boolean silence(Duration limit) throws InterruptedException {
        return outbox.pause(limit);
    }

    /// What is to be written to register. Answers are read from that offset on.
    ///
    /// @param ordersEnd the end of the node's partition of orders, read before this
    /// @param reportsEnd the end of the partition of reports, read after `held`
    /// @param held the node's runs, after [#silence]
    public NodeSeen register(long ordersEnd, long reportsEnd, List<HeldRun> held) {
        nonce = UUID.randomUUID().toString();
        changed = false;
        told = held;
        ordersFrom = ordersEnd;
        syncDue = System.nanoTime() + timing.syncTimeout().toNanos();
        status = new Status(Standing.REGISTERING, 0, 0, null);
        return new NodeSeen(
                node.name(),
                nonce,
                machine.machineId(),
                machine.bootId(),
                version,
                node.inventory(),
                held,
                reportsEnd,
                lease.seconds(),
                unhealthy);
    }

    /// Takes an order of the node's partition.
    public void read(long offset, Order order) {
        leaveIfCutOff();
        if (offset < ordersFrom) {
            return;
        }
        switch (order) {
            case Order.Sync sync -> sync(sync);
            case Order.Refused refused -> {
                if (awaits(refused.nonce())) {
                    stopObeying(refused.why());
                }
            }
            case Order.Launch launch -> numbered(launch, () -> runs.launch(launch));
            case Order.Go go -> numbered(go, () -> runs.go(go.run()));
            case Order.Stop stop -> numbered(stop, () -> runs.stop(stop));
            case Order.Signal signal -> numbered(signal, () -> runs.signal(signal));
            case Order.Suspend it -> numbered(it, () -> runs.suspend(it));
            case Order.Resume it -> numbered(it, () -> runs.resume(it.run()));
            case Order.Partition it -> numbered(it, () -> divider.accept(it));
            case Order.Limit limit ->
                    numbered(limit, () -> runs.limit(limit.run(), limit.timeLimitSeconds()));
        }
    }

    /// Stops obeying for good; its runs go on.
    public void stopObeying(String why) {
        LOG.atError().addKeyValue("node", name()).addKeyValue("why", why).log("Agent stopped");
        Status before = status;
        status = new Status(Standing.STOPPED, before.epoch(), before.applied(), why);
    }

    /// The node is alive, if it is in an epoch.
    public Optional<Heartbeat> heartbeat() throws IOException {
        Status now = status;
        if (now.standing() != Standing.IN_EPOCH) {
            return Optional.empty();
        }
        return Optional.of(
                new Heartbeat(
                        name(),
                        now.epoch(),
                        now.applied(),
                        runs.ids(),
                        Host.loadPercent(),
                        Host.memoryUsedMib(),
                        samples(),
                        runs.used()));
    }

    /// Begins to end all runs.
    void stopAll() {
        runs.stopAll();
    }

    /// Waits until all runs have ended and that stands in the log, until then at most.
    ///
    /// @param deadline of [System#nanoTime]
    void awaitStopped(long deadline) throws InterruptedException {
        runs.awaitEnds(deadline);
        if (!outbox.drain(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
            LOG.atWarn().addKeyValue("node", name()).log("Reports wait for the next start");
        }
    }

    /// Lets go of the runs, which go on.
    @Override
    public void close() throws IOException {
        runs.close();
        outbox.close();
    }

    private boolean awaits(String answered) {
        return status.standing() == Standing.REGISTERING && answered.equals(nonce);
    }

    private void sync(Order.Sync sync) {
        if (!awaits(sync.nonce())) {
            return;
        }
        status = new Status(Standing.IN_EPOCH, sync.epoch(), 0, null);
        outbox.open(sync.epoch());
        runs.keepOnly(Set.copyOf(sync.wanted()), told);
        LOG.atInfo()
                .addKeyValue("node", name())
                .addKeyValue("epoch", sync.epoch())
                .addKeyValue("runs", runs.ids())
                .log("Registered");
    }

    private void numbered(Order order, Runnable obey) {
        Status now = status;
        if (now.standing() != Standing.IN_EPOCH
                || order.epoch() != now.epoch()
                || order.number() <= now.applied()) {
            return;
        }
        if (order.number() != now.applied() + 1) {
            LOG.atWarn()
                    .addKeyValue("node", name())
                    .addKeyValue("expected", now.applied() + 1)
                    .addKeyValue("found", order.number())
                    .log("Orders missing, registering again");
            leaveEpoch();
            return;
        }
        // What the order brings about may be reported before it has returned.
        outbox.applied(order.number());
        obey.run();
        status = new Status(Standing.IN_EPOCH, now.epoch(), order.number(), null);
    }
}
