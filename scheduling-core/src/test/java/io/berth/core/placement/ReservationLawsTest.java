package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.ReservationFlag;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds of every decision, over seeded random reservations on three nodes of eight GPUs and
/// jobs in them and beside them, which run to their limits.
final class ReservationLawsTest {

    private static final List<List<String>> FLAGS =
            List.of(
                    List.of(),
                    List.of("MAINT"),
                    List.of("OVERLAP"),
                    List.of("FLEX"),
                    List.of("DAILY"),
                    List.of("WEEKLY", "OVERLAP"),
                    List.of("WEEKDAY"),
                    List.of("WEEKEND"),
                    List.of("ANY_NODES"),
                    List.of("MAGNETIC"));

    private final TestCell cell = new TestCell();
    private final LinkedHashMap<String, Reservation> reservations = new LinkedHashMap<>();

    static Stream<Integer> seeds() {
        return Stream.iterate(0, seed -> seed + 1).limit(40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void reserved_nodes_are_for_the_jobs_of_their_reservation(int seed) {
        var random = new Random(seed);
        for (String node : List.of("n1", "n2", "n3")) {
            cell.node(node, 16, 8, "a100");
        }
        for (int i = 0; i < 4; i++) {
            reserve("r" + i, random);
        }
        configure();
        for (long id = 1; id <= 40; id++) {
            submit(id, random);
            cell.now += random.nextInt(300_000);
            endOverdue();

            cell.round();

            cell.state.holding().forEach(this::check);
        }
    }

    private void reserve(String name, Random random) {
        long start = cell.now + random.nextInt(6_000_000);
        reservations.put(
                name,
                new Reservation(
                        new Part(1, 1, 1),
                        name,
                        start,
                        start + 600_000 + random.nextInt(3_000_000),
                        random.nextInt(5) == 0
                                ? List.of("ALL")
                                : List.of("n" + (1 + random.nextInt(3))),
                        List.of("alice"),
                        List.of(),
                        FLAGS.get(random.nextInt(FLAGS.size())),
                        null));
    }

    private void configure() {
        Configuration plain = TestCell.configuration();
        cell.take(
                new Input.Configured(
                        new Configuration(
                                plain.revision() + 1,
                                plain.cluster(),
                                plain.partitions(),
                                plain.accounts(),
                                plain.associations(),
                                plain.qos(),
                                reservations,
                                plain.switches(),
                                plain.licenses())));
    }

    private void submit(long id, Random random) {
        ResourceRequest plain = gpus(1 + random.nextInt(2), 1 + random.nextInt(8), null);
        String reservation = random.nextBoolean() ? null : "r" + random.nextInt(4);
        var where =
                new NodeConstraints(null, List.of(), List.of(), Sharing.SHARED, null, reservation);
        var request =
                new ResourceRequest(
                        plain.nodes(), plain.tasks(), 1, plain.memory(), plain.gpus(), where);
        cell.submit(
                id,
                TestCell.job(request, 60 + random.nextInt(1800))
                        .in(random.nextBoolean() ? "batch" : "urgent"));
    }

    /// Ends the runs that have come to their limits.
    private void endOverdue() {
        for (JobId id : List.copyOf(cell.state.holding())) {
            JobStatus job = cell.job(id.value());
            Run run = job.run();
            if (run != null && end(job, run) <= cell.now) {
                for (Allocation it : run.allocations()) {
                    String node = it.node().value();
                    cell.ready(id.value(), run.lease(), node);
                    cell.ended(id.value(), run.lease(), node, Cause.EXITED, 0);
                }
            }
        }
    }

    private static long end(JobStatus job, Run run) {
        return run.placedAt() + job.description().timeLimitSeconds() * 1000;
    }

    private void check(JobId id) {
        JobStatus job = cell.job(id.value());
        Run run = job.run();
        if (run == null || run.outcome() != null) {
            return;
        }
        String name = job.description().request().where().reservation();
        Reservation own = name == null ? null : reservations.get(name);
        for (Allocation it : run.allocations()) {
            for (Reservation other : reservations.values()) {
                boolean attracted = own == null && other.has(ReservationFlag.MAGNETIC);
                boolean mayLieOver = attracted || (own != null && own.overlaps());
                if (!other.equals(own) && !mayLieOver && has(other, it)) {
                    assertThat(apart(other, run.placedAt(), end(job, run)))
                            .as("job %s on %s in %s", id, it.node(), other)
                            .isTrue();
                }
            }
            if (own != null && !own.has(ReservationFlag.FLEX)) {
                boolean anywhere = own.has(ReservationFlag.ANY_NODES);
                assertThat(anywhere || has(own, it))
                        .as("job %s on %s of %s", id, it.node(), own)
                        .isTrue();
                long start = own.startAt(run.placedAt());
                assertThat(run.placedAt()).isGreaterThanOrEqualTo(start);
                assertThat(end(job, run)).isLessThanOrEqualTo(own.endOf(start));
            }
        }
    }

    private static boolean has(Reservation it, Allocation allocation) {
        return it.nodes().equals(List.of("ALL")) || it.nodes().contains(allocation.node().value());
    }

    private static boolean apart(Reservation it, long from, long until) {
        return it.over(from) || it.startAt(from) >= until;
    }
}
