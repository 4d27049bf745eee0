package io.berth.placement;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import io.berth.log.Clocks;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.log.Pulse;
import io.berth.log.TopicDeclarations;
import io.berth.log.trace.Span;
import io.berth.log.trace.Spans;
import io.berth.log.trace.TraceContext;
import io.berth.placement.kafka.CellLog;
import io.berth.placement.kafka.HeartbeatReader;
import io.berth.placement.kafka.Recovered;
import io.berth.placement.kafka.Snapshots;
import io.berth.placement.kafka.Standby;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// A cell on a real broker, and the other services played by hand.
final class CellHarness implements AutoCloseable {

    static final CellLog LOG = new CellLog(0, 2);
    private static final SpecReference SPEC = new SpecReference(0, 0, "00");

    /// Placement's.
    final KafkaConnection kafka;

    /// Of who may do all.
    final KafkaConnection outside;

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    PackingPolicy policy = Policies.TIGHTEST;
    Duration silentAfter = Duration.ofSeconds(60);
    final Faults faults = new Faults(new CellMeters(meters));
    final List<Span> endedSpans = new CopyOnWriteArrayList<>();
    private final Spans spans =
            new Spans() {
                @Override
                public boolean wanted() {
                    return true;
                }

                @Override
                public void ended(Span span) {
                    endedSpans.add(span);
                }

                @Override
                public void close() {}
            };
    private final EventWriter writer;
    private final Consumer<byte[], byte[]> reader;
    private long reports;

    /// Deletes the topics of the test before, and makes new ones.
    ///
    /// @param outside address at which everybody may do everything
    CellHarness(KafkaConnection placement, String outside) {
        this.kafka = placement;
        this.outside = new KafkaConnection(outside);
        var topics = new ArrayList<Topic<?>>(Topics.all());
        topics.add(Topics.deadLetters(CellLog.SERVICE));
        try (var admin = this.outside.admin()) {
            admin.deleteTopics(admin.listTopics().names().get()).all().get();
            new TopicDeclarations(1, 2, (short) 1).create(admin, topics);
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("make the topics of a test", e);
        }
        writer = new EventWriter(this.outside::producer);
        reader = this.outside.consumer();
        configure();
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
    }

    /// A tenure that leads on its own thread until it is closed. Closing waits for its end; `ended`
    /// tells how it ended.
    final class Leader implements AutoCloseable {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final LongSupplier wallClock;

        /// Done when it has fenced its predecessor and knows what the log says.
        final CompletableFuture<Void> recovered = new CompletableFuture<>();

        final CompletableFuture<Void> ended;

        Leader(LongSupplier wallClock) {
            this.wallClock = wallClock;
            ended =
                    CompletableFuture.runAsync(
                            this::lead, task -> Thread.ofPlatform().daemon().start(task));
        }

        private void lead() {
            var cell = recover();
            recovered.complete(null);
            try (var heartbeats =
                            new HeartbeatWatch(
                                    () -> new HeartbeatReader(kafka, LOG),
                                    silentAfter,
                                    Duration.ofSeconds(60));
                    var tenure =
                            new Tenure(
                                    cell,
                                    heartbeats,
                                    new CellMeters(meters),
                                    new Tenure.Rules(
                                            Duration.ofMillis(5),
                                            Tenure.ENOUGH_FACTS,
                                            new Settings(Backfill.CONSERVATIVE, 500, policy),
                                            "test",
                                            spans,
                                            withWallClock(),
                                            new Pulse()),
                                    new Snapshots(kafka, LOG, Duration.ofHours(1)),
                                    faults)) {
                tenure.lead(stop::get);
            }
        }

        private Clocks withWallClock() {
            return new Clocks() {
                @Override
                public long millis() {
                    return wallClock.getAsLong();
                }

                @Override
                public long nanos() {
                    return SYSTEM.nanos();
                }

                @Override
                public void sleep(long nanos) {
                    SYSTEM.sleep(nanos);
                }
            };
        }

        void stop() {
            stop.set(true);
            ended.orTimeout(20, TimeUnit.SECONDS).join();
        }

        @Override
        public void close() {
            stop.set(true);
            ended.handle((_, _) -> null).orTimeout(20, TimeUnit.SECONDS).join();
        }
    }

    /// What a new leader finds that can keep two records unread at a time; the predecessor is
    /// fenced.
    Recovered recover() {
        try (var standby = new Standby(kafka, LOG, 2)) {
            return standby.takeOver(() -> true);
        }
    }

    Leader leader() {
        return leader(System::currentTimeMillis);
    }

    /// One on a machine whose clock says that.
    Leader leader(LongSupplier wallClock) {
        return new Leader(wallClock);
    }

    <E> long write(Topic<E> topic, int partition, E event) {
        return write(new Events<>(topic, "test").record(partition, event, "test"));
    }

    long write(ProducerRecord<byte[], byte[]> record) {
        return writer.write(record).orTimeout(10, TimeUnit.SECONDS).join().offset();
    }

    /// The last event of a topic, written once more with that end.
    <E> ProducerRecord<byte[], byte[]> last(Topic<E> topic, String end) {
        var record = new Events<>(topic, "test").record(0, read(topic).getLast(), "test");
        String value = new String(record.value(), StandardCharsets.UTF_8);
        byte[] changed =
                (value.substring(0, value.length() - 1) + end).getBytes(StandardCharsets.UTF_8);
        return new ProducerRecord<>(topic.name(), 0, record.key(), changed, record.headers());
    }

    void submit(long id) {
        write(submission(id, null));
    }

    /// A submission that was asked in a trace.
    void submit(long id, TraceContext trace) {
        var record = submission(id, null);
        record.headers()
                .add(TraceContext.HEADER, trace.toString().getBytes(StandardCharsets.US_ASCII));
        write(record);
    }

    /// One submission of so many jobs, with ids from that one on.
    void submitArray(long first, int tasks) {
        var ids = List.of(new JobArray.Ids(first, first + tasks - 1));
        write(submission(first, new JobArray(IndexSet.firstN(tasks), 0, ids)));
    }

    /// A submission with that JSON in place of other.
    void submit(long id, String json, String instead) {
        var record = submission(id, null);
        String value = new String(record.value(), StandardCharsets.UTF_8);
        if (!value.contains(json)) {
            throw new IllegalArgumentException(value + " has no " + json);
        }
        byte[] changed = value.replace(json, instead).getBytes(StandardCharsets.UTF_8);
        write(new ProducerRecord<>(record.topic(), 0, record.key(), changed, record.headers()));
    }

    /// A heterogeneous job of two components with that comment each.
    void submitTogether(long first, String comment) {
        JobDescription each = description().on(JobTerms.NONE.with(to -> to.comment = comment));
        write(
                Topics.SUBMISSIONS,
                0,
                new Submission.Submitted(
                        new JobId(first), each, "alice", SPEC, null, null, List.of(each)));
    }

    private static ProducerRecord<byte[], byte[]> submission(long id, @Nullable JobArray array) {
        var submitted =
                new Submission.Submitted(new JobId(id), description(), "alice", SPEC, null, array);
        return new Events<>(Topics.SUBMISSIONS, "test").record(0, submitted, "test");
    }

    private static JobDescription description() {
        var request =
                new ResourceRequest(1, 1, 1, MemoryRequest.perCpu(1024), new GpuRequest(1, null));
        return new JobDescription(
                "alice", "team", "batch", "normal", "job", request, LaunchMode.BATCH, 600, 0, true);
    }

    void register(String name, String nonce, long reportsEnd) {
        register(name, "machine", nonce, reportsEnd);
    }

    void register(String name, String machine, String nonce, long reportsEnd) {
        register(seen(name, machine, nonce, reportsEnd));
    }

    void register(NodeSeen seen) {
        write(Topics.NODES, 0, seen);
    }

    static NodeSeen seen(String name, String machine, String nonce, long reportsEnd) {
        var gpu = new Gpu(0, "GPU-" + name, "a100", "A100", 0, 40_960, 0);
        var inventory =
                new Inventory(
                        1, 4, 1, 4, 65_536, List.of(gpu), List.of(), true, null, "linux", "x86_64");
        return new NodeSeen(
                new NodeName(name),
                nonce,
                machine,
                "boot",
                "test",
                inventory,
                List.of(),
                reportsEnd);
    }

    void started(long id, String node) {
        write(Topics.RUNS, 0, startedReport(id, node));
    }

    RunReport startedReport(long id, String node) {
        return new RunReport.Started(run(id), new NodeName(node), 1, ++reports, List.of());
    }

    void ended(long id, String node) {
        write(Topics.RUNS, 0, endedReport(id, node));
    }

    RunReport endedReport(long id, String node) {
        return new RunReport.Ended(
                run(id),
                new NodeName(node),
                1,
                ++reports,
                RunReport.Cause.EXITED,
                ExitStatus.SUCCESS,
                Consumption.NONE,
                null);
    }

    private static RunId run(long id) {
        return new RunId(new JobId(id), 1);
    }

    /// Every event of a topic that is committed now, in the order of its partitions.
    <E> List<E> read(Topic<E> topic) {
        var events = new Events<>(topic, "test");
        var read = new ArrayList<E>();
        List<TopicPartition> partitions =
                reader.partitionsFor(topic.name()).stream()
                        .map(it -> new TopicPartition(it.topic(), it.partition()))
                        .toList();
        LogReader.readAll(
                reader,
                partitions,
                record -> {
                    try {
                        read.add(events.event(record));
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
        return read;
    }

    /// Waits until an event of the topic is there.
    <E> E await(Topic<E> topic, Predicate<E> wanted) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> read(topic).stream().filter(wanted).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    Order.Launch awaitLaunch(long id) {
        return (Order.Launch)
                await(
                        Topics.PLACEMENTS,
                        order ->
                                order instanceof Order.Launch launch
                                        && launch.run().equals(run(id)));
    }

    JobEvent.Ended awaitEnd(long id) {
        return (JobEvent.Ended)
                await(
                        Topics.JOBS,
                        event -> event instanceof JobEvent.Ended && event.job().value() == id);
    }

    private void configure() {
        var cluster =
                new ConfigEntry.Cluster(
                        part(1),
                        "test",
                        "default",
                        "normal",
                        0,
                        604_800,
                        false,
                        new ConfigEntry.Weights(0, 0, 0, 0, 0),
                        new ConfigEntry.Prices(1000, 0, 0, Map.of()));
        write(Topics.CONFIG, 0, cluster);
        write(
                Topics.CONFIG,
                0,
                new ConfigEntry.Partition(
                        part(2), "batch", true, List.of("ALL"), 0, 600, 0, 1, 1, 1024));
    }

    private static ConfigEntry.Part part(int number) {
        return new ConfigEntry.Part(1, number, 2);
    }
}
