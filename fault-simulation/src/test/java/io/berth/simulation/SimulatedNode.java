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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A node's agent with its ends of the log: orders are read in their order, reports wait in the
/// spool until they are written, and may be written twice.
final class SimulatedNode {

    private final SimulatedLog log;
    private final SimulatedAgent agent;
    private final Deque<RunReport> spooled = new ArrayDeque<>();
    private long read;
    private boolean cutOff;
    private boolean fenced;
    private boolean longSilent;

    SimulatedNode(
            String name,
            String machineId,
            SimulatedLog log,
            BooleanSupplier diesBeforeReport,
            BooleanSupplier cannotSuspend) {
        this.log = log;
        this.agent =
                new SimulatedAgent(
                        name,
                        machineId,
                        "a100",
                        it -> it,
                        spooled::add,
                        diesBeforeReport,
                        cannotSuspend,
                        null);
    }

    NodeName name() {
        return agent.node;
    }

    SimulatedAgent agent() {
        return agent;
    }

    /// Whether it is this machine that has the node's name.
    boolean registered(NodeStatus node) {
        return node.seen().machineId().equals(agent.machineId);
    }

    @Override
    public String toString() {
        return name() + " (" + agent.machineId + ")";
    }

    /// From now on the log cannot be reached, or can again.
    void cutOff(boolean now) {
        cutOff = now;
    }

    /// It has not been heard for so long that it is taken for down, should it be silent now.
    void silentForLong() {
        longSilent = presence() == Presence.SILENT;
    }

    /// It is cut off for so long that it ends its runs.
    void fence() {
        agent.fence(0);
        fenced = true;
    }

    /// What heartbeats say of it.
    Presence presence() {
        if (fenced) {
            return Presence.FENCED;
        }
        if (agent.alive() && !cutOff) {
            longSilent = false;
            return Presence.UP;
        }
        return longSilent ? Presence.DOWN : Presence.SILENT;
    }

    void reboot(boolean spoolLost) {
        agent.reboot(spoolLost);
        if (spoolLost) {
            spooled.clear();
        }
    }

    /// The agent starts, or begins anew, once its reports are written.
    void register() {
        if (cutOff) {
            return;
        }
        report(spooled.size());
        listen();
        fenced = false;
        NodeSeen seen = agent.start();
        log.append(
                NODES,
                seen.node().value(),
                new NodeSeen(
                        seen.node(),
                        seen.nonce(),
                        seen.machineId(),
                        seen.bootId(),
                        seen.agentVersion(),
                        seen.inventory(),
                        seen.runs(),
                        log.end(RUNS),
                        seen.fenceSeconds()));
    }

    /// Writes so many of the reports that wait.
    void report(int most) {
        for (int i = 0; i < most && !cutOff; i++) {
            RunReport report = spooled.poll();
            if (report != null) {
                write(report);
            }
        }
    }

    /// Writes the next report, and does not hear that it is written.
    void reportUnheard() {
        RunReport report = spooled.peek();
        if (report != null && !cutOff) {
            write(report);
        }
    }

    private void write(RunReport report) {
        log.append(RUNS, report.run().job().toString(), report);
    }

    boolean hasReports() {
        return !spooled.isEmpty();
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

    /// Reads orders and obeys the next one; the runs whose code it started.
    List<RunId> obey() {
        if (!cutOff) {
            listen();
        }
        return agent.obey();
    }

    /// Ends a run whose script can end by itself; nothing if there is none.
    @Nullable RunId exit(int code) {
        RunId run = agent.awake().stream().findFirst().orElse(null);
        if (run != null) {
            agent.exit(run, code);
        }
        return run;
    }
}
