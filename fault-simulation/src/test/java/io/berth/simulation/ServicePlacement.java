package io.berth.simulation;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.core.state.CellState;
import io.berth.placement.PlacementService;
import io.berth.placement.kafka.Fatal;
import io.berth.simulation.SimulatedClients.Group;
import io.berth.simulation.SimulatedPlacement.Heartbeats;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// An instance of placement that is the service itself: its recovery, its rounds, its writer. It
/// goes on from call to call of its clients, and between any two it may stand still or die.
final class ServicePlacement implements PlacementInstance {

    private final Group group;
    private final SimulatedClients clients;
    private final RandomGenerator random;
    private final Supplier<CellState> known;
    private final MeterRegistry meters;
    private final List<Message> committed = new ArrayList<>();
    private Heartbeats heartbeats = _ -> Map.of();

    /// Whether its clock was too far off in this life.
    private boolean clockWasOff;

    /// @param known the state as it was committed, as far as that was read
    ServicePlacement(
            SimulatedLog log,
            Group group,
            RandomGenerator random,
            LongSupplier right,
            Supplier<CellState> known,
            MeterRegistry meters) {
        this.group = group;
        this.random = random;
        this.known = known;
        this.meters = meters;
        this.clients = new SimulatedClients(log, group, random, right, committed::addAll);
    }

    @Override
    public boolean leading() {
        return clients.alive() && group.elected(clients);
    }

    @Override
    public boolean lead() {
        if (clients.cutOff()) {
            return false;
        }
        revive();
        group.elect(clients);
        return true;
    }

    private void revive() {
        if (!clients.alive()) {
            clockWasOff = clients.clockIsOff();
            clients.start(this::live);
        }
    }

    /// Where its clock is wrong it ends, as it should.
    private void live() {
        try {
            int enoughFacts = random.nextBoolean() ? 2_000 : 1 + random.nextInt(4);
            new PlacementService(clients, clients, this::presence, enoughFacts, meters).run();
        } catch (Fatal e) {
            if (!clockWasOff || !String.valueOf(e.getMessage()).contains("clock")) {
                throw e;
            }
        }
    }

    /// A node that has registered since is there.
    private Presence presence(NodeName node, long epoch) {
        CellState state = known.get();
        boolean same = state.node(node).filter(it -> it.epoch() == epoch).isPresent();
        Presence said = same ? heartbeats.say(state).get(node) : null;
        return said == null ? Presence.UP : said;
    }

    @Override
    public void die() {
        clients.kill();
    }

    @Override
    public void cutOff(boolean now) {
        clients.cutOff(now);
    }

    @Override
    public void skew(long millis) {
        clients.skew(millis);
        clockWasOff = clockWasOff || clients.clockIsOff();
    }

    @Override
    public List<Message> step(long now, Heartbeats says, RandomGenerator random) {
        heartbeats = says;
        revive();
        for (int calls = random.nextInt(8); calls >= 0; calls--) {
            clients.step();
        }
        return shown();
    }

    @Override
    public List<Message> wholeRound(long now, Heartbeats says, RandomGenerator random) {
        heartbeats = says;
        revive();
        clients.untilPolled(2);
        return shown();
    }

    private List<Message> shown() {
        var shown = List.copyOf(committed);
        committed.clear();
        return shown;
    }

    /// It compares the digests itself whenever it takes over, and fails if they differ.
    @Override
    public void assertRebuilds(RandomGenerator random) {}
}
