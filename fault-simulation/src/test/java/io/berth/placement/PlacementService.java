package io.berth.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.log.Clocks;
import io.berth.log.Election;
import io.berth.log.LogClients;
import io.berth.log.Pulse;
import io.berth.log.trace.Spans;
import io.berth.placement.kafka.CellLog;
import io.berth.placement.kafka.Fatal;
import io.berth.placement.kafka.Fenced;
import io.berth.placement.kafka.Snapshots;
import io.berth.placement.kafka.Standby;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.apache.kafka.common.KafkaException;

/// One instance of placement on the clients and clocks that it is given: it follows, is elected,
/// leads, and begins anew from the log. It does again what [PlacementLoop] does, which has a
/// thread, settings and heartbeats of its own; what it does that with are the parts of the service.
public final class PlacementService implements Runnable {

    private static final Duration POLL = Duration.ofMillis(100);

    private final LogClients clients;
    private final Clocks clocks;
    private final BiFunction<NodeName, Long, Presence> presences;
    private final CellMeters meters;
    private final Faults faults;
    private final CellLog log = new CellLog(0, 1);
    private final int enoughFacts;

    /// @param presences what heartbeats say of a node in that epoch
    /// @param enoughFacts for a round
    public PlacementService(
            LogClients clients,
            Clocks clocks,
            BiFunction<NodeName, Long, Presence> presences,
            int enoughFacts,
            MeterRegistry meters) {
        this.clients = clients;
        this.clocks = clocks;
        this.presences = presences;
        this.enoughFacts = enoughFacts;
        this.meters = new CellMeters(meters);
        this.faults = new Faults(this.meters);
    }

    /// Lives until the process would end.
    ///
    /// @throws Fatal what it ends with
    /// @throws RuntimeException what it should not meet with
    @Override
    public void run() {
        while (true) {
            try (var standby = new Standby(clients, log, 20)) {
                stand(standby);
            } catch (Fenced | KafkaException e) {
                clocks.sleep(500_000_000);
            } catch (IllegalStateException e) {
                if (!String.valueOf(e.getMessage()).contains("the election was lost")) {
                    throw e;
                }
            }
        }
    }

    private void stand(Standby standby) {
        while (!standby.caughtUp()) {
            standby.follow(POLL);
        }
        try (var election = new Election(clients, "berth-placement-0", POLL)) {
            while (!election.poll(POLL)) {
                standby.follow(Duration.ZERO);
            }
            var recovered = standby.takeOver(election::poll);
            try (var tenure =
                    new Tenure(
                            recovered,
                            new Watch(),
                            meters,
                            new Tenure.Rules(
                                    Duration.ofMillis(1),
                                    enoughFacts,
                                    Settings.DEFAULT,
                                    "simulated",
                                    Spans.NONE,
                                    clocks,
                                    new Pulse()),
                            new Snapshots(clients, log, Duration.ZERO),
                            faults)) {
                tenure.lead(() -> !election.poll());
            }
        }
    }

    /// A node that has just registered is there, until it is watched again.
    private final class Watch implements NodeWatch {

        private final Map<NodeName, Long> watched = new TreeMap<>();
        private final Set<NodeName> registered = new HashSet<>();

        @Override
        public void watch(List<Presences.Watched> nodes) {
            watched.clear();
            registered.clear();
            nodes.forEach(it -> watched.put(it.name(), it.epoch()));
        }

        @Override
        public void registered(NodeName node) {
            registered.add(node);
        }

        @Override
        public Map<NodeName, Presence> latest() {
            var latest = new TreeMap<NodeName, Presence>();
            watched.forEach((node, epoch) -> latest.put(node, presences.apply(node, epoch)));
            registered.forEach(it -> latest.put(it, Presence.UP));
            return latest;
        }
    }
}
