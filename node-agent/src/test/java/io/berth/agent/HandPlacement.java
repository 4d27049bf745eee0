package io.berth.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.berth.contracts.Allocation;
import io.berth.contracts.HeldRun;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.NodePartitions;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Clocks;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.KeyExchange;
import io.berth.log.LogView;
import io.berth.log.Sealed;
import io.berth.log.SigningKey;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// Placement's and the gateway's side of the protocol, played by a test.
final class HandPlacement implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final AtomicLong JOBS = new AtomicLong(100);

    private final EventWriter writer;
    private volatile @Nullable SigningKey key;
    private final KeyExchange exchange = new KeyExchange();
    private final Events<Order> orders = new Events<>(Topics.PLACEMENTS, "placement-service");
    private final Events<JobSpec> specs = new Events<>(Topics.SPECS, "submit-service");
    private final List<LogView> views;
    private final List<NodeSeen> seen = new CopyOnWriteArrayList<>();
    private final List<RunReport> reports = new CopyOnWriteArrayList<>();
    private final List<Heartbeat> heartbeats = new CopyOnWriteArrayList<>();
    private final Map<String, Long> epochs = new TreeMap<>();
    private final Map<String, Long> numbers = new TreeMap<>();
    private final Map<String, Integer> answered = new TreeMap<>();

    HandPlacement(KafkaConnection connection) {
        this.writer = new EventWriter(connection::producer);
        this.views =
                List.of(
                        view(connection, Topics.NODES, seen),
                        view(connection, Topics.RUNS, reports),
                        view(connection, Topics.HEARTBEATS, heartbeats));
    }

    private static <E> LogView view(KafkaConnection connection, Topic<E> topic, List<E> into) {
        var events = new Events<>(topic, "placement-service");
        var view =
                new LogView(
                        connection.follower(),
                        List.of(new TopicPartition(topic.name(), 0)),
                        record -> {
                            try {
                                into.add(events.event(record));
                            } catch (UnknownEventType | CorruptEvent e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        Clocks.SYSTEM);
        Thread.ofPlatform().daemon().start(view::run);
        return view;
    }

    static RunId newRun() {
        return new RunId(new JobId(JOBS.incrementAndGet()), 1);
    }

    /// The node's next registration that was not returned before.
    NodeSeen awaitSeen(String node) {
        int index = answered.merge(node, 1, Integer::sum) - 1;
        Awaitility.await().atMost(LIMIT).until(() -> registrations(node).size() > index);
        return registrations(node).get(index);
    }

    List<NodeSeen> registrations(String node) {
        return seen.stream().filter(it -> it.node().value().equals(node)).toList();
    }

    /// Waits for the next registration and begins a new epoch.
    NodeSeen register(String node, RunId... wanted) {
        NodeSeen registration = awaitSeen(node);
        sync(registration, wanted);
        return registration;
    }

    /// As [#register], with all runs that the node has.
    NodeSeen registerAll(String node) {
        NodeSeen registration = awaitSeen(node);
        sync(registration, registration.runs().stream().map(HeldRun::run).toArray(RunId[]::new));
        return registration;
    }

    /// As [#registerAll], until it is as wanted: the health of GPUs goes on changing meanwhile.
    NodeSeen registerUntil(String node, Predicate<NodeSeen> wanted) {
        NodeSeen registration = registerAll(node);
        while (!wanted.test(registration)) {
            registration = registerAll(node);
        }
        return registration;
    }

    /// As [#await], and registers the node meanwhile as often as it asks: until then it reports
    /// nothing.
    <R extends RunReport> R awaitRegistering(String node, Class<R> type, RunId run) {
        return Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () -> {
                            if (registrations(node).size() > answered.getOrDefault(node, 0)) {
                                registerAll(node);
                            }
                            return reports(run).stream()
                                    .filter(type::isInstance)
                                    .map(type::cast)
                                    .findFirst();
                        },
                        Optional::isPresent)
                .orElseThrow();
    }

    void sync(NodeSeen registration, RunId... wanted) {
        String node = registration.node().value();
        long epoch = epochs.merge(node, 1L, Long::sum);
        numbers.put(node, 0L);
        write(new Order.Sync(registration.node(), epoch, registration.nonce(), List.of(wanted)));
    }

    long epoch(String node) {
        return epochs.getOrDefault(node, 0L);
    }

    long nextNumber(String node) {
        return numbers.merge(node, 1L, Long::sum);
    }

    /// The last number was not used after all.
    void unnumber(String node) {
        numbers.merge(node, -1L, Long::sum);
    }

    void skipNumber(String node) {
        nextNumber(node);
    }

    RecordMetadata write(Order order) {
        ProducerRecord<byte[], byte[]> record = record(sealed(order));
        if (key != null) {
            key.sign(List.of(record));
        }
        return write(record);
    }

    /// An order as it is, signed or not. The order with the key of its specification sealed for the
    /// node, if that has registered.
    private Order sealed(Order order) {
        String recipient =
                registrations(order.node().value()).stream()
                        .reduce((_, last) -> last)
                        .map(NodeSeen::sealFor)
                        .orElse(null);
        if (!(order instanceof Launch launch) || launch.spec().key() == null || recipient == null) {
            return order;
        }
        try {
            return launch.of(launch.spec().by(exchange.seal(launch.spec().key(), recipient)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("seal for node " + order.node(), e);
        }
    }

    ProducerRecord<byte[], byte[]> record(Order order) {
        return orders.record(NodePartitions.of(order.node(), 8), order, "order");
    }

    RecordMetadata write(ProducerRecord<byte[], byte[]> record) {
        return writer.write(record).join();
    }

    /// Signs all orders from now on; with nothing, none.
    void signWith(@Nullable SigningKey signing) {
        key = signing;
    }

    /// Writes a record of that type and value into the node's orders.
    void writeRaw(String node, String type, String value) {
        var name = new NodeName(node);
        var record = record(new Order.Go(name, epoch(node), 1, newRun()));
        var raw =
                new ProducerRecord<>(
                        record.topic(), record.partition(), record.key(), value.getBytes(UTF_8));
        raw.headers().add("ce_type", type.getBytes(UTF_8));
        writer.write(raw).join();
    }

    SpecReference writeSpec(JobSpec spec) {
        String open = Sealed.key();
        var record = Sealed.seal(specs.record(0, spec, "spec"), open);
        RecordMetadata written = writer.write(record).join();
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(record.value());
            return new SpecReference(0, written.offset(), HexFormat.of().formatHex(hash), open);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Orders the run of a specification on one node, one CPU, so much memory.
    Launch launch(String node, RunId run, JobSpec spec, long memoryMib, String... gpus) {
        var allocation =
                new Allocation(
                        new NodeName(node), 0, 1, IndexSet.firstN(1), memoryMib, List.of(gpus));
        return launch(node, run, writeSpec(spec), LaunchMode.BATCH, false, List.of(allocation), 0);
    }

    /// The same of a job that is another one than its specification says, on one CPU and 64 MiB.
    void launch(String node, RunId run, JobSpec spec, JobDescription job, long timeLimitSeconds) {
        var here = new Allocation(new NodeName(node), 0, 1, IndexSet.firstN(1), 64, List.of());
        write(
                new Launch(
                        new NodeName(node),
                        epoch(node),
                        nextNumber(node),
                        run,
                        writeSpec(spec),
                        LaunchMode.BATCH,
                        false,
                        List.of(here),
                        timeLimitSeconds,
                        job));
    }

    Launch launch(
            String node,
            RunId run,
            SpecReference spec,
            LaunchMode mode,
            boolean awaitGo,
            List<Allocation> allocations,
            long timeLimitSeconds) {
        var launch =
                new Launch(
                        new NodeName(node),
                        epoch(node),
                        nextNumber(node),
                        run,
                        spec,
                        mode,
                        awaitGo,
                        allocations,
                        timeLimitSeconds);
        write(launch);
        return launch;
    }

    void partition(String node, String gpu, MigPlacement... into) {
        write(
                new Order.Partition(
                        new NodeName(node), epoch(node), nextNumber(node), gpu, List.of(into)));
    }

    void stop(String node, RunId run, long graceSeconds) {
        write(
                new Order.Stop(
                        new NodeName(node),
                        epoch(node),
                        nextNumber(node),
                        run,
                        JobState.CANCELLED,
                        graceSeconds));
    }

    void preempt(String node, RunId run, long graceSeconds) {
        write(
                new Order.Stop(
                        new NodeName(node),
                        epoch(node),
                        nextNumber(node),
                        run,
                        JobState.PREEMPTED,
                        graceSeconds,
                        true));
    }

    /// To the tasks of a step.
    void signal(String node, RunId run, int signal, int step) {
        signal(node, run, signal, SignalTarget.STEPS, step);
    }

    void signal(String node, RunId run, int signal, SignalTarget target) {
        signal(node, run, signal, target, null);
    }

    private void signal(
            String node, RunId run, int signal, SignalTarget target, @Nullable Integer step) {
        write(
                new Order.Signal(
                        new NodeName(node),
                        epoch(node),
                        nextNumber(node),
                        run,
                        signal,
                        target,
                        step));
    }

    void suspend(String node, RunId run, int nth, long graceSeconds) {
        write(
                new Order.Suspend(
                        new NodeName(node), epoch(node), nextNumber(node), run, nth, graceSeconds));
    }

    void resume(String node, RunId run) {
        write(new Order.Resume(new NodeName(node), epoch(node), nextNumber(node), run));
    }

    void go(String node, RunId run) {
        write(new Order.Go(new NodeName(node), epoch(node), nextNumber(node), run));
    }

    /// All reports of a run, in order.
    List<RunReport> reports(RunId run) {
        return reports.stream().filter(it -> it.run().equals(run)).toList();
    }

    <R extends RunReport> R await(Class<R> type, RunId run) {
        return await(type, run, _ -> true);
    }

    <R extends RunReport> R await(Class<R> type, RunId run, Predicate<R> condition) {
        return Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () ->
                                reports(run).stream()
                                        .filter(type::isInstance)
                                        .map(type::cast)
                                        .filter(condition)
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    Heartbeat awaitHeartbeat(String node, Predicate<Heartbeat> condition) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () ->
                                heartbeats.stream()
                                        .filter(it -> it.node().value().equals(node))
                                        .filter(condition)
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    @Override
    public void close() {
        views.forEach(LogView::close);
        writer.close();
    }
}
