package io.berth.core.placement;

import static io.berth.core.engine.Unplanned.Cause.NEVER;
import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Unplanned;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Two nodes of eight GPUs each. Times are seconds from the start of the test.
final class PlacementReservationsTest {

    private static final Partition ENDLESS =
            new Partition(new Part(1, 1, 1), "endless", false, List.of("ALL"), 0, 0, 0, 1, 1, 1024);

    private final TestCell cell = new TestCell();
    private final long zero = cell.now;

    @BeforeEach
    void two_nodes() {
        cell.node("n1", 16, 8, "a100");
        cell.node("n2", 16, 8, "a100");
    }

    private void reserve(Reservation... reservations) {
        Configuration plain = TestCell.configuration();
        var partitions = new LinkedHashMap<>(plain.partitions());
        partitions.put("endless", ENDLESS);
        var byName = new LinkedHashMap<String, Reservation>();
        for (Reservation it : reservations) {
            byName.put(it.name(), it);
        }
        cell.take(
                new Input.Configured(
                        new Configuration(
                                plain.revision() + 1,
                                plain.cluster(),
                                partitions,
                                plain.accounts(),
                                plain.associations(),
                                plain.qos(),
                                byName,
                                plain.switches(),
                                plain.licenses())));
    }

    private Reservation on(String name, String node, long from, long until, String... flags) {
        return new Reservation(
                new Part(1, 1, 1),
                name,
                zero + from * 1000,
                zero + until * 1000,
                List.of(node),
                List.of("alice"),
                List.of(),
                List.of(flags),
                null);
    }

    /// A job of a whole node.
    private void submit(long id, long limitSeconds, @Nullable String reservation) {
        submit(id, "urgent", limitSeconds, reservation);
    }

    private void submit(
            long id, String partition, long limitSeconds, @Nullable String reservation) {
        ResourceRequest plain = gpus(1, 8, null);
        var request =
                new ResourceRequest(
                        1,
                        1,
                        1,
                        plain.memory(),
                        plain.gpus(),
                        new NodeConstraints(
                                null, List.of(), List.of(), Sharing.SHARED, null, reservation));
        cell.submit(id, TestCell.job(request, limitSeconds).in(partition));
    }

    private void at(long seconds) {
        cell.now = zero + seconds * 1000;
        cell.round();
    }

    private long plannedStart(long id) {
        return Objects.requireNonNull(cell.job(id).planned()).start();
    }

    private JobState outcome(long id) {
        return Objects.requireNonNull(Objects.requireNonNull(cell.job(id).run()).outcome()).state();
    }

    private void ready(long id, String node) {
        cell.ready(id, 1, node);
        cell.started(id, 1, node);
    }

    @Test
    void a_job_whose_limit_reaches_into_a_reservation_takes_another_node() {
        reserve(on("r", "n1", 300, 3000));
        submit(1, 600, null);

        at(0);

        assertThat(cell.where(1)).hasSize(1).first().asString().startsWith("n2");
    }

    @Test
    void it_waits_if_there_is_none_and_is_planned_after_it() {
        reserve(on("r", "n1", 300, 1000), on("s", "n2", 300, 3000));
        submit(1, 600, null);

        at(0);

        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESERVED_FOR_OTHERS);
        assertThat(plannedStart(1)).isEqualTo(zero + 1_000_000);
    }

    @Test
    void
            a_job_for_which_there_is_room_only_after_its_reservation_is_told_that_it_can_never_start() {
        reserve(on("r", "n1", 0, 1000));
        submit(1, 600, "r");
        submit(2, 300, "r");
        submit(3, 300, "r");

        at(0);

        assertThat(plannedStart(2)).isEqualTo(zero + 602_000);
        assertThat(cell.job(3).planned()).isNull();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.PRIORITY);
        var verdict = new Placement(cell.state, Settings.DEFAULT).explain(new JobId(3), cell.now);
        assertThat(verdict.orElseThrow().unplanned()).isEqualTo(new Unplanned(NEVER, 0));
    }

    @Test
    void maintenance_is_called_so() {
        reserve(on("r", "n1", 300, 1000, "MAINT"), on("s", "n2", 300, 3000));
        submit(1, 600, null);

        at(0);

        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESERVED_FOR_MAINTENANCE);
    }

    @Test
    void a_job_that_ends_before_it_starts() {
        reserve(on("r", "n1", 300, 3000), on("s", "n2", 300, 3000));
        submit(1, 290, null);

        at(0);

        assertThat(cell.where(1)).hasSize(1);
    }

    @Test
    void a_job_that_waited_for_its_end_starts_then() {
        reserve(on("r", "n1", 300, 1000), on("s", "n2", 300, 3000));
        submit(1, 600, null);
        at(0);

        at(1000);

        assertThat(cell.where(1)).hasSize(1).first().asString().startsWith("n1");
    }

    @Test
    void a_job_in_it_waits_for_its_start_and_has_its_node_then() {
        reserve(on("r", "n1", 300, 1000));
        submit(1, 600, "r");
        at(0);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESERVATION);
        submit(2, 600, null);
        submit(3, 600, null);

        at(300);

        assertThat(cell.where(1)).hasSize(1).first().asString().startsWith("n1");
    }

    @Test
    void a_job_in_it_uses_no_other_node() {
        reserve(on("r", "n1", 0, 1000));
        submit(1, 600, "r");
        submit(2, 600, "r");

        at(10);

        assertThat(cell.where(1)).hasSize(1).first().asString().startsWith("n1");
        assertThat(cell.where(2)).isEmpty();
    }

    @Test
    void a_job_that_could_outlast_it_does_not_start_in_it() {
        reserve(on("r", "n1", 0, 500));
        submit(1, 600, "r");

        at(0);

        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESERVATION);
    }

    @Test
    void a_job_without_limit_runs_in_it_and_ends_with_it() {
        reserve(on("r", "n1", 0, 500));
        submit(1, "endless", 0, "r");
        at(0);
        ready(1, "n1");

        at(500);

        assertThat(cell.job(1).state()).isEqualTo(JobState.COMPLETING);
        assertThat(outcome(1)).isEqualTo(JobState.TIMEOUT);
    }

    @Test
    void a_run_in_one_that_was_shortened_ends_with_it() {
        reserve(on("r", "n1", 0, 1000));
        submit(1, 600, "r");
        at(0);
        ready(1, "n1");
        reserve(on("r", "n1", 0, 100));

        at(100);

        assertThat(outcome(1)).isEqualTo(JobState.TIMEOUT);
    }

    @Test
    void flex_lets_its_jobs_start_before_it_on_any_node() {
        reserve(on("r", "n1", 300, 1000, "FLEX"));
        submit(1, 600, "r");
        submit(2, 600, "r");

        at(0);

        assertThat(cell.where(1)).hasSize(1);
        assertThat(cell.where(2)).hasSize(1);
    }

    @Test
    void a_daily_one_closes_its_node_tomorrow_too() {
        long day = 24 * 3600;
        reserve(on("r", "n1", 0, 100, "DAILY"), on("s", "n2", 0, 9 * day));

        cell.now = zero + (day - 300) * 1000;
        submit(1, 600, null);
        submit(2, 200, null);
        at(day - 300);

        assertThat(cell.where(1)).isEmpty();
        assertThat(cell.where(2)).hasSize(1).first().asString().startsWith("n1");
    }

    @Test
    void jobs_of_one_that_lies_over_another_run_where_both_are() {
        reserve(on("r", "n1", 0, 1000), on("s", "n1", 0, 1000, "OVERLAP"));
        submit(1, 600, "s");

        at(0);

        assertThat(cell.where(1)).hasSize(1);
    }

    @Test
    void jobs_of_the_other_do_not() {
        reserve(on("r", "n1", 0, 1000), on("s", "n1", 300, 1000, "MAINT"));
        submit(1, 600, "r");

        at(0);

        assertThat(cell.where(1)).isEmpty();
    }

    @Test
    void when_it_is_taken_away_its_node_is_anybodys() {
        reserve(on("r", "n1", 0, 1000), on("s", "n2", 0, 1000));
        submit(1, 600, null);
        at(0);
        reserve();

        at(1);

        assertThat(cell.where(1)).hasSize(1);
    }

    @Test
    void a_job_whose_reservation_is_not_there_waits() {
        submit(1, 600, "gone");

        at(0);

        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESERVATION);
    }

    @Test
    void an_expected_start_that_a_new_reservation_forbids_is_made_anew() {
        reserve();
        submit(1, 600, null);
        submit(2, 600, null);
        submit(3, 600, null);
        at(0);
        assertThat(plannedStart(3)).isEqualTo(zero + 602_000);
        reserve(on("r", "n1", 700, 2000), on("s", "n2", 700, 3000));

        at(1);

        assertThat(plannedStart(3)).isEqualTo(zero + 2_000_000);
    }

    @Test
    void a_node_that_is_free_again_goes_to_its_reservation() {
        reserve(on("r", "n1", 300, 2000, "IGNORE_JOBS"));
        submit(1, 600, null);
        submit(2, 600, null);
        reserve();
        at(0);
        reserve(on("r", "n1", 300, 2000, "IGNORE_JOBS"));
        submit(3, 600, null);
        submit(4, 600, "r");
        at(300);
        cell.ended(1, 1, cell.where(1).getFirst().substring(0, 2), Cause.EXITED, 0);
        cell.ended(2, 1, cell.where(2).getFirst().substring(0, 2), Cause.EXITED, 0);

        at(301);

        assertThat(cell.where(4)).hasSize(1).first().asString().startsWith("n1");
        assertThat(cell.where(3)).hasSize(1).first().asString().startsWith("n2");
    }

    @Test
    void a_magnetic_one_takes_the_jobs_of_its_users_that_do_not_name_it() {
        reserve(on("pull", "n1", 0, 3600, "MAGNETIC"), on("other", "n2", 0, 3600));
        submit(1, 600, null);
        cell.submit(2, "bob", gpus(1, 8, null));

        cell.round();

        assertThat(cell.where(1)).singleElement().asString().startsWith("n1:");
        assertThat(cell.where(2)).as("bob may not use it").isEmpty();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESERVED_FOR_OTHERS);
    }

    @Test
    void a_magnetic_one_draws_its_jobs_and_leaves_the_other_nodes_to_others() {
        reserve(on("pull", "n2", 0, 3600, "MAGNETIC"));
        submit(1, 600, null);
        submit(2, 600, null);
        submit(3, 600, null);

        cell.round();

        assertThat(cell.where(1)).singleElement().asString().startsWith("n2:");
        assertThat(cell.where(2)).singleElement().asString().startsWith("n1:");
        assertThat(cell.where(3)).isEmpty();
    }

    @Test
    void a_magnetic_one_draws_nobody_before_it_is_on() {
        reserve(on("pull", "n2", 1000, 3600, "MAGNETIC"));
        submit(1, 600, null);

        cell.round();

        assertThat(cell.where(1)).singleElement().asString().startsWith("n1:");
    }

    @Test
    void a_gang_lies_on_nodes_that_draw_it_if_it_has_room_there_and_on_others_too_if_not() {
        cell.node("n3", 16, 8, "a100");
        cell.node("n4", 16, 8, "a100");
        reserve(on("a", "n3", 0, 3600, "MAGNETIC"), on("b", "n4", 0, 3600, "MAGNETIC"));
        cell.submit(1, gpus(2, 4, null));
        cell.submit(2, gpus(3, 4, null));

        cell.round();

        assertThat(cell.where(1))
                .extracting(it -> it.substring(0, 3))
                .containsExactly("n3:", "n4:");
        assertThat(cell.where(2)).hasSize(3);
    }

    @Test
    void jobs_of_one_with_any_nodes_use_others_too_while_it_is_on() {
        reserve(on("r", "n1", 0, 3600, "ANY_NODES"));
        submit(1, 600, "r");
        submit(2, 600, "r");
        submit(3, 3500, "r");

        cell.round();

        assertThat(cell.where(1)).hasSize(1);
        assertThat(cell.where(2)).hasSize(1);
        assertThat(cell.where(3)).isEmpty();
    }

    @Test
    void jobs_that_wait_for_one_that_is_over_run_elsewhere_if_it_does_not_hold_them() {
        reserve(on("holds", "n1", 0, 60), on("lets", "n2", 0, 60, "NO_HOLD_JOBS_AFTER"));
        submit(1, 600, "holds");
        submit(2, 600, "lets");
        cell.round();
        assertThat(cell.where(2)).as("it lasts for longer than that").isEmpty();

        at(61);

        assertThat(cell.where(2)).hasSize(1);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESERVATION);
        at(300);
        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
    }
}
