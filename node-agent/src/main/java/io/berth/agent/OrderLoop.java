package io.berth.agent;

import io.berth.agent.host.LiveProcess;
import io.berth.agent.kafka.AgentLog;
import io.berth.agent.kafka.OrderReader;
import io.berth.contracts.HeldRun;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.OutputRequest;
import io.berth.contracts.event.StepRequest;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.NodePartitions;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.Pulse;
import io.berth.log.TopicDeclarations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that registers the agents of a process and reads orders to them. It waits for
/// brokers and topics that are not there yet, and begins anew, with registrations, when the log
/// fails under it.
final class OrderLoop implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OrderLoop.class);

    /// How long an order may take to be noticed as overdue; orders themselves wake the poll.
    private static final Duration POLL = Duration.ofSeconds(1);

    private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

    /// What gateways ask of nodes, in the partitions of their orders.
    private static final List<Topic<?>> ASKED =
            List.of(Topics.OUTPUT_REQUESTS, Topics.STEP_REQUESTS);

    /// How often it is looked whether gateways ask yet.
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

    private static final long RETRY_MILLIS = 1000;
    private static final long JOIN_MILLIS = 10_000;

    private final KafkaConnection connection;
    private final TopicDeclarations declarations;
    private final AgentLog log;
    private final OrderReader orders;
    private final Map<String, NodeAgent> agents;
    private final Events<OutputRequest> outputRequests =
            new Events<>(Topics.OUTPUT_REQUESTS, AgentLog.SERVICE);
    private final Events<StepRequest> stepRequests =
            new Events<>(Topics.STEP_REQUESTS, AgentLog.SERVICE);
    private final OutputReplies replies = new OutputReplies();
    private final StepStarts starts = new StepStarts();
    private final Pulse pulse = new Pulse();
    private final Thread thread;
    private volatile boolean closed;
    private volatile List<Consumer<byte[], byte[]>> open = List.of();

    public OrderLoop(
            KafkaConnection connection,
            TopicDeclarations declarations,
            AgentLog log,
            OrderReader orders,
            List<NodeAgent> agents) {
        this.connection = connection;
        this.declarations = declarations;
        this.log = log;
        this.orders = orders;
        this.agents =
                new TreeMap<>(
                        agents.stream()
                                .collect(
                                        Collectors.toMap(
                                                agent -> agent.name().value(), agent -> agent)));
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
                try (Consumer<byte[], byte[]> asking = connection.follower();
                        Consumer<byte[], byte[]> consumer = connection.follower()) {
                    said = false;
                    open = List.of(asking, consumer);
                    read(consumer, asking, partitionCount);
                } finally {
                    open = List.of();
                }
            } catch (InterruptException | WakeupException | InterruptedException e) {
                if (!closed) {
                    LOG.atWarn().setCause(e).log("Interrupted, beginning anew");
                }
            } catch (KafkaException e) {
                if (!said) {
                    LOG.atWarn().addKeyValue("cause", e).log("Log not available, trying again");
                    said = true;
                }
                pause();
            }
        }
        pulse.ended();
    }

    /// How many partitions the orders have, once all topics are there.
    private int findTopics() {
        try (var admin = connection.admin()) {
            declarations.create(admin, Topics.writtenBy(AgentLog.SERVICE));
            var found = TopicDeclarations.await(admin, List.of(Topics.PLACEMENTS, Topics.SPECS));
            return Objects.requireNonNull(found.get(Topics.PLACEMENTS.name())).partitions().size();
        }
    }

    /// @param asking asks the brokers: over the other's connection an answer would wait behind the
    ///   fetch that waits for orders
    private void read(
            Consumer<byte[], byte[]> consumer, Consumer<byte[], byte[]> asking, int partitionCount)
            throws InterruptedException {
        List<TopicPartition> all =
                agents.values().stream()
                        .map(agent -> ordersOf(agent, partitionCount))
                        .distinct()
                        .toList();
        consumer.assign(all);
        asking.endOffsets(all, CALL_LIMIT).forEach(consumer::seek);
        agents.values().forEach(NodeAgent::leaveEpoch);
        var deaf = new ArrayList<Topic<?>>(ASKED);
        long lookAt = System.nanoTime();
        while (!closed) {
            pulse.beat();
            if (!deaf.isEmpty() && System.nanoTime() - lookAt >= 0) {
                listen(consumer, asking, deaf, all, partitionCount);
                lookAt = System.nanoTime() + BETWEEN_LOOKS.toNanos();
            }
            for (NodeAgent agent : agents.values()) {
                if (agent.unregistered()) {
                    register(asking, agent, ordersOf(agent, partitionCount));
                }
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                hand(record);
            }
        }
    }

    /// Reads what gateways ask as well, from now on.
    ///
    /// @param deaf the topics that are not read yet; those stay that are not there: the gateways
    ///   may be older
    private static void listen(
            Consumer<byte[], byte[]> consumer,
            Consumer<byte[], byte[]> asking,
            List<Topic<?>> deaf,
            List<TopicPartition> ofOrders,
            int partitionCount) {
        Map<String, List<PartitionInfo>> there = asking.listTopics(CALL_LIMIT);
        for (Topic<?> topic : List.copyOf(deaf)) {
            List<PartitionInfo> partitions = there.get(topic.name());
            if (partitions != null) {
                listen(consumer, asking, topic, partitions.size(), ofOrders, partitionCount);
                deaf.remove(topic);
            }
        }
    }

    private static void listen(
            Consumer<byte[], byte[]> consumer,
            Consumer<byte[], byte[]> asking,
            Topic<?> topic,
            int partitions,
            List<TopicPartition> ofOrders,
            int partitionCount) {
        if (partitions != partitionCount) {
            LOG.atWarn()
                    .addKeyValue("topic", topic.name())
                    .addKeyValue("partitions", partitions)
                    .addKeyValue("orders", partitionCount)
                    .log("Partitions differ from those of orders: some requests will not be heard");
        }
        List<TopicPartition> requests =
                ofOrders.stream()
                        .filter(it -> it.partition() < partitions)
                        .map(it -> new TopicPartition(topic.name(), it.partition()))
                        .toList();
        consumer.assign(Stream.concat(consumer.assignment().stream(), requests.stream()).toList());
        asking.endOffsets(requests, CALL_LIMIT).forEach(consumer::seek);
    }

    private static TopicPartition ordersOf(NodeAgent agent, int partitionCount) {
        return new TopicPartition(
                Topics.PLACEMENTS.name(), NodePartitions.of(agent.name(), partitionCount));
    }

    private void register(
            Consumer<byte[], byte[]> asking, NodeAgent agent, TopicPartition ordersOfNode)
            throws InterruptedException {
        if (!agent.silence(CALL_LIMIT)) {
            return;
        }
        var reports = new TopicPartition(Topics.RUNS.name(), log.cell());
        List<HeldRun> held = agent.runs();
        Map<TopicPartition, Long> ends =
                asking.endOffsets(List.of(ordersOfNode, reports), CALL_LIMIT);
        NodeSeen seen =
                agent.register(
                        Objects.requireNonNull(ends.get(ordersOfNode)),
                        Objects.requireNonNull(ends.get(reports)),
                        held);
        long written = LiveProcess.uptimeMillis();
        try {
            log.write(seen).get(CALL_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            agent.heard(written);
        } catch (ExecutionException | TimeoutException e) {
            // Whether it stands in the log or not: without its Sync there will be another.
            LOG.atWarn()
                    .addKeyValue("node", agent.name())
                    .addKeyValue("cause", e)
                    .log("Registration not acknowledged");
        }
    }

    private void hand(ConsumerRecord<byte[], byte[]> record) {
        NodeAgent agent = record.key() == null ? null : agents.get(OrderReader.node(record));
        if (agent == null) {
            return;
        }
        if (!record.topic().equals(Topics.PLACEMENTS.name())) {
            if (record.value() != null) {
                answer(record, agent);
            }
            return;
        }
        Optional<String> objection = orders.objection(record);
        if (objection.isPresent()) {
            LOG.atWarn()
                    .addKeyValue("node", agent.name())
                    .addKeyValue("offset", record.offset())
                    .addKeyValue("why", objection.get())
                    .log("Order not placement's, not obeyed");
            return;
        }
        if (record.value() == null) {
            agent.stopObeying("an order is empty");
            return;
        }
        try {
            agent.read(record.offset(), orders.order(record));
        } catch (UnknownEventType | CorruptEvent e) {
            agent.stopObeying("an order was not understood: " + e.getMessage());
        } catch (IllegalStateException e) {
            LOG.atError().setCause(e).addKeyValue("node", agent.name()).log("Order not obeyed");
            agent.stopObeying("an order could not be obeyed: " + e.getMessage());
        }
    }

    /// Answers a gateway, which has to show that it knows the key of the job that it asks about.
    private void answer(ConsumerRecord<byte[], byte[]> record, NodeAgent agent) {
        try {
            if (record.topic().equals(Topics.STEP_REQUESTS.name())) {
                starts.start(stepRequests.event(record), agent);
            } else {
                replies.answer(outputRequests.event(record), agent);
            }
        } catch (UnknownEventType | CorruptEvent e) {
            LOG.atWarn().setCause(e).addKeyValue("offset", record.offset()).log("Not understood");
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
