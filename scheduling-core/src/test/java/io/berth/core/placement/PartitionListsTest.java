package io.berth.core.placement;

import static io.berth.core.testing.TestCell.events;
import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Amendment;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Jobs that may start in several partitions: `pair` has n1 and n2, `batch` all three nodes.
final class PartitionListsTest {

    private static final List<String> BOTH = List.of("pair", "batch");

    private final TestCell cell = new TestCell();

    @BeforeEach
    void register() {
        for (String node : List.of("n1", "n2", "n3")) {
            cell.node(node, 8, 8, "a100");
        }
    }

    private void submit(long id, long limitSeconds, int nodes, int gpus, List<String> partitions) {
        cell.submit(id, job(gpus(nodes, gpus, null), limitSeconds).inAnyOf(partitions));
    }

    /// Runs in those partitions hold these whole nodes, for so long.
    private void fill(long id, String partition, long limitSeconds) {
        submit(id, limitSeconds, 1, 8, List.of(partition));
        cell.round();
        assertThat(cell.job(id).state()).isEqualTo(JobState.RUNNING);
    }

    private String partition(long id) {
        return cell.job(id).description().partition();
    }

    @Test
    void a_job_starts_in_the_first_of_its_partitions_where_both_could_hold_it() {
        submit(1, 600, 1, 8, BOTH);

        List<Fact> facts = cell.round();

        assertThat(partition(1)).isEqualTo("pair");
        assertThat(events(facts)).noneMatch(JobEvent.Amended.class::isInstance);
    }

    @Test
    void a_job_starts_in_the_partition_of_the_highest_tier_wherever_that_stands_in_its_list() {
        submit(1, 600, 1, 8, List.of("batch", "urgent"));

        cell.round();

        assertThat(partition(1)).isEqualTo("urgent");
    }

    @Test
    void a_job_starts_where_there_is_room_and_all_are_told_in_which_partition() {
        fill(1, "pair", 600);
        fill(2, "pair", 600);
        submit(3, 600, 1, 8, BOTH);

        List<Fact> facts = cell.round();

        assertThat(cell.where(3)).containsExactly("n3:0:0,1,2,3,4,5,6,7");
        assertThat(partition(3)).isEqualTo("batch");
        assertThat(cell.job(3).description().partitions()).isEqualTo(BOTH);
        assertThat(events(facts))
                .filteredOn(JobEvent.Amended.class::isInstance)
                .singleElement()
                .satisfies(it ->
                        assertThat(((JobEvent.Amended) it).description().partition())
                                .isEqualTo("batch"));
    }

    @Test
    void a_job_that_is_requeued_may_start_in_all_its_partitions_again() {
        fill(1, "pair", 600);
        fill(2, "pair", 600);
        submit(3, 600, 1, 8, BOTH);
        cell.round();
        cell.ready(3, 1, "n3");
        cell.started(3, 1, "n3");
        cell.ended(1, 1, "n1", Cause.EXITED, 0);

        cell.ask(new Submission.RequeueRequested(new JobId(3), "alice", false));
        cell.ended(3, 1, "n3", Cause.STOPPED, 0);
        cell.round();

        assertThat(cell.job(3).ended()).hasSize(1);
        assertThat(partition(3)).isEqualTo("pair");
        assertThat(cell.where(3)).containsExactly("n1:0:0,1,2,3,4,5,6,7");
    }

    @Test
    void a_partition_that_lets_a_job_not_start_keeps_it_from_no_other() {
        submit(1, 600, 2, 8, BOTH);

        cell.round();

        assertThat(partition(1)).as("pair takes one node a job").isEqualTo("batch");
    }

    @Test
    void a_job_is_expected_where_it_can_start_soonest() {
        fill(1, "pair", 3000);
        fill(2, "pair", 3000);
        fill(3, "batch", 600);

        submit(4, 600, 1, 8, BOTH);
        cell.round();

        Planned planned = Objects.requireNonNull(cell.job(4).planned());
        assertThat(planned.partition()).isEqualTo("batch");
        assertThat(planned.start()).isEqualTo(cell.now + 602_000);
        assertThat(cell.job(4).reason()).isEqualTo(Reason.RESOURCES);
    }

    @Test
    void an_expected_start_moves_to_another_partition_when_that_is_sooner() {
        fill(1, "pair", 3000);
        fill(2, "pair", 3000);
        fill(3, "batch", 600);
        submit(4, 600, 1, 8, BOTH);
        submit(5, 1200, 1, 8, List.of("batch"));
        cell.round();
        long behind = Objects.requireNonNull(cell.job(5).planned()).start();

        cell.now += 1000;
        cell.ended(2, 1, "n2", Cause.EXITED, 0);
        cell.round();

        assertThat(partition(4)).isEqualTo("pair");
        assertThat(cell.where(4)).hasSize(1);
        assertThat(Objects.requireNonNull(cell.job(5).planned()).start())
                .as("the one behind it has what was kept for it")
                .isLessThan(behind);
    }

    @Test
    void a_job_keeps_nothing_in_partitions_where_it_is_not_expected() {
        fill(1, "pair", 600);
        fill(2, "pair", 3000);
        fill(3, "batch", 3000);
        submit(4, 600, 1, 8, BOTH);
        cell.round();

        assertThat(cell.state.pending()).containsExactly(new JobId(4));
        assertThat(Objects.requireNonNull(cell.job(4).planned()).nodes())
                .extracting(Object::toString)
                .containsExactly("n1");
    }

    @ParameterizedTest
    @CsvSource({"false, pair", "true, batch"})
    void a_job_is_spoken_of_in_the_partition_where_it_is_tried_first(boolean set, String first) {
        Configuration configuration = pairWeighs();
        cell.take(new Input.Configured(configuration));
        JobDescription asked = job(gpus(1, 8, null), 600).inAnyOf(List.of("batch", "pair"));
        JobDescription job =
                set ? asked.on(asked.conditions().with(to -> to.priority = 5L)) : asked;
        cell.submit(1, job);
        cell.rank(1, 100);

        cell.round();

        assertThat(Partitions.first(configuration, job)).isEqualTo(first);
        assertThat(partition(1)).isEqualTo(first);
    }

    /// The factor of partitions counts, and that of `pair` is the highest.
    private static Configuration pairWeighs() {
        Configuration base = TestCell.configuration();
        var partitions = new LinkedHashMap<>(base.partitions());
        partitions.computeIfPresent(
                "pair",
                (name, it) ->
                        new Partition(
                                it.part(), name, false, it.nodes(), 3600, 600, 1, 1000, 1, 1024));
        ConfigEntry.Cluster cluster = base.cluster();
        return new Configuration(
                base.revision() + 1,
                new ConfigEntry.Cluster(
                        cluster.part(),
                        cluster.name(),
                        cluster.defaultAccount(),
                        cluster.defaultQos(),
                        0,
                        cluster.maxAgeSeconds(),
                        false,
                        new ConfigEntry.Weights(0, 0, 0, 1000, 0),
                        cluster.prices(),
                        null,
                        null),
                partitions,
                base.accounts(),
                base.associations(),
                base.qos(),
                base.reservations(),
                base.switches(),
                base.licenses());
    }

    @Test
    void an_amendment_gives_a_job_other_partitions() {
        fill(1, "pair", 600);
        fill(2, "pair", 600);
        submit(3, 600, 1, 8, List.of("pair"));
        cell.round();
        assertThat(cell.job(3).state()).isEqualTo(JobState.PENDING);

        cell.ask(
                new Submission.Amended(
                        new JobId(3),
                        "alice",
                        new Amendment(
                                null,
                                "pair",
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                JobTerms.NONE.with(to -> to.partitions = BOTH),
                                null)));
        cell.round();

        assertThat(partition(3)).isEqualTo("batch");
    }
}
