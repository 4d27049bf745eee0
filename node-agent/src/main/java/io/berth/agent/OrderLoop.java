package io.berth.agent;

import io.berth.agent.kafka.AgentLog;
import io.berth.agent.kafka.OrderReader;
import io.berth.contracts.HeldRun;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.NodePartitions;
import io.berth.contracts.topic.Topics;
import io.berth.log.Clocks;
import io.berth.log.Events;
import io.berth.log.LogClients;
import io.berth.log.Pulse;
import io.berth.log.TopicDeclarations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that registers the nodes of a process and reads orders to them. It waits for
/// brokers and topics that are not there yet, and begins anew, with registrations, when the log
/// fails under it.
final class OrderLoop implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OrderLoop.class);

    /// How long an order may take to be noticed as overdue; orders themselves wake the poll.
    private static final Duration POLL = Duration.ofSeconds(1);

    private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long JOIN_MILLIS = 10_000;

    private final LogClients clients;
    private final TopicDeclarations declarations;
    private final AgentLog log;
    private final OrderReader orders;
    private final Map<String, NodeOrders> nodes;
    private final GatewayRequests requests;
    private final Clocks clocks;
    private final Pulse pulse = new Pulse();
    private final Thread thread;
    private volatile boolean closed;
    private volatile List<Consumer<byte[], byte[]>> open = List.of();

    OrderLoop(
            LogClients clients,
            TopicDeclarations declarations,
            AgentLog log,
            OrderReader orders,
            List<NodeOrders> nodes,
            GatewayRequests requests,
            Clocks clocks) {
        this.clients = clients;
        this.declarations = declarations;
        this.log = log;
        this.orders = orders;
        this.nodes =
                new TreeMap<>(
                        nodes.stream()
                                .collect(
                                        Collectors.toMap(
                                                node -> node.name().value(), Function.identity())));
        this.requests = requests;
        this.clocks = clocks;
        this.thread = Thread.ofPlatform().name("orders").daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// Ends the loop after the order that it is at.
    @Override
    public void close() {
        closed = true;
        List<Consumer<byte[], byte[]>> consumers = open;
        if (consumers.isEmpty()) {
            thread.interrupt();
        } else {
            consumers.forEach(Consumer::wakeup);
        }
        try {
            thread.join(JOIN_MILLIS);
            thread.interrupt();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether the loop turns, or waits as it should.
    boolean alive() {
        return pulse.alive();
    }

    private void run() {
        boolean said = false;
        while (!closed) {
            pulse.waits();
            try {
                int partitionCount = findTopics();
                said = false;
                read(partitionCount);
            } catch (InterruptException | WakeupException | InterruptedException e) {
                if (!closed) {
                    LOG.atWarn().setCause(e).log("Interrupted, beginning anew");
                }
            } catch (KafkaException e) {
                if (!said) {
                    LOG.atWarn().addKeyValue("cause", e).log("Log not available, trying again");
                    said = true;
                }
                clocks.sleep(RETRY_NANOS);
            }
        }
        pulse.ended();
    }

    /// How many partitions the orders have, once all topics are there.
    private int findTopics() {
        try (var admin = clients.admin()) {
            declarations.create(admin, Topics.writtenBy(AgentLog.SERVICE));
            var found = TopicDeclarations.await(admin, List.of(Topics.PLACEMENTS, Topics.SPECS));
            return Objects.requireNonNull(found.get(Topics.PLACEMENTS.name())).partitions().size();
        }
    }

    /// Registers the nodes and reads their orders, until it is closed or the log fails.
    void read(int partitionCount) throws InterruptedException {
        try (Consumer<byte[], byte[]> asking = clients.follower();
                Consumer<byte[], byte[]> consumer = clients.follower()) {
            open = List.of(asking, consumer);
            read(consumer, asking, partitionCount);
        } finally {
            open = List.of();
        }
    }

    /// @param asking asks the brokers: over the other's connection an answer would wait behind the
    ///   fetch that waits for orders
    private void read(
            Consumer<byte[], byte[]> consumer, Consumer<byte[], byte[]> asking, int partitionCount)
            throws InterruptedException {
        List<TopicPartition> all =
                nodes.values().stream()
                        .map(node -> ordersOf(node, partitionCount))
                        .distinct()
                        .toList();
        consumer.assign(all);
        asking.endOffsets(all, CALL_LIMIT).forEach(consumer::seek);
        nodes.values().forEach(NodeOrders::leaveEpoch);
        GatewayRequests.Reading asked = requests.reading(consumer, asking, all, partitionCount);
        while (!closed) {
            pulse.beat();
            asked.look();
            for (NodeOrders node : nodes.values()) {
                if (node.unregistered()) {
                    register(asking, node, ordersOf(node, partitionCount));
                }
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                hand(record);
            }
        }
    }

    private static TopicPartition ordersOf(NodeOrders node, int partitionCount) {
        return new TopicPartition(
                Topics.PLACEMENTS.name(), NodePartitions.of(node.name(), partitionCount));
    }

    private void register(
            Consumer<byte[], byte[]> asking, NodeOrders node, TopicPartition ordersOfNode)
            throws InterruptedException {
        if (!node.silence(CALL_LIMIT)) {
            return;
        }
        var reports = new TopicPartition(Topics.RUNS.name(), log.cell());
        List<HeldRun> held = node.held();
        Map<TopicPartition, Long> ends =
                asking.endOffsets(List.of(ordersOfNode, reports), CALL_LIMIT);
        NodeSeen seen =
                node.register(
                        Objects.requireNonNull(ends.get(ordersOfNode)),
                        Objects.requireNonNull(ends.get(reports)),
                        held);
        CompletableFuture<?> write = log.write(seen);
        boolean answered = clocks.await(write, CALL_LIMIT.toNanos());
        if (answered && write.state() == Future.State.SUCCESS) {
            node.registered();
        } else {
            // Whether it stands in the log or not: without its Sync there will be another.
            LOG.atWarn()
                    .addKeyValue("node", node.name())
                    .addKeyValue("cause", answered ? write.exceptionNow() : "no answer yet")
                    .log("Registration not acknowledged");
        }
    }

    private void hand(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            return;
        }
        if (!record.topic().equals(Topics.PLACEMENTS.name())) {
            requests.answer(record);
            return;
        }
        NodeOrders node = nodes.get(OrderReader.node(record));
        if (node != null) {
            order(record, node);
        }
    }

    private void order(ConsumerRecord<byte[], byte[]> record, NodeOrders node) {
        Optional<String> objection = orders.objection(record);
        if (objection.isPresent()) {
            LOG.atWarn()
                    .addKeyValue("node", node.name())
                    .addKeyValue("record", Events.position(record))
                    .addKeyValue("why", objection.get())
                    .log("Order not placement's, not obeyed");
            return;
        }
        if (record.value() == null) {
            node.stopObeying("an order is empty");
            return;
        }
        try {
            node.read(record.offset(), orders.order(record));
        } catch (UnknownEventType | CorruptEvent e) {
            node.stopObeying("an order was not understood: " + e.getMessage());
        } catch (IllegalStateException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("node", node.name())
                    .addKeyValue("record", Events.position(record))
                    .log("Order not obeyed");
            node.stopObeying("an order could not be obeyed: " + e.getMessage());
        }
    }
}
