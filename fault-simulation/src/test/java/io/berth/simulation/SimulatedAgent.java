package io.berth.simulation;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.testing.MigNode;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// An agent and its machine, as the protocol describes them: a spool that survives the agent, tasks
/// that survive it too, and die with the machine.
final class SimulatedAgent {

    enum Task {
        PREPARED,
        RUNNING
    }

    /// What comes of an order to divide a GPU.
    enum Divides {
        DIES_BEFORE,
        /// When some of it is done.
        DIES_ON_THE_WAY,
        DIES_AFTER,
        FAILS,
        TAKES_TIME,
        AT_ONCE
    }

    /// @param still whether it stands still
    private record Spooled(
            Task task, boolean script, IndexSet cpus, boolean still, List<String> gpus) {

        Spooled as(Task other) {
            return new Spooled(other, script, cpus, still, gpus);
        }

        Spooled standing(boolean now) {
            return new Spooled(task, script, cpus, now, gpus);
        }

        HeldRun.Phase phase() {
            if (task == Task.PREPARED) {
                return HeldRun.Phase.PREPARED;
            }
            return still ? HeldRun.Phase.SUSPENDED : HeldRun.Phase.RUNNING;
        }
    }

    final NodeName node;
    final String machineId;
    private final String types;
    private final UnaryOperator<Inventory> machine;
    private final List<Order> topic = new ArrayList<>();
    private final TreeMap<RunId, Spooled> spool = new TreeMap<>();
    private final Consumer<RunReport> runs;
    private final BooleanSupplier diesBeforeReport;
    private final BooleanSupplier cannotSuspend;

    /// What comes of the next order to divide the machine's GPU in MIG mode; null if it has none.
    private final @Nullable Supplier<Divides> divides;

    /// Runs that it has ever had: what the test knows, not the machine.
    private final TreeSet<RunId> prepared = new TreeSet<>();

    /// Runs that the node has ended by itself, and not reported yet.
    private final TreeSet<RunId> fenced = new TreeSet<>();

    /// Runs that were given Go while they stood still; the agent's own memory.
    private final TreeSet<RunId> awaited = new TreeSet<>();

    /// What that GPU is split into; the machine's own. Its instances have other UUIDs each time.
    private List<MigPlacement> geometry = List.of();

    private int generation;

    /// The agent's own memory.
    private Order.@Nullable Partition dividing;

    private @Nullable String failure;
    private boolean mustRegister;

    private int boot = 1;
    private int incarnation;
    private int spools = 1;
    private String nonce = "";
    private int read;
    private long epoch;
    private long applied;
    private boolean synced;
    private boolean refused;
    private boolean alive;
    private int cutOff;

    /// @param runs takes the reports
    /// @param diesBeforeReport asked after each start of code: whether the agent dies before it can
    ///   report it
    /// @param cannotSuspend asked at each order to suspend
    /// @param divides asked at each order to divide the GPU in MIG mode; null if there is none
    /// @param types of its GPUs in turn: `a100+v100`
    /// @param machine what else it has
    SimulatedAgent(
            String node,
            String machineId,
            String types,
            UnaryOperator<Inventory> machine,
            Consumer<RunReport> runs,
            BooleanSupplier diesBeforeReport,
            BooleanSupplier cannotSuspend,
            @Nullable Supplier<Divides> divides) {
        this.node = new NodeName(node);
        this.machineId = machineId;
        this.types = types;
        this.machine = machine;
        this.runs = runs;
        this.diesBeforeReport = diesBeforeReport;
        this.cannotSuspend = cannotSuspend;
        this.divides = divides;
    }

    void deliver(Order order) {
        topic.add(order);
    }

    boolean alive() {
        return alive;
    }

    /// Whether it was refused for good.
    boolean refused() {
        return refused;
    }

    boolean prepared(RunId run) {
        return prepared.contains(run);
    }

    /// Whether it waits for the answer to its registration.
    boolean unanswered() {
        return alive && !synced && !refused;
    }

    /// Starts the agent (again): it notes the end of its topic and registers.
    NodeSeen start() {
        alive = true;
        synced = false;
        refused = false;
        applied = 0;
        read = topic.size();
        awaited.clear();
        // Of a part that has not begun, placement says again that it shall stand still.
        spool.replaceAll((_, it) -> it.task() == Task.PREPARED ? it.standing(false) : it);
        nonce = machineId + "-" + ++incarnation;
        var held = new ArrayList<HeldRun>();
        spool.forEach((run, it) -> held.add(new HeldRun(run, it.phase())));
        fenced.forEach(run -> held.add(new HeldRun(run, HeldRun.Phase.ENDED)));
        NodeSeen bare =
                TestCell.seen(node.value(), 8, 4, types, nonce, machineId + "-boot-" + boot, held);
        var plain =
                new NodeSeen(
                        node,
                        nonce,
                        machineId,
                        bare.bootId(),
                        bare.agentVersion(),
                        machine.apply(bare.inventory()),
                        held,
                        0);
        dividing = null;
        mustRegister = false;
        String why = failure;
        failure = null;
        return divides == null
                ? plain
                : MigNode.seen(plain, Map.of("M" + node, geometry), "g" + generation, why);
    }

    /// The life that it is in.
    Life life() {
        return new Life(machineId + "-spool-" + spools, incarnation);
    }

    /// Whether it has to register because it divided its GPU, or failed to.
    boolean mustRegister() {
        return alive && mustRegister;
    }

    private void partition(Order.Partition order) {
        boolean busy =
                spool.values().stream()
                        .anyMatch(it -> it.gpus().stream().anyMatch(gpu -> gpu.startsWith("MIG-")));
        switch (busy ? Divides.FAILS : Objects.requireNonNull(divides).get()) {
            case DIES_BEFORE -> alive = false;
            case DIES_ON_THE_WAY -> {
                split(order.instances().subList(0, order.instances().size() / 2));
                alive = false;
            }
            case DIES_AFTER -> {
                split(order.instances());
                alive = false;
            }
            case FAILS -> {
                failure = "in use";
                mustRegister = true;
            }
            case TAKES_TIME -> dividing = order;
            case AT_ONCE -> divided(order);
        }
    }

    private void divided(Order.Partition order) {
        split(order.instances());
        dividing = null;
        mustRegister = true;
    }

    private void split(List<MigPlacement> into) {
        geometry = into;
        generation++;
    }

    void kill() {
        alive = false;
    }

    /// The node is cut off for so long that it ends its runs: what they were it says when it is
    /// back.
    ///
    /// @param attempts to come back that fail
    void fence(int attempts) {
        alive = false;
        cutOff = attempts;
        fenced.addAll(spool.keySet());
        spool.clear();
    }

    /// Whether an attempt to come back fails.
    boolean stillCutOff() {
        cutOff = Math.max(cutOff - 1, -1);
        return cutOff >= 0;
    }

    /// The agent is told to shut down and to take its runs with it.
    void shutDown() {
        if (alive) {
            List.copyOf(spool.keySet())
                    .forEach(run -> end(run, Cause.AGENT_SHUTDOWN, new ExitStatus(0, 15)));
            alive = false;
        }
    }

    /// The machine reboots: every task is gone, and the spool, if it was on a disk, still names
    /// them.
    void reboot(boolean spoolLost) {
        alive = false;
        boot++;
        split(List.of());
        if (spoolLost) {
            spool.clear();
            fenced.clear();
            spools++;
        }
        for (RunId run : List.copyOf(spool.keySet())) {
            end(run, Cause.STATUS_LOST, ExitStatus.SUCCESS);
        }
    }

    /// Obeys the next order, if there is one. Returns the run whose code it started, if any.
    List<RunId> obey() {
        if (alive && dividing != null) {
            divided(dividing);
            return List.of();
        }
        if (!alive || read == topic.size()) {
            return List.of();
        }
        Order order = topic.get(read++);
        if (synced && order.epoch() > epoch) {
            // Another registration has ended its epoch: it begins anew.
            alive = false;
            return List.of();
        }
        if (order instanceof Order.Sync sync && sync.nonce().equals(nonce)) {
            synced = true;
            epoch = sync.epoch();
            List.copyOf(spool.keySet()).stream()
                    .filter(run -> !sync.wanted().contains(run))
                    .forEach(run -> end(run, Cause.STOPPED, new ExitStatus(0, 15)));
            fenced.forEach(run -> ended(run, Cause.STATUS_LOST, ExitStatus.SUCCESS));
            fenced.clear();
            return List.of();
        }
        if (order instanceof Order.Refused(_, _, var its, _, var forNow) && its.equals(nonce)) {
            // For now: it begins anew.
            refused = forNow == null;
            alive = forNow == null;
        }
        if (!synced || order.epoch() != epoch || order.number() == 0) {
            return List.of();
        }
        if (order.number() != applied + 1) {
            throw new AssertionError(node + " got " + order + " after number " + applied);
        }
        applied = order.number();
        return switch (order) {
            case Order.Launch launch -> launch(launch);
            case Order.Go go -> spool.containsKey(go.run()) ? begin(go.run()) : List.of();
            case Order.Stop stop -> {
                end(stop.run(), Cause.STOPPED, new ExitStatus(0, 15));
                yield List.of();
            }
            case Order.Suspend suspend -> {
                suspend(suspend);
                yield List.of();
            }
            case Order.Resume resume -> resume(resume.run());
            case Order.Partition partition -> {
                partition(partition);
                yield List.of();
            }
            case Order.Signal _, Order.Limit _, Order.Sync _, Order.Refused _ -> List.of();
        };
    }

    private List<RunId> launch(Order.Launch launch) {
        if (spool.containsKey(launch.run())) {
            return List.of();
        }
        prepared.add(launch.run());
        spool.put(
                launch.run(),
                new Spooled(
                        Task.PREPARED,
                        launch.runsScript(),
                        launch.here().cpus(),
                        false,
                        launch.here().gpus()));
        if (launch.awaitGo()) {
            runs.accept(new RunReport.Ready(launch.run(), node, epoch, applied));
            return List.of();
        }
        return begin(launch.run());
    }

    /// Some hosts cannot: they say so. A part that waits for Go stands still already.
    private void suspend(Order.Suspend order) {
        Spooled spooled = spool.get(order.run());
        if (spooled == null) {
            return;
        }
        if (spooled.task() == Task.RUNNING && !spooled.still() && cannotSuspend.getAsBoolean()) {
            runs.accept(
                    new RunReport.NotSuspended(
                            order.run(), node, epoch, applied, order.nth(), "no freezer"));
            return;
        }
        spool.put(order.run(), spooled.standing(true));
        runs.accept(new RunReport.Suspended(order.run(), node, epoch, applied, order.nth()));
    }

    /// A part that was given Go while it stood still begins now.
    private List<RunId> resume(RunId run) {
        Spooled spooled = spool.get(run);
        if (spooled == null) {
            return List.of();
        }
        spool.put(run, spooled.standing(false));
        return awaited.remove(run) ? begin(run) : List.of();
    }

    private List<RunId> begin(RunId run) {
        Spooled spooled = spool.get(run);
        if (spooled == null || spooled.task() == Task.RUNNING) {
            return List.of();
        }
        if (spooled.still()) {
            awaited.add(run);
            return List.of();
        }
        spool.put(run, spooled.as(Task.RUNNING));
        if (diesBeforeReport.getAsBoolean()) {
            alive = false;
        } else {
            runs.accept(new RunReport.Started(run, node, epoch, applied, List.of()));
        }
        return spooled.script() ? List.of(run) : List.of();
    }

    /// Runs whose script runs on this machine now, or stands still.
    List<RunId> scripts() {
        return scripts(it -> true);
    }

    /// Runs whose script can end by itself.
    List<RunId> awake() {
        return scripts(it -> !it.still());
    }

    private List<RunId> scripts(Predicate<Spooled> which) {
        return spool.entrySet().stream()
                .filter(entry ->
                        entry.getValue().task() == Task.RUNNING
                                && entry.getValue().script()
                                && which.test(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /// The CPUs of each run whose code runs and does not stand still.
    List<IndexSet> busy() {
        return spool.values().stream()
                .filter(it -> it.task() == Task.RUNNING && !it.still())
                .map(Spooled::cpus)
                .toList();
    }

    void exit(RunId run, int code) {
        end(run, Cause.EXITED, new ExitStatus(code, 0));
    }

    private void end(RunId run, Cause cause, ExitStatus exit) {
        if (spool.remove(run) != null) {
            ended(run, cause, exit);
        }
    }

    private void ended(RunId run, Cause cause, ExitStatus exit) {
        runs.accept(
                new RunReport.Ended(
                        run, node, epoch, applied, cause, exit, Consumption.NONE, null));
    }
}
