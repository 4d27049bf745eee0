package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.NodeService;
import io.berth.agent.SimulatedMachine;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.core.state.CellState;
import io.berth.core.testing.TestCell;
import io.berth.simulation.SimulatedClients.Group;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A machine whose agent is the agent itself but for its runs. It goes on from call to call of its
/// clients, thread by thread, and between any two it may stand still or die.
final class ServiceNode implements MeshNode {

    private static final int ORDERS = 0;
    private static final int REPORTS = 1;
    private static final int HEARTBEATS = 2;
    private static final int THREADS = 3;

    /// Between two heartbeats.
    private static final long INTERVAL_MILLIS = 5_000;

    private static final long SILENT_AFTER_MILLIS = 10_000;

    private final SimulatedMachine machine;
    private final Inventory inventory;
    private final SimulatedClients clients;
    private final SimulatedLog log;
    private final Heard heard;
    private final LongSupplier registrationsRead;
    private final RandomGenerator random;
    private final LongSupplier now;

    private @Nullable NodeService agent;

    /// Where in the log the registration of the last copy stands.
    private long copy = -1;

    /// What was last said of it.
    private Presence said = Presence.UP;

    private boolean longSilent;
    private long nextBeat;

    /// 0 if it does not stand still.
    private long stillUntil;

    /// @param heard what stands in the log of all nodes
    /// @param registrationsRead how many registrations placement has read
    ServiceNode(
            String name,
            String machineId,
            SimulatedLog log,
            Heard heard,
            LongSupplier registrationsRead,
            RandomGenerator random,
            LongSupplier now) {
        this.machine = new SimulatedMachine(name, machineId, now);
        this.inventory = TestCell.seen(name, 8, 4, "a100", "", "", List.of()).inventory();
        this.clients = new SimulatedClients(log, new Group(), random, now, _ -> {});
        this.log = log;
        this.heard = heard;
        this.registrationsRead = registrationsRead;
        this.random = random;
        this.now = now;
    }

    @Override
    public String toString() {
        return name() + " (" + machine.machineId() + ")";
    }

    @Override
    public NodeName name() {
        return machine.node();
    }

    @Override
    public boolean registered(NodeStatus node) {
        return node.seen().machineId().equals(machine.machineId());
    }

    @Override
    public Presence presence(NodeStatus known) {
        said = copy < registrationsRead.getAsLong() ? heardOf(known) : Presence.UP;
        return said;
    }

    private Presence heardOf(NodeStatus known) {
        long silence = now.getAsLong() - heard.last(known);
        longSilent = longSilent && silence > SILENT_AFTER_MILLIS;
        if (silence > NodeService.FENCE_AFTER.toMillis()) {
            assertThat(machine.hasTasks()).as("%s has ended its runs", this).isFalse();
            return Presence.FENCED;
        }
        if (silence <= SILENT_AFTER_MILLIS) {
            return Presence.UP;
        }
        return longSilent ? Presence.DOWN : Presence.SILENT;
    }

    @Override
    public void silentForLong() {
        longSilent = true;
    }

    @Override
    public boolean copied(CellState known) {
        NodeStatus node = known.node(name()).filter(this::registered).orElse(null);
        if (node == null || node.presence() != Presence.UP || said != Presence.UP) {
            return false;
        }
        boolean sameBoot = random.nextBoolean();
        NodeSeen seen =
                new NodeSeen(
                                name(),
                                "copy-" + log.end(SimulatedPlacement.NODES),
                                machine.machineId(),
                                sameBoot ? machine.bootId() : "copy",
                                "simulated",
                                inventory,
                                List.of(),
                                log.end(SimulatedPlacement.RUNS),
                                NodeService.FENCE_AFTER.toSeconds())
                        .in(new Life("copy", 1));
        copy = log.append(SimulatedPlacement.NODES, name().value(), seen);
        return true;
    }

    @Override
    public boolean prepared(RunId run) {
        return machine.prepared(run);
    }

    @Override
    public List<RunId> scripts() {
        return machine.scripts();
    }

    /// More often than not when it has just written something, and that is on its way.
    @Override
    public void kill() {
        if (agent != null && random.nextInt(4) != 0) {
            for (int calls = 0; calls < 16 && clients.underway() == 0; calls++) {
                clients.step(random.nextInt(THREADS));
            }
        }
        end();
    }

    @Override
    public void end() {
        clients.kill();
        agent = null;
    }

    @Override
    public void shutDown() {
        boolean copied = copy >= registrationsRead.getAsLong();
        if (agent != null && !copied) {
            agent.stopAll();
            work();
            end();
        }
    }

    /// All that there is to do for its runs.
    private void work() {
        boolean worked = true;
        while (worked) {
            worked = false;
            for (int run = 0; run < agent().runs(); run++) {
                worked |= agent().work(run);
            }
            clients.step(REPORTS);
            clients.step(REPORTS);
            clients.landAll();
        }
    }

    private NodeService agent() {
        return Objects.requireNonNull(agent);
    }

    @Override
    public void reboot(boolean spoolLost) {
        end();
        while (spoolLost && clients.landLate()) {
            // Nobody could tell that they are older than those of the next spool.
        }
        machine.reboot(spoolLost);
    }

    @Override
    public void cutOff(boolean cut) {
        clients.cutOff(cut);
    }

    /// Either the log cannot be reached, or the whole machine stands still for so long.
    @Override
    public long fence() {
        long millis = NodeService.FENCE_AFTER.toMillis() + 1_000;
        if (random.nextInt(2) == 0) {
            cutOff(true);
        } else {
            stillUntil = now.getAsLong() + millis;
        }
        return millis;
    }

    /// A machine that stood still may send a heartbeat before its shims look.
    @Override
    public void look() {
        if (now.getAsLong() < stillUntil) {
            return;
        }
        if (stillUntil == 0) {
            machine.look();
        }
        stillUntil = 0;
        if (clients.cutOff() && random.nextInt(8) == 0) {
            // Somebody starts it anew, as it does not answer.
            end();
            start();
        }
        if (agent != null && now.getAsLong() >= nextBeat) {
            nextBeat = now.getAsLong() + INTERVAL_MILLIS;
            for (int calls = random.nextInt(8) == 0 ? 1 : 2; calls > 0; calls--) {
                clients.step(HEARTBEATS);
            }
        }
        machine.look();
    }

    @Override
    public void register() {
        if (random.nextInt(4) == 0) {
            kill();
        }
        if (agent == null) {
            start();
            if (random.nextInt(4) == 0) {
                dieRegistering();
                return;
            }
        }
        clients.step(ORDERS);
    }

    /// With its registration on its way, or in the log.
    private void dieRegistering() {
        for (int calls = 0; calls < 16 && clients.underway() == 0; calls++) {
            clients.step(ORDERS);
        }
        end();
    }

    @Override
    public boolean alive() {
        return agent != null;
    }

    @Override
    public boolean refusedItsOwn(CellState known) {
        return agent != null
                && agent.stopped() != null
                && known.node(name()).filter(this::registered).isPresent();
    }

    @Override
    public boolean unanswered() {
        return false;
    }

    private void start() {
        agent = new NodeService(machine, inventory, clients, clients, () -> random.nextInt(8) == 0);
        clients.start(agent.threads());
    }

    @Override
    public List<RunId> obey(boolean all) {
        // Most of all when its successor has begun something.
        if (random.nextInt(machine.scripts().isEmpty() ? 32 : 2) == 0) {
            clients.landLate();
        }
        if (agent == null) {
            return List.of();
        }
        if (all) {
            clients.landAll();
            clients.untilPolled(1);
            work();
        } else {
            for (int turns = random.nextInt(8); turns >= 0; turns--) {
                clients.step(random.nextInt(THREADS - 1));
                agent.work(random.nextInt(8));
            }
        }
        String why = agent.stopped();
        if (why != null && !why.contains("is held by another machine")) {
            throw new AssertionError(this + " stops: " + why);
        }
        return machine.started();
    }

    @Override
    public void report(int most) {
        clients.step(REPORTS);
        clients.land(most);
    }

    @Override
    public void reportUnheard() {
        for (int calls = 0; agent != null && calls < 8 && clients.underway() == 0; calls++) {
            agent.work(random.nextInt(8));
            clients.step(REPORTS);
        }
        clients.giveUp();
    }

    @Override
    public boolean hasReports() {
        return agent != null && agent.registered() && machine.holdsRuns();
    }

    @Override
    public boolean toldEnd(RunId run) {
        return machine.toldEnd(run);
    }

    /// One that is refused the name has nothing to do with placement any more.
    @Override
    public boolean settled(CellState state) {
        NodeService its = agent;
        if (its == null || its.stopped() != null) {
            return its != null;
        }
        return state.node(name())
                .filter(this::registered)
                .filter(it -> it.presence() == Presence.UP && its.inEpoch(it.epoch()))
                .isPresent();
    }

    @Override
    public @Nullable RunId exit(int code) {
        return machine.exit(code);
    }
}
