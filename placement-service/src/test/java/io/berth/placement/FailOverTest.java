package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.Order;
import io.berth.contracts.topic.Topics;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.berth.placement.kafka.Standby;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Several instances of one cell in one process. With real processes that are killed and stopped it
/// is tested on a mesh.
@ExtendWith(OneBroker.class)
final class FailOverTest {

    private final CellHarness cell;
    private final List<PlacementLoop> instances = new ArrayList<>();

    FailOverTest(CellHarness cell) {
        this.cell = cell;
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (PlacementLoop instance : instances) {
            instance.stop();
        }
    }

    private PlacementLoop instance() {
        return instance(cell.kafka);
    }

    private PlacementLoop instance(KafkaConnection kafka) {
        var instance =
                new PlacementLoop(
                        kafka, new Settings(), new Shape(), new CellMeters(cell.meters), "test");
        instances.add(instance);
        instance.start();
        return instance;
    }

    private static void await(PlacementLoop instance, Role role) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> instance.role() == role);
    }

    @Test
    void one_instance_leads_and_the_other_stands_by() {
        PlacementLoop first = instance();
        await(first, Role.LEADER);

        PlacementLoop second = instance();

        await(second, Role.STANDBY);
        assertThat(first.role()).isEqualTo(Role.LEADER);
    }

    @Test
    void a_standby_goes_on_where_the_leader_stopped_and_keeps_the_cell() throws Exception {
        PlacementLoop first = instance();
        await(first, Role.LEADER);
        PlacementLoop second = instance();
        await(second, Role.STANDBY);
        cell.register("n1", "a", 0);
        cell.submit(1);
        cell.submit(2);
        cell.awaitLaunch(1);

        first.stop();
        cell.started(1, "n1");
        cell.ended(1, "n1");
        PlacementLoop third = instance();

        await(second, Role.LEADER);
        await(third, Role.STANDBY);
        cell.awaitEnd(1);
        cell.awaitLaunch(2);
        assertThat(second.role()).isEqualTo(Role.LEADER);
        assertThat(cell.read(Topics.JOBS).stream().filter(it -> it instanceof JobEvent.Queued))
                .extracting(event -> event.job().value())
                .containsExactly(1L, 2L);
        assertThat(launches()).extracting(it -> it.run().job().value()).containsExactly(1L, 2L);
    }

    @Test
    void a_standby_that_does_not_know_what_a_newer_version_wrote_does_not_lead_until_it_is_gone()
            throws Exception {
        PlacementLoop first = instance();
        await(first, Role.LEADER);
        cell.submit(1);
        cell.await(Topics.JOB_STATES, status -> status.job().value() == 1);
        PlacementLoop second = instance();
        await(second, Role.STANDBY);

        cell.write(cell.last(Topics.CELL_STATES, ",\"tomorrow\":1}"));
        await(second, Role.OUTDATED);
        first.stop();
        PlacementLoop third = instance();
        await(third, Role.OUTDATED);

        assertThat(second.role()).isNotEqualTo(Role.LEADER);
        assertThat(new PlacementReady(third).call().getStatus())
                .isEqualTo(HealthCheckResponse.Status.DOWN);
        cell.write(cell.last(Topics.CELL_STATES, "}"));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> second.role() == Role.LEADER || third.role() == Role.LEADER);
    }

    @Test
    void a_standby_that_followed_knows_what_one_that_reads_everything_at_once_knows() {
        try (var leader = cell.leader();
                var follower = new Standby(cell.kafka, CellHarness.LOG)) {
            cell.register("n1", "a", 0);
            for (int job = 1; job <= 20; job++) {
                cell.submit(job);
                follower.follow(Duration.ofMillis(10));
            }
            cell.awaitLaunch(1);
            cell.started(1, "n1");
            cell.ended(1, "n1");
            cell.awaitLaunch(2);
            Awaitility.await()
                    .until(() -> {
                        follower.follow(Duration.ofMillis(50));
                        return follower.caughtUp();
                    });
            leader.stop();

            var followed = follower.takeOver(() -> true);
            followed.rounds().close();
            var read = cell.recover();
            read.inputs().close();
            read.rounds().close();

            assertThat(followed.last()).isEqualTo(read.last());
            assertThat(followed.state().jobs()).containsExactlyElementsOf(read.state().jobs());
            assertThat(followed.state().nodes()).containsExactlyElementsOf(read.state().nodes());
            assertThat(followed.state().configuration()).isEqualTo(read.state().configuration());
            assertThat(followed.state().pending()).isEqualTo(read.state().pending());
        }
    }

    /// Six seconds, as brokers have it unless they are told.
    @Test
    void brokers_that_allow_no_short_sessions_are_refused_with_the_name_of_their_setting(
            @TempDir Path folder) throws Exception {
        var told = new CopyOnWriteArrayList<String>();
        var handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord line) {
                        told.add(line.getLevel() + " " + line.getMessage());
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        Logger log = Logger.getLogger(PlacementLoop.class.getName());
        log.addHandler(handler);
        try (var broker =
                KafkaBroker.start(
                        folder,
                        FreePorts.next(),
                        FreePorts.next(),
                        Map.of("group.min.session.timeout.ms", "6000"))) {
            var kafka = new KafkaConnection(broker.bootstrapServers());
            try (var admin = kafka.admin()) {
                new TopicDeclarations(1, 2, (short) 1).create(admin, Topics.all());
            }

            PlacementLoop instance = instance(kafka);

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() ->
                            assertThat(told)
                                    .singleElement()
                                    .asString()
                                    .startsWith("ERROR cell=0 Placement stops: ")
                                    .contains("group.min.session.timeout.ms"));
            assertThat(instance.role()).isEqualTo(Role.STARTING);
            instance.stop();
        } finally {
            log.removeHandler(handler);
        }
    }

    @Test
    void an_instance_that_waits_for_its_topics_stops_at_once() throws Exception {
        try (var admin = cell.outside.admin()) {
            admin.deleteTopics(List.of(Topics.SUBMISSIONS.name())).all().get();
        }
        PlacementLoop waiting = instance();
        Awaitility.await()
                .until(() ->
                        Thread.getAllStackTraces().entrySet().stream()
                                .anyMatch(thread ->
                                        thread.getKey().getName().equals("placement")
                                                && Stream.of(thread.getValue())
                                                        .anyMatch(it ->
                                                                it.getMethodName()
                                                                        .equals("topicIds"))));

        long before = System.nanoTime();
        waiting.stop();

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
    }

    private List<Order.Launch> launches() {
        return cell.read(Topics.PLACEMENTS).stream()
                .filter(Order.Launch.class::isInstance)
                .map(Order.Launch.class::cast)
                .toList();
    }

    private record Shape() implements LogConfig {
        @Override
        public int cells() {
            return 1;
        }

        @Override
        public int nodePartitions() {
            return 2;
        }

        @Override
        public short replicas() {
            return 1;
        }
    }

    private record Settings() implements PlacementConfig {
        @Override
        public Optional<Path> signingKey() {
            return Optional.empty();
        }

        @Override
        public int cell() {
            return 0;
        }

        @Override
        public Duration schedMinInterval() {
            return Duration.ofMillis(5);
        }

        @Override
        public Duration silentAfter() {
            return Duration.ofSeconds(60);
        }

        @Override
        public Duration nodeTimeout() {
            return Duration.ofSeconds(60);
        }

        @Override
        public Backfill backfill() {
            return Backfill.CONSERVATIVE;
        }

        @Override
        public int bfMaxJobTest() {
            return 500;
        }

        @Override
        public Optional<URI> tracesEndpoint() {
            return Optional.empty();
        }

        @Override
        public Duration snapshotInterval() {
            return Duration.ZERO;
        }
    }
}
