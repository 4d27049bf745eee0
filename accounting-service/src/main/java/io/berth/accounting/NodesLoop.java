package io.berth.accounting;

import io.berth.accounting.db.NodeHistory;
import io.berth.accounting.db.NodeHistory.Capacity;
import io.berth.accounting.db.NodeHistory.Change;
import io.berth.accounting.kafka.NodeStatesTopic;
import io.berth.contracts.event.NodeStatus;
import io.berth.log.KafkaConnection;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.errors.InterruptException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Keeps the history of what nodes had and when they could be used, for reports on the cluster's
/// utilization.
///
/// A span begins when placement wrote that the node had become so. After a time in which the
/// database, the brokers or this service was away, what the topic still has is entered.
@ApplicationScoped
public class NodesLoop {

    private static final Logger LOG = Logger.getLogger(NodesLoop.class);

    private final NodeHistory history;
    private final KafkaConnection kafka;
    private final AccountingConfig config;
    private volatile boolean open;
    private volatile boolean stopping;
    private boolean failing;
    private @Nullable Thread thread;

    public NodesLoop(NodeHistory history, KafkaConnection kafka, AccountingConfig config) {
        this.history = history;
        this.kafka = kafka;
        this.config = config;
    }

    public synchronized void start() {
        if (thread == null) {
            stopping = false;
            thread = Thread.ofPlatform().name("nodes").start(this::run);
        }
    }

    public synchronized void stop() {
        if (thread != null) {
            stopping = true;
            Threads.end(thread);
            thread = null;
        }
    }

    /// The books are open, and their tables are there.
    void open() {
        open = true;
    }

    private void run() {
        var pauses = new Pauses(config.longestPause());
        while (!stopping) {
            try {
                if (open) {
                    keep(pauses);
                }
                pauses.pause();
            } catch (InterruptException | InterruptedException e) {
                return;
            } catch (SQLException | RuntimeException e) {
                if (!failing) {
                    LOG.warnf("The history of nodes waits: %s", Causes.words(e));
                }
                failing = true;
            }
        }
    }

    private void keep(Pauses pauses) throws SQLException {
        Map<String, Capacity> known = history.current();
        try (var topic = new NodeStatesTopic(kafka)) {
            while (!stopping) {
                enter(known, topic.poll());
                failing = false;
                pauses.reset();
            }
        }
    }

    /// What nodes hold of jobs changes all the time, and is nothing to enter.
    private void enter(Map<String, Capacity> known, List<NodeStatesTopic.Change> read)
            throws SQLException {
        var changes = new ArrayList<Change>();
        for (NodeStatesTopic.Change it : read) {
            Capacity now = it.status() == null ? null : capacity(it.status());
            Capacity before = now == null ? known.remove(it.node()) : known.put(it.node(), now);
            if (!Objects.equals(before, now)) {
                changes.add(new Change(it.node(), it.at(), now));
            }
        }
        if (!changes.isEmpty()) {
            history.enter(changes);
        }
    }

    private static Capacity capacity(NodeStatus status) {
        var inventory = status.seen().inventory();
        return new Capacity(
                status.open(), inventory.cpus(), inventory.memoryMib(), inventory.gpus().size());
    }
}
