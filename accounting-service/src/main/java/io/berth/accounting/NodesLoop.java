package io.berth.accounting;

import io.berth.accounting.db.NodeHistory;
import io.berth.accounting.db.NodeHistory.Capacity;
import io.berth.accounting.kafka.NodeStatesTopic;
import io.berth.accounting.kafka.NodeStatesTopic.Change;
import io.berth.contracts.event.NodeStatus;
import io.berth.log.KafkaConnection;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
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
                for (Change change : topic.poll()) {
                    enter(known, change);
                }
                failing = false;
                pauses.reset();
            }
        }
    }

    private void enter(Map<String, Capacity> known, Change change) throws SQLException {
        Capacity now = change.status() == null ? null : capacity(change.status());
        if (Objects.equals(known.get(change.node()), now)) {
            return;
        }
        history.enter(change.node(), change.at(), now);
        if (now == null) {
            known.remove(change.node());
        } else {
            known.put(change.node(), now);
        }
    }

    private static Capacity capacity(NodeStatus status) {
        var inventory = status.seen().inventory();
        return new Capacity(
                status.open(), inventory.cpus(), inventory.memoryMib(), inventory.gpus().size());
    }
}
