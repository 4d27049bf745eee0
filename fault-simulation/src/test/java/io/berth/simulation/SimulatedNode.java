package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.NODES;
import static io.berth.simulation.SimulatedPlacement.RUNS;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.core.state.CellState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A node's agent with its ends of the log: orders are read in their order, reports wait in the
/// spool until they are written, and may be written twice.
final class SimulatedNode implements MeshNode {

    private final SimulatedLog log;
    private final SimulatedAgent agent;
    private final Deque<RunReport> spooled = new ArrayDeque<>();
    private final BooleanSupplier seldom;

    /// Registrations that were on their way when their agent died.
    private final Deque<NodeSeen> late = new ArrayDeque<>();

    private long read;
    private boolean cutOff;
    private boolean fenced;
    private boolean longSilent;

    /// @param seldom asked whether something happens that seldom does
    SimulatedNode(String name, String machineId, SimulatedLog log, BooleanSupplier seldom) {
        this.log = log;
        this.seldom = seldom;
        this.agent =
                new SimulatedAgent(
                        name, machineId, "a100", it -> it, spooled::add, seldom, seldom, null);
    }

    @Override
    public NodeName name() {
        return agent.node;
    }

    @Override
    public boolean prepared(RunId run) {
        return agent.prepared(run);
    }

    @Override
    public List<RunId> scripts() {
        return agent.scripts();
    }

    @Override
    public void kill() {
        agent.kill();
    }

    @Override
    public void shutDown() {
        agent.shutDown();
    }

    @Override
    public void end() {}

    @Override
    public void look() {}

    private void land(NodeSeen seen) {
        log.append(NODES, seen.node().value(), seen);
    }

    @Override
    public boolean alive() {
        return agent.alive();
    }

    @Override
    public boolean refusedItsOwn(CellState known) {
        return agent.refused() && known.node(name()).filter(this::registered).isPresent();
    }

    @Override
    public boolean unanswered() {
        return agent.unanswered();
    }

    @Override
    public boolean registered(NodeStatus node) {
        return node.seen().machineId().equals(agent.machineId);
    }

    @Override
    public String toString() {
        return name() + " (" + agent.machineId + ")";
    }

    @Override
    public void cutOff(boolean now) {
        cutOff = now;
    }

    @Override
    public void silentForLong() {
        longSilent = presence() == Presence.SILENT;
    }

    @Override
    public boolean copied(CellState known) {
        return false;
    }

    @Override
    public long fence() {
        agent.fence(0);
        fenced = true;
        return 0;
    }

    @Override
    public Presence presence(NodeStatus known) {
        return presence();
    }

    private Presence presence() {
        if (fenced) {
            return Presence.FENCED;
        }
        if (agent.alive() && !cutOff) {
            longSilent = false;
            return Presence.UP;
        }
        return longSilent ? Presence.DOWN : Presence.SILENT;
    }

    @Override
    public void reboot(boolean spoolLost) {
        agent.reboot(spoolLost);
        if (spoolLost) {
            spooled.clear();
            // Nobody could tell that they are older than those of the next spool.
            late.forEach(this::land);
            late.clear();
        }
    }

    /// Once its reports are written.
    @Override
    public void register() {
        if (cutOff) {
            return;
        }
        report(spooled.size());
        listen();
        fenced = false;
        NodeSeen bare = agent.start();
        NodeSeen seen =
                new NodeSeen(
                                bare.node(),
                                bare.nonce(),
                                bare.machineId(),
                                bare.bootId(),
                                bare.agentVersion(),
                                bare.inventory(),
                                bare.runs(),
                                log.end(RUNS),
                                bare.fenceSeconds())
                        .in(agent.life());
        if (seldom.getAsBoolean()) {
            agent.kill();
            late.add(seen);
        } else {
            land(seen);
        }
    }

    @Override
    public void report(int most) {
        for (int i = 0; i < most && !cutOff; i++) {
            RunReport report = spooled.poll();
            if (report != null) {
                write(report);
            }
        }
    }

    @Override
    public void reportUnheard() {
        RunReport report = spooled.peek();
        if (report != null && !cutOff) {
            write(report);
        }
    }

    private void write(RunReport report) {
        log.append(RUNS, report.run().job().toString(), report);
    }

    @Override
    public boolean hasReports() {
        return !spooled.isEmpty();
    }

    @Override
    public boolean toldEnd(RunId run) {
        return false;
    }

    @Override
    public boolean settled(CellState state) {
        return true;
    }

    /// Reads the orders that there are.
    private void listen() {
        for (Message message : log.read(SimulatedPlacement.ORDERS, read)) {
            if (message.key().equals(name().value())) {
                agent.deliver((Order) Objects.requireNonNull(message.value()));
            }
            read = message.offset() + 1;
        }
    }

    /// The next one. What is late comes most of all when its successor has begun something.
    @Override
    public List<RunId> obey(boolean all) {
        if (!late.isEmpty() && (!agent.scripts().isEmpty() || seldom.getAsBoolean())) {
            land(late.remove());
        }
        if (!cutOff) {
            listen();
        }
        return agent.obey();
    }

    @Override
    public @Nullable RunId exit(int code) {
        RunId run = agent.awake().stream().findFirst().orElse(null);
        if (run != null) {
            agent.exit(run, code);
        }
        return run;
    }
}
