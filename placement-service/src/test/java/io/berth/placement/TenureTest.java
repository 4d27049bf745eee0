package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.Hold;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.packing.Policies;
import io.berth.core.replay.DecisionDigest;
import io.berth.core.replay.Replay;
import io.berth.core.replay.RoundAssembler;
import io.berth.core.replay.RoundAssembler.Round;
import io.berth.core.replay.SnapshotAssembler;
import io.berth.core.replay.SnapshotAssembler.Snapshot;
import io.berth.log.Events;
import io.berth.log.SigningKey;
import io.berth.log.TopicDeclarations;
import io.berth.log.trace.TraceContext;
import io.berth.placement.kafka.CellLog;
import io.berth.placement.kafka.Fatal;
import io.berth.placement.kafka.Fenced;
import io.berth.placement.kafka.Outdated;
import io.berth.placement.kafka.Oversized;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(OneBroker.class)
final class TenureTest {

    private final CellHarness cell;

    TenureTest(CellHarness cell) {
        this.cell = cell;
    }

    private static ProducerRecord<byte[], byte[]> submission(String type, String value) {
        return record(Topics.SUBMISSIONS, type, value);
    }

    private static ProducerRecord<byte[], byte[]> record(
            Topic<?> topic, String type, String value) {
        var record = new ProducerRecord<>(topic.name(), 0, bytes("1"), bytes(value));
        record.headers().add("ce_type", bytes(topic.name() + "/" + type));
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void a_job_goes_from_its_submission_to_its_end() {
        try (var leader = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            Order.Launch launch = cell.awaitLaunch(1);
            cell.started(1, "n1");
            cell.ended(1, "n1");

            JobEvent.Ended ended = cell.awaitEnd(1);

            assertThat(launch.here().gpus()).containsExactly("GPU-n1");
            assertThat(ended.state()).isEqualTo(JobState.COMPLETED);
            assertThat(leader.ended).isNotDone();
        }
        assertThat(cell.read(Topics.JOBS))
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("Queued", "Placed", "Started", "Ended");
    }

    @Test
    void many_large_arrays_are_taken_in_rounds_of_one_and_none_is_lost_between_two_leaders() {
        for (int array = 0; array < 5; array++) {
            cell.submitArray(1 + 1000 * array, 1000);
        }

        try (var _ = cell.leader()) {
            cell.await(Topics.CELL_STATES, round -> round.highestJob() >= 1000);
        }
        try (var _ = cell.leader()) {
            cell.await(Topics.CELL_STATES, round -> round.highestJob() == 5000);
        }

        assertThat(cell.read(Topics.CELL_STATES))
                .extracting(CellStatus::highestJob)
                .contains(1000L, 2000L, 3000L, 4000L, 5000L);
        assertThat(cell.read(Topics.JOBS))
                .extracting(event -> event.job().value())
                .hasSize(5000)
                .doesNotHaveDuplicates();
    }

    @Test
    void what_jobs_went_through_is_measured_without_naming_them() {
        try (var _ = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.awaitLaunch(1);
            cell.started(1, "n1");
            cell.ended(1, "n1");
            cell.awaitEnd(1);
        }

        var meters = cell.meters;
        assertThat(
                        meters.get("training.job.scheduling.duration")
                                .tags(
                                        "queue",
                                        "batch",
                                        "job_type",
                                        "single_gpu",
                                        "result",
                                        "placed")
                                .timer()
                                .count())
                .isEqualTo(1);
        assertThat(
                        meters.get("training.job.completion")
                                .tags(
                                        "queue",
                                        "batch",
                                        "job_type",
                                        "single_gpu",
                                        "status",
                                        "completed")
                                .timer()
                                .count())
                .isEqualTo(1);
        assertThat(meters.get("berth.placement.transaction").timer().count()).isPositive();
        assertThat(meters.getMeters())
                .flatExtracting(meter -> meter.getId().getTags())
                .extracting(tag -> tag.getKey())
                .isSubsetOf(
                        "le",
                        "queue",
                        "job_type",
                        "result",
                        "status",
                        "priority",
                        "resource_type",
                        "state",
                        "presence",
                        "topic",
                        "kind",
                        "clock",
                        "pass",
                        "of");
    }

    @Test
    void the_time_until_a_job_is_placed_is_a_span_of_the_request_that_submitted_it() {
        TraceContext request = TraceContext.root();
        try (var _ = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.submit(2, request);
            cell.awaitLaunch(1);
            cell.started(1, "n1");
            cell.ended(1, "n1");
            cell.awaitLaunch(2);
        }

        assertThat(cell.endedSpans)
                .singleElement()
                .satisfies(span -> {
                    assertThat(span.parent()).isEqualTo(request);
                    assertThat(span.context().traceId()).isEqualTo(request.traceId());
                    assertThat(span.attributes())
                            .isEqualTo(Map.of("berth.job", "2", "berth.nodes", "n1"));
                    assertThat(span.begun()).isBefore(span.ended());
                });
    }

    @Test
    void a_successor_goes_on_where_the_log_stands() {
        try (var first = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.submit(2);
            cell.awaitLaunch(1);
            first.stop();
        }
        cell.started(1, "n1");
        cell.ended(1, "n1");
        cell.submit(3);

        try (var _ = cell.leader()) {
            cell.awaitEnd(1);
            cell.awaitLaunch(2);
        }

        assertThat(
                        cell.read(Topics.JOBS).stream()
                                .filter(event -> event instanceof JobEvent.Queued))
                .extracting(event -> event.job().value())
                .containsExactly(1L, 2L, 3L);
        assertThat(
                        cell.read(Topics.PLACEMENTS).stream()
                                .filter(order -> order instanceof Order.Launch))
                .extracting(order -> ((Order.Launch) order).run().job().value())
                .containsExactly(1L, 2L);
    }

    @Test
    void the_rebuilt_state_is_the_one_that_was_written() {
        try (var leader = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.submit(2);
            cell.awaitLaunch(1);
            leader.stop();
        }

        var recovered = cell.recover();
        recovered.inputs().close();
        recovered.rounds().close();

        CellStatus last = cell.read(Topics.CELL_STATES).getLast();
        assertThat(recovered.last()).isEqualTo(last);
        assertThat(recovered.state().jobs()).extracting(JobStatus::job).contains(new JobId(1));
        assertThat(recovered.state().holding()).containsExactly(new JobId(1));
    }

    @Test
    void every_round_decides_the_same_when_it_is_done_again() throws Exception {
        try (var leader = cell.leader()) {
            cell.await(Topics.SNAPSHOTS, it -> it instanceof SnapshotEvent.Complete);
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.submit(2);
            cell.awaitLaunch(1);
            leader.stop();
        }
        try (var successor = cell.leader()) {
            cell.started(1, "n1");
            cell.ended(1, "n1");
            cell.awaitLaunch(2);
            successor.stop();
        }

        assertThat(replayed()).isGreaterThanOrEqualTo(2);
    }

    /// Makes all rounds after the first snapshot again, and tells how many they are.
    private int replayed() throws Exception {
        var snapshots = new ArrayList<Snapshot>();
        var whole = new SnapshotAssembler();
        for (SnapshotEvent event : cell.read(Topics.SNAPSHOTS)) {
            whole.add(event).ifPresent(snapshots::add);
        }
        Snapshot first = snapshots.getFirst();
        var replay = new Replay(first.state());
        var rounds = new RoundAssembler();
        int again = 0;
        for (RoundEvent event : cell.read(Topics.ROUNDS)) {
            Round round = rounds.add(event).orElse(null);
            if (round != null && round.decided().round() > first.round()) {
                String digest = DecisionDigest.of(replay.round(round.inputs(), round.decided()));
                assertThat(digest).isEqualTo(round.decided().digest());
                again++;
            }
        }
        var recovered = cell.recover();
        recovered.inputs().close();
        recovered.rounds().close();
        assertThat(List.copyOf(replay.state().jobs()))
                .isEqualTo(List.copyOf(recovered.state().jobs()));
        return again;
    }

    @Test
    void a_state_that_somebody_else_wrote_is_not_led() {
        try (var leader = cell.leader()) {
            cell.submit(1);
            cell.await(Topics.JOB_STATES, status -> status.job().value() == 1);
            leader.stop();
        }
        cell.write(new ProducerRecord<>(Topics.JOB_STATES.name(), 0, bytes("1"), null));

        assertThatThrownBy(cell::recover).isInstanceOf(Fatal.class).hasMessageContaining("digest");
    }

    /// A version before that of who wrote it would write it anew without what it does not know.
    @ParameterizedTest
    @ValueSource(strings = {"job-states", "node-states", "cell-states"})
    void a_state_with_a_field_of_tomorrow_is_not_led_and_is_when_that_is_gone(String name) {
        try (var leader = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.awaitLaunch(1);
            leader.stop();
        }
        var topic =
                Stream.of(Topics.JOB_STATES, Topics.NODE_STATES, Topics.CELL_STATES)
                        .filter(it -> it.name().equals("berth." + name + ".v1"))
                        .findFirst()
                        .orElseThrow();
        cell.write(cell.last(topic, ",\"tomorrow\":1}"));

        assertThatThrownBy(cell::recover)
                .isInstanceOf(Outdated.class)
                .hasMessageStartingWith(topic.name())
                .hasMessageEndingWith("with tomorrow");
        cell.write(cell.last(topic, "}"));
        try (var leader = cell.leader()) {
            leader.recovered.orTimeout(20, TimeUnit.SECONDS).join();
        }
    }

    @Test
    void a_corrupt_record_goes_to_the_dead_letters_and_the_next_one_is_served() {
        try (var _ = cell.leader()) {
            long offset = cell.write(submission("Submitted", "{\"job\":\"x\"}"));
            cell.submit(2);

            cell.await(Topics.JOB_STATES, status -> status.job().value() == 2);

            List<DeadLetter> letters = cell.read(Topics.deadLetters(CellLog.SERVICE));
            assertThat(letters).singleElement().extracting(DeadLetter::offset).isEqualTo(offset);
        }
    }

    /// Node n1 runs a job and signs what it says. A stolen agent has a key too, and its node.
    @Test
    void who_has_another_key_ends_no_job_and_takes_no_name(@TempDir Path folder)
            throws IOException {
        SigningKey own = SigningKey.of(folder.resolve("own"));
        SigningKey stolen = SigningKey.of(folder.resolve("stolen"));
        try (var _ = cell.leader()) {
            cell.write(
                    signed(own, Topics.NODES, CellHarness.seen("n1", "m1", "a", 0).by(own.open())));
            cell.submit(1);
            cell.awaitLaunch(1);

            cell.write(
                    new Events<>(Topics.RUNS, "test").record(0, cell.startedReport(1, "n1"), "1"));
            cell.write(signed(stolen, Topics.RUNS, cell.endedReport(1, "n1")));
            cell.write(
                    signed(
                            stolen,
                            Topics.NODES,
                            CellHarness.seen("n1", "m1", "b", 0).by(stolen.open())));
            cell.write(
                    signed(
                            stolen,
                            Topics.NODES,
                            CellHarness.seen("n1", "m1", "c", 0).by(own.open())));
            cell.write(signed(own, Topics.RUNS, cell.startedReport(1, "n1")));
            cell.write(signed(own, Topics.RUNS, cell.endedReport(1, "n1")));
            cell.awaitEnd(1);
        }

        assertThat(cell.read(Topics.JOBS))
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("Queued", "Placed", "Started", "Ended");
        assertThat(cell.read(Topics.deadLetters(CellLog.SERVICE)))
                .extracting(DeadLetter::cause)
                .containsExactlyInAnyOrder(
                        "not the word of node n1: it is not signed",
                        "not the word of node n1: key " + stolen.id() + " has not signed it",
                        "not the word of node n1: key " + stolen.id() + " has not signed it");
        assertThat(cell.read(Topics.PLACEMENTS))
                .filteredOn(Order.Refused.class::isInstance)
                .extracting(order -> ((Order.Refused) order).nonce())
                .containsExactly("b");
    }

    private static <E> ProducerRecord<byte[], byte[]> signed(
            SigningKey key, Topic<E> topic, E event) {
        var record = new Events<>(topic, "test").record(0, event, "test");
        key.sign(List.of(record));
        return record;
    }

    @Test
    void corrupt_records_of_tables_do_not_keep_a_successor_from_leading() {
        try (var leader = cell.leader()) {
            cell.write(record(Topics.RANKINGS, "Ranked", "{"));
            cell.write(record(Topics.RANKINGS, "Ranked", "{\"job\":null,\"rank\":null}"));
            cell.write(record(Topics.FAIR_SHARES, "FairShares", "{"));
            cell.write(record(Topics.CONFIG, "Cluster", "{"));
            cell.await(
                    Topics.deadLetters(CellLog.SERVICE),
                    letter -> letter.topic().equals(Topics.CONFIG.name()));
            leader.stop();
        }

        try (var _ = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);

            assertThat(cell.awaitLaunch(1).here().gpus()).hasSize(1);
        }
    }

    @Test
    void a_leader_goes_on_without_an_input_that_cannot_be_decided() {
        try (var leader = cell.leader()) {
            cell.submit(1);
            cell.submit(2, "\"description\":{", "\"description\":null,\"was\":{");
            cell.submit(3);

            cell.await(Topics.JOB_STATES, status -> status.job().value() == 3);
            assertThat(leader.ended).isNotDone();
        }

        assertThat(cell.read(Topics.deadLetters(CellLog.SERVICE)))
                .extracting(DeadLetter::offset)
                .contains(1L);
        assertThat(cell.read(Topics.JOB_STATES))
                .extracting(status -> status.job().value())
                .doesNotContain(2L);
    }

    @Test
    void a_job_without_a_name_is_put_aside() {
        cell.submit(1);
        cell.submit(2, "\"name\":\"job\"", "\"name\":null");
        cell.submit(3);

        try (var leader = cell.leader()) {
            cell.await(Topics.JOB_STATES, status -> status.job().value() == 3);
            assertThat(leader.ended).isNotDone();
        }
        theSecondIsPutAside();
    }

    /// What was submitted fits into a record, what becomes of it does not.
    @Test
    void a_successor_leaves_out_an_input_whose_facts_are_too_large() {
        String comment = "x".repeat((1 << 20) - 1_800);
        cell.submit(1);
        cell.submit(2, "\"user\":", "\"terms\":{\"comment\":\"" + comment + "\"},\"user\":");
        cell.submit(3);

        endsATenureOnce(
                Oversized.class,
                () -> cell.await(Topics.JOB_STATES, status -> status.job().value() == 3));
        theSecondIsPutAside();
    }

    private void theSecondIsPutAside() {
        assertThat(cell.read(Topics.JOBS))
                .extracting(event -> event.job().value())
                .containsExactly(1L, 3L);
        assertThat(cell.read(Topics.deadLetters(CellLog.SERVICE)))
                .singleElement()
                .extracting(DeadLetter::offset)
                .isEqualTo(1L);
    }

    /// The first leader ends by the error; the second one does not until that is over.
    private void endsATenureOnce(Class<? extends Exception> error, Runnable served) {
        try (var first = cell.leader()) {
            assertThatThrownBy(() -> first.ended.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(error);
        }
        try (var second = cell.leader()) {
            served.run();
            assertThat(second.ended).isNotDone();
        }
    }

    /// Each component fits into a record; the order to launch the first names all.
    @Test
    void a_successor_holds_a_set_whose_launch_is_too_large_and_places_all_others() {
        List.of("n1", "n2", "n3").forEach(node -> cell.register(node, "a", 0));
        cell.submitTogether(1, "x".repeat(400_000));
        cell.submit(3);

        endsATenureOnce(
                Oversized.class,
                () -> {
                    cell.await(
                            Topics.JOBS,
                            it -> it instanceof JobEvent.Held && it.job().value() == 2);
                    cell.awaitLaunch(3);
                });

        assertThat(cell.read(Topics.JOBS).stream().filter(JobEvent.Held.class::isInstance))
                .extracting(JobEvent::job)
                .containsExactly(new JobId(1), new JobId(2));
        assertThat(cell.read(Topics.PLACEMENTS).stream().filter(Order.Launch.class::isInstance))
                .hasSize(1);
    }

    /// Nodes cannot be compared for a job of three CPUs.
    @Test
    void a_leader_holds_a_job_that_cannot_be_placed_and_places_all_others() throws Exception {
        cell.policy =
                (node, shape, gpus) -> {
                    if (shape.cpus() == 3000) {
                        throw new ArithmeticException("three");
                    }
                    return Policies.TIGHTEST.cost(node, shape, gpus);
                };
        try (var leader = cell.leader()) {
            cell.await(Topics.SNAPSHOTS, it -> it instanceof SnapshotEvent.Complete);
            cell.submit(1, "\"cpusPerTask\":1", "\"cpusPerTask\":3");
            cell.submit(2);
            cell.register("n1", "a", 0);

            cell.awaitLaunch(2);
            assertThat(leader.ended).isNotDone();
            leader.stop();
        }

        assertThat(cell.read(Topics.JOBS).stream().filter(JobEvent.Held.class::isInstance))
                .singleElement()
                .satisfies(event -> {
                    var held = (JobEvent.Held) event;
                    assertThat(held.job()).isEqualTo(new JobId(1));
                    assertThat(held.hold()).isEqualTo(Hold.ADMIN);
                    assertThat(held.why()).contains("decide on job 1");
                });
        assertThat(cell.meters.get("berth.placement.failed.decisions").tag("of", "placing"))
                .satisfies(it -> assertThat(it.counter().count()).isGreaterThanOrEqualTo(2));
        assertThat(replayed()).isPositive();
    }

    @Test
    void an_unknown_event_type_stops_the_tenure() {
        try (var leader = cell.leader()) {
            cell.write(submission("Teleported", "{}"));

            assertThatThrownBy(() -> leader.ended.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(Fatal.class)
                    .hasMessageContaining("Teleported");
        }
    }

    /// The job's limit and all that is granted beyond it are over by that clock.
    @Test
    void a_leader_whose_clock_is_off_decides_nothing() {
        try (var leader = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.awaitLaunch(1);
            cell.started(1, "n1");
            cell.await(Topics.JOBS, event -> event instanceof JobEvent.Started);
            leader.stop();
        }
        CellStatus last = cell.read(Topics.CELL_STATES).getLast();

        try (var ahead = cell.leader(() -> System.currentTimeMillis() + 3_600_000)) {
            assertThatThrownBy(() -> ahead.ended.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(Fatal.class)
                    .hasMessageContaining("ms off the broker's");
        }

        assertThat(cell.read(Topics.CELL_STATES).getLast()).isEqualTo(last);
        assertThat(cell.read(Topics.PLACEMENTS)).noneMatch(Order.Stop.class::isInstance);
        try (var _ = cell.leader()) {
            cell.ended(1, "n1");

            assertThat(cell.awaitEnd(1).state()).isEqualTo(JobState.COMPLETED);
        }
    }

    @Test
    void a_predecessor_that_wakes_up_is_fenced() {
        try (var zombie = cell.leader()) {
            cell.submit(1);
            cell.await(Topics.JOB_STATES, status -> status.job().value() == 1);
            var next = new AtomicLong(1);
            try (var successor = cell.leader()) {
                // While it is just being fenced, a broker has no word for its commit.
                successor.recovered.orTimeout(60, TimeUnit.SECONDS).join();
                Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> {
                            cell.submit(next.incrementAndGet());
                            return zombie.ended.isDone();
                        });

                cell.await(Topics.JOB_STATES, status -> status.job().value() == next.get());
                assertThat(zombie.ended)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(Fenced.class);
                assertThat(successor.ended).isNotDone();
            }
        }
        assertThat(cell.read(Topics.JOBS)).extracting(JobEvent::job).doesNotHaveDuplicates();
    }

    @Test
    void a_registration_waits_for_the_reports_before_it() {
        try (var _ = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.submit(1);
            cell.awaitLaunch(1);
            cell.register("n1", "b", 2);
            cell.started(1, "n1");
            cell.ended(1, "n1");

            cell.await(
                    Topics.PLACEMENTS,
                    order -> order instanceof Order.Sync sync && sync.nonce().equals("b"));

            assertThat(cell.awaitEnd(1).state()).isEqualTo(JobState.COMPLETED);
            assertThat(cell.awaitEnd(1).runs()).hasSize(1);
        }
    }

    @Test
    void a_machine_that_is_refused_is_no_sign_of_life_of_the_node_whose_name_it_takes() {
        cell.silentAfter = Duration.ofSeconds(1);
        try (var _ = cell.leader()) {
            cell.register("n1", "a", 0);
            cell.await(Topics.NODE_STATES, node -> node.presence() == Presence.SILENT);

            cell.register("n1", "another", "b", 0);

            cell.await(Topics.PLACEMENTS, order -> order instanceof Order.Refused);
            assertThat(cell.read(Topics.NODE_STATES))
                    .extracting(NodeStatus::presence)
                    .containsExactly(Presence.UP, Presence.SILENT);
        }
    }

    @Test
    void what_a_dead_agent_had_on_its_way_is_no_sign_of_life_of_its_successor() {
        cell.silentAfter = Duration.ofSeconds(1);
        try (var _ = cell.leader()) {
            cell.register(CellHarness.seen("n1", "machine", "a", 0).in(new Life("spool", 2)));
            cell.await(Topics.NODE_STATES, node -> node.presence() == Presence.SILENT);

            cell.register(CellHarness.seen("n1", "machine", "b", 0).in(new Life("spool", 1)));

            cell.await(Topics.PLACEMENTS, order -> order instanceof Order.Refused);
            assertThat(cell.read(Topics.NODE_STATES))
                    .extracting(NodeStatus::presence)
                    .containsExactly(Presence.UP, Presence.SILENT);
        }
    }

    @Test
    void an_input_that_was_deleted_unread_is_noticed() throws Exception {
        try (var leader = cell.leader()) {
            cell.submit(1);
            cell.await(Topics.JOB_STATES, status -> status.job().value() == 1);
            leader.stop();
        }
        cell.submit(2);
        cell.submit(3);
        var submissions = new TopicPartition(Topics.SUBMISSIONS.name(), 0);
        try (var admin = cell.outside.admin()) {
            admin.deleteRecords(Map.of(submissions, RecordsToDelete.beforeOffset(2))).all().get();
        }

        assertThatThrownBy(cell::recover)
                .isInstanceOf(Fatal.class)
                .hasMessageContaining("stopped at offset 1 of berth.submissions.v1-0")
                .hasMessageContaining("not in the log any more (2 to 3)");
    }

    @Test
    void a_topic_that_was_made_again_is_noticed() throws Exception {
        try (var leader = cell.leader()) {
            cell.submit(1);
            cell.await(Topics.JOB_STATES, status -> status.job().value() == 1);
            leader.stop();
        }
        try (var admin = cell.outside.admin()) {
            admin.deleteTopics(List.of(Topics.SUBMISSIONS.name())).all().get();
            new TopicDeclarations(1, 2, (short) 1).create(admin, List.of(Topics.SUBMISSIONS));
        }

        assertThatThrownBy(cell::recover).isInstanceOf(Fatal.class).hasMessageContaining("deleted");
    }
}
