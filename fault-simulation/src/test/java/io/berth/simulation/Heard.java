package io.berth.simulation;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/// When nodes were heard last, as the log has it: by heartbeats of the epoch that they are known
/// in, and by registrations from the boot and the spool that they are known with.
final class Heard {

    private static final String HEARTBEATS = Topics.HEARTBEATS.name();
    private static final String NODES = Topics.NODES.name();

    private final SimulatedLog log;
    private final Map<NodeName, TreeMap<Long, Long>> byEpoch = new TreeMap<>();
    private final Map<String, Long> byAgent = new TreeMap<>();
    private long heartbeatsRead;
    private long nodesRead;

    Heard(SimulatedLog log) {
        this.log = log;
    }

    /// In epoch milliseconds of the brokers.
    long last(NodeStatus node) {
        read();
        long beat =
                byEpoch
                        .getOrDefault(node.node(), new TreeMap<>())
                        .tailMap(node.epoch())
                        .values()
                        .stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0);
        return Math.max(beat, byAgent.getOrDefault(agent(node.seen()), 0L));
    }

    /// What is there: of a table a reader who comes late finds only the last words.
    void read() {
        List<Message> beats = log.read(HEARTBEATS, heartbeatsRead);
        for (Message message : beats) {
            var beat = (Heartbeat) Objects.requireNonNull(message.value());
            byEpoch.computeIfAbsent(beat.node(), _ -> new TreeMap<>())
                    .put(beat.epoch(), message.timestamp());
        }
        heartbeatsRead = log.end(HEARTBEATS);
        for (Message message : log.read(NODES, nodesRead)) {
            var seen = (NodeSeen) Objects.requireNonNull(message.value());
            byAgent.put(agent(seen), message.timestamp());
        }
        nodesRead = log.end(NODES);
    }

    private static String agent(NodeSeen seen) {
        return seen.bootId() + " " + Objects.requireNonNull(seen.life()).spool();
    }
}
