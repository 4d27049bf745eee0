package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.NodeOrders.Standing;
import io.berth.agent.SimulatedMachine.Folder;
import io.berth.agent.SimulatedMachine.Step;
import io.berth.agent.kafka.AgentLog;
import io.berth.agent.kafka.OrderReader;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.log.Clocks;
import io.berth.log.KeyExchange;
import io.berth.log.LogClients;
import io.berth.log.TopicDeclarations;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// The agent of one node on the clients and clocks that it is given: its place in the orders, its
/// lease, and the ways of its reports and heartbeats are the agent's own. Its runs are models, on a
/// machine that is one. It makes what [AgentProcess] makes, without the threads.
public final class NodeService implements NodeOrders.Node {

    /// After which a node that is not heard ends its runs.
    public static final Duration FENCE_AFTER = Duration.ofSeconds(30);

    private static final Duration SYNC_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration KILL_GRACE = Duration.ofSeconds(1);

    private final SimulatedMachine machine;
    private final NodeSeen.Life life;
    private final Inventory inventory;
    private final Clocks clocks;
    private final BooleanSupplier cannotSuspend;
    private final Outbox outbox;
    private final OrderedRuns<SimulatedRun> runs;
    private final NodeOrders orders;
    private final Heartbeats heartbeats;
    private final OrderLoop loop;
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    /// Takes up what an earlier agent left on the machine.
    ///
    /// @param cannotSuspend asked at each wish that a run stands still
    public NodeService(
            SimulatedMachine machine,
            Inventory inventory,
            LogClients clients,
            Clocks clocks,
            BooleanSupplier cannotSuspend) {
        this.machine = machine;
        this.life = machine.begin();
        this.inventory = inventory;
        this.clocks = clocks;
        this.cannotSuspend = cannotSuspend;
        var exchange = new KeyExchange();
        var log = new AgentLog(clients::producer, 0, Optional.empty(), exchange);
        outbox = new Outbox(name().value(), reports -> write(log, reports), clocks);
        runs = new OrderedRuns<>(launch -> part(machine.intend(launch)), outbox, KILL_GRACE);
        orders = new NodeOrders(this, runs, outbox, lease(), clocks, SYNC_TIMEOUT);
        heartbeats = new Heartbeats(log);
        loop =
                new OrderLoop(
                        clients,
                        new TopicDeclarations(1, 1, (short) 1),
                        log,
                        new OrderReader(Optional.empty(), exchange),
                        List.of(orders),
                        new GatewayRequests(List.of(), clocks),
                        clocks);
        machine.folders().forEach(this::adopt);
    }

    private Lease lease() {
        try {
            return Lease.open(machine, FENCE_AFTER, machine::uptimeMillis);
        } catch (IOException e) {
            throw new AssertionError("no files are read", e);
        }
    }

    private SimulatedRun part(Folder folder) {
        return new SimulatedRun(
                machine, folder, outbox, () -> runs.forget(folder.launch.run()), cannotSuspend);
    }

    /// While it registers it reports nothing.
    private List<? extends CompletableFuture<?>> write(AgentLog log, List<RunReport> reports) {
        assertThat(orders.status().standing()).isNotEqualTo(Standing.REGISTERING);
        var writes = log.write(reports);
        last = writes.getLast();
        return writes;
    }

    /// As [Adoption] does.
    private void adopt(Folder folder) {
        boolean sameBoot = folder.boot == machine.boot();
        Step least = sameBoot ? Step.PREPARED : Step.BEGUN;
        if (folder.end == null && folder.step.compareTo(least) < 0) {
            machine.remove(folder.launch.run());
        } else {
            runs.add(part(folder));
        }
    }

    /// The threads that it has.
    public Runnable[] threads() {
        return new Runnable[] {this::read, outbox::run, this::beat};
    }

    private void read() {
        while (true) {
            try {
                loop.read(1);
            } catch (KafkaException e) {
                clocks.sleep(TimeUnit.SECONDS.toNanos(1));
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts it", e);
            }
        }
    }

    private void beat() {
        while (true) {
            heartbeats.beat(orders);
            clocks.sleep(TimeUnit.SECONDS.toNanos(5));
        }
    }

    /// Lets one of its runs go on by a step; whether there was one to take.
    public boolean work(int which) {
        List<SimulatedRun> all = List.copyOf(runs.all());
        return !all.isEmpty() && all.get(which % all.size()).goOn();
    }

    /// How many runs it has.
    public int runs() {
        return runs.all().size();
    }

    /// Begins to end all runs.
    public void stopAll() {
        runs.stopAll();
    }

    /// Whether it is in an epoch.
    public boolean registered() {
        return orders.status().standing() == Standing.IN_EPOCH;
    }

    /// Whether it is in that one.
    public boolean inEpoch(long epoch) {
        return registered() && orders.status().epoch() == epoch;
    }

    /// Why it obeys nobody any more, if it does not.
    public @Nullable String stopped() {
        return orders.status().standing() == Standing.STOPPED ? orders.status().why() : null;
    }

    @Override
    public NodeName name() {
        return machine.node();
    }

    /// Nothing is on its way then, and what it holds is what it names.
    @Override
    public NodeSeen seen(
            String nonce, List<HeldRun> held, long reportsEnd, @Nullable Long fenceSeconds) {
        assertThat(last.isDone()).as("the last report of %s is answered", name()).isTrue();
        assertThat(held).extracting(HeldRun::run).isEqualTo(runs.ids());
        return new NodeSeen(
                        name(),
                        nonce,
                        machine.machineId(),
                        machine.bootId(),
                        "simulated",
                        inventory,
                        held,
                        reportsEnd,
                        fenceSeconds)
                .in(life);
    }

    @Override
    public boolean changed() {
        return false;
    }

    @Override
    public Heartbeat heartbeat(long epoch, long applied) {
        return new Heartbeat(name(), epoch, applied, runs.ids(), 0, 0);
    }

    @Override
    public void divide(Order.Partition order) {
        throw new AssertionError("no GPU is divided: " + order);
    }
}
