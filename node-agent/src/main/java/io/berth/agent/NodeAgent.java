package io.berth.agent;

import io.berth.agent.NodeOrders.Status;
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
import io.berth.log.Clocks;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent of one node: what the node has, its place in the orders and its runs.
public final class NodeAgent implements NodeOrders.Node, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);

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
    private final NodeSeen.Life life;
    private final Outbox outbox;
    private final NodeRuns runs;
    private final NodeOrders orders;

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
        this.life = spool.life();
        Lease lease = spool.lease(timing.fenceAfter());
        this.outbox = new Outbox(node.name().value(), reports, Clocks.SYSTEM);
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
        this.orders =
                new NodeOrders(
                        this, runs.ordered(), outbox, lease, Clocks.SYSTEM, timing.syncTimeout());
        outbox.start();
    }

    public LocalNode node() {
        return node;
    }

    @Override
    public NodeName name() {
        return node.name();
    }

    /// Its place in the orders.
    NodeOrders orders() {
        return orders;
    }

    public Status status() {
        return orders.status();
    }

    public List<HeldRun> runs() {
        return orders.held();
    }

    /// How many runs it has, in whatever phase.
    int runCount() {
        return runs.ordered().ids().size();
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

    /// A GPU, or an instance of one, has failed: the runs that hold it, or an instance of it, say
    /// so when they end, and end now if it is fatal.
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

    @Override
    public boolean changed() {
        lookForLost();
        return changed;
    }

    @Override
    public NodeSeen seen(
            String nonce, List<HeldRun> held, long reportsEnd, @Nullable Long fenceSeconds) {
        changed = false;
        return new NodeSeen(
                name(),
                nonce,
                machine.machineId(),
                machine.bootId(),
                version,
                node.inventory(),
                held,
                reportsEnd,
                fenceSeconds,
                unhealthy,
                life,
                null,
                null);
    }

    @Override
    public void divide(Order.Partition order) {
        divider.accept(order);
    }

    @Override
    public Heartbeat heartbeat(long epoch, long applied) throws IOException {
        return new Heartbeat(
                name(),
                epoch,
                applied,
                runs.ordered().ids(),
                Host.loadPercent(),
                Host.memoryUsedMib(),
                samples(),
                runs.used());
    }

    /// Begins to end all runs.
    void stopAll() {
        runs.ordered().stopAll();
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
}
