package io.berth.submit.kafka;

import io.berth.contracts.event.CellStatus;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Clocks;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.LogClients;
import io.berth.log.LogReader;
import io.berth.log.LogView;
import io.berth.log.TopicDeclarations;
import io.berth.submit.Deadline;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Unavailable;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The gateway's picture of the log, and how far it has read. A thread creates the gateway's
/// topics, waits for those of the others and follows the log; when it cannot go on, it begins anew.
@Singleton
@Startup
public class GatewayLog {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayLog.class);
    private static final long PAUSE_NANOS = 1_000_000_000;

    private static final String SILENT = "the log does not answer";

    /// Where a job shows itself: a job that stands in none of these up to the end does not exist.
    private static final List<Topic<?>> OF_JOBS = List.of(Topics.SUBMISSIONS, Topics.JOB_STATES);

    private final LogClients clients;
    private final EventWriter writer;
    private final TopicDeclarations declarations;
    private final Clocks clocks;
    private final Admin admin;
    private final Thread thread = Thread.ofPlatform().name("gateway-log").unstarted(this::run);
    private volatile @Nullable Tenure tenure;
    private volatile boolean stopped;

    /// One reading of the log, from its beginning until it fails.
    private record Tenure(
            Picture picture, LogView view, Map<String, TopicDescription> descriptions) {}

    GatewayLog(
            LogClients clients, EventWriter writer, TopicDeclarations declarations, Clocks clocks) {
        this.clients = clients;
        this.writer = writer;
        this.declarations = declarations;
        this.clocks = clocks;
        this.admin = clients.admin();
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void stop() throws InterruptedException {
        stopped = true;
        Tenure now = tenure;
        if (now == null) {
            thread.interrupt();
        } else {
            now.view().close();
        }
        thread.join(TimeUnit.SECONDS.toMillis(15));
        admin.close(Duration.ofSeconds(1));
    }

    /// The picture, once it has caught up with the log as it was at the start.
    ///
    /// @throws Unavailable before that
    public Picture picture() {
        return caughtUp().picture();
    }

    /// Waits until the picture shows what stands below that position.
    ///
    /// @throws Unavailable if it does not in time
    public void await(Position position, Deadline due) {
        await(Topics.SUBMISSIONS, position, due);
    }

    /// Waits until the picture shows what stands below that position of that topic.
    ///
    /// @throws Unavailable if it does not in time
    void await(Topic<?> topic, Position position, Deadline due) {
        var partition = new TopicPartition(topic.name(), position.cell());
        await(caughtUp(), Map.of(partition, position.offset()), due);
    }

    /// Waits until the picture shows every job that is in the log now.
    ///
    /// @throws Unavailable if that cannot be known in time
    public void catchUp(Deadline due) {
        catchUp(OF_JOBS, due);
    }

    /// Waits until the picture shows what is in that topic now.
    ///
    /// @throws Unavailable if that cannot be known in time
    public void catchUp(Topic<?> topic, Deadline due) {
        catchUp(List.of(topic), due);
    }

    private void catchUp(List<Topic<?>> topics, Deadline due) {
        Tenure now = caughtUp();
        await(now, ends(now, topics, due), due);
    }

    /// Makes a topic, if it is not there.
    public void declare(Topic<?> topic) {
        declarations.create(admin, List.of(topic));
    }

    /// Above all submissions of a cell that are in the log now.
    ///
    /// @throws Unavailable if that cannot be known in time
    public Position end(int cell, Deadline due) {
        var partition = new TopicPartition(Topics.SUBMISSIONS.name(), cell);
        var ends = ends(caughtUp(), List.of(Topics.SUBMISSIONS), due);
        return new Position(cell, ends.getOrDefault(partition, 0L));
    }

    private Map<TopicPartition, Long> ends(Tenure now, List<Topic<?>> topics, Deadline due) {
        var latest = new HashMap<TopicPartition, OffsetSpec>();
        partitions(now.descriptions(), topics).forEach(it -> latest.put(it, OffsetSpec.latest()));
        int millis = Math.toIntExact(Math.max(1, due.left().toMillis()));
        var options = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED).timeoutMs(millis);
        var ends = new HashMap<TopicPartition, Long>();
        due.get(admin.listOffsets(latest, options).all(), SILENT)
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    /// Waits until placement has decided on what stands below that position, and the picture shows
    /// that.
    ///
    /// @throws Unavailable if it does not in time
    public void awaitDecision(Position position, Deadline due) {
        Tenure now = caughtUp();
        await(
                now,
                () -> now.picture().decided(position),
                "placement has not decided on an earlier request",
                due);
        catchUp(due);
    }

    /// Whether the picture shows, as far as there is one, that placement has decided on what stands
    /// below that position.
    public boolean decided(Position position) {
        Tenure now = tenure;
        return now != null && now.picture().decided(position);
    }

    /// Asks the brokers whether they are there.
    ///
    /// @throws Unavailable if they do not answer in time
    public void ping(Deadline due) {
        int millis = Math.toIntExact(Math.max(1, due.left().toMillis()));
        due.get(
                admin.describeCluster(new DescribeClusterOptions().timeoutMs(millis)).nodes(),
                SILENT);
    }

    /// How many records the picture is behind the log; not a number while there is no picture.
    double unread() {
        Tenure now = tenure;
        return now == null ? Double.NaN : now.view().unread();
    }

    private Tenure caughtUp() {
        Tenure now = tenure;
        if (now == null || !now.view().caughtUp()) {
            throw new Unavailable("the gateway has not read the log yet");
        }
        return now;
    }

    private static void await(Tenure tenure, Map<TopicPartition, Long> ends, Deadline due) {
        await(
                tenure,
                () -> tenure.view().reached(ends),
                "the gateway's view of the log is behind",
                due);
    }

    private static void await(
            Tenure tenure, BooleanSupplier shown, String otherwise, Deadline due) {
        try {
            if (!tenure.view().await(shown, due.left())) {
                throw new Unavailable(otherwise);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        }
    }

    /// Follows the log until it is stopped.
    void run() {
        String lastFailure = "";
        while (!stopped) {
            try {
                follow();
            } catch (RuntimeException e) {
                if (!stopped && !lastFailure.equals(e.toString())) {
                    lastFailure = e.toString();
                    LOG.atWarn().setCause(e).log("Log cannot be followed; beginning anew");
                }
                clocks.sleep(PAUSE_NANOS);
            }
        }
    }

    private void follow() {
        var own = new ArrayList<Topic<?>>(Topics.writtenBy(PictureTopics.SERVICE));
        own.add(Topics.deadLetters(PictureTopics.SERVICE));
        declarations.create(admin, own);
        List<Topic<?>> topics =
                Stream.concat(PictureTopics.OWN.stream(), PictureTopics.OF_OTHERS.stream())
                        .toList();
        Map<String, TopicDescription> found = TopicDeclarations.await(admin, topics);
        var picture = new Picture(cellStatuses(partitions(found, List.of(Topics.CELL_STATES))));
        var reader = new PictureTopics(picture, new DeadLetters(writer));
        var view = new LogView(clients.follower(), partitions(found, topics), reader, clocks);
        tenure = new Tenure(picture, view, found);
        try {
            view.run();
        } finally {
            tenure = null;
        }
    }

    private static List<TopicPartition> partitions(
            Map<String, TopicDescription> descriptions, Collection<Topic<?>> topics) {
        return topics.stream()
                .map(topic -> descriptions.get(topic.name()))
                .filter(it -> it != null)
                .flatMap(it ->
                        IntStream.range(0, it.partitions().size())
                                .mapToObj(number -> new TopicPartition(it.name(), number)))
                .toList();
    }

    private Collection<CellStatus> cellStatuses(List<TopicPartition> partitions) {
        var events = PictureTopics.cellStates();
        var statuses = new LinkedHashMap<Integer, CellStatus>();
        try (var consumer = clients.consumer()) {
            LogReader.readAll(
                    consumer,
                    partitions,
                    record -> {
                        try {
                            if (record.value() != null) {
                                statuses.put(record.partition(), events.event(record));
                            }
                        } catch (UnknownEventType | CorruptEvent e) {
                            LOG.atWarn()
                                    .setCause(e)
                                    .addKeyValue("record", Events.position(record))
                                    .log("Cell state cannot be read");
                        }
                    });
        }
        return statuses.values();
    }
}
