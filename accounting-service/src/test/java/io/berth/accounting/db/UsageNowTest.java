package io.berth.accounting.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.berth.accounting.db.UsageNow.Holding;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobState;
import io.berth.contracts.event.Usage;
import io.berth.contracts.event.Usage.Spent;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UsageNowTest {

    private static final long HOUR = 3_600_000;
    private static final long UNIT_PER_SECOND = 1000;
    private static final Forgetting FOR_EVER = new Forgetting(Decay.NONE, Map.of());
    private static final Decay ONE_HOUR = Decay.of(new HalfLife(HOUR));
    private static final Forgetting FORGOTTEN_BY_THE_HOUR = new Forgetting(ONE_HOUR, Map.of());

    @Test
    void a_run_counts_while_it_holds_its_resources() {
        List<Usage> usage =
                UsageNow.sum(
                        List.of(),
                        List.of(new Holding("team_a", "alice", HOUR, 2 * UNIT_PER_SECOND, 0, 0)),
                        FOR_EVER,
                        2 * HOUR);

        assertThat(usage)
                .map(UsageNowTest::told)
                .containsExactly(new Told("team_a", "alice", 2 * HOUR, 2 * 3600 * 1_000_000L));
    }

    @Test
    void a_run_counts_nothing_while_it_stands_still() {
        var once = new Holding("team_a", "alice", HOUR, UNIT_PER_SECOND, HOUR, 0);
        var now = new Holding("team_a", "bob", HOUR, UNIT_PER_SECOND, HOUR, 4 * HOUR);

        List<Usage> usage = UsageNow.sum(List.of(), List.of(once, now), FOR_EVER, 5 * HOUR);

        assertThat(usage)
                .map(UsageNowTest::told)
                .containsExactly(
                        new Told("team_a", "alice", 5 * HOUR, 3 * 3600 * 1_000_000L),
                        new Told("team_a", "bob", 5 * HOUR, 2 * 3600 * 1_000_000L));
    }

    @Test
    void ended_and_holding_runs_add_up_and_everybody_is_named_once_in_order() {
        List<Usage> usage =
                UsageNow.sum(
                        List.of(ended("team_b", "carol", 5), ended("team_a", "alice", 7)),
                        List.of(
                                new Holding("team_b", "carol", 0, UNIT_PER_SECOND, 0, 0),
                                new Holding("team_b", "carol", 0, UNIT_PER_SECOND, 0, 0)),
                        FOR_EVER,
                        1000);

        assertThat(usage)
                .map(UsageNowTest::told)
                .containsExactly(
                        new Told("team_a", "alice", 1000, 7),
                        new Told("team_b", "carol", 1000, 2_000_005));
    }

    @Test
    void a_run_counts_the_same_just_before_and_just_after_its_end() {
        long now = 5 * HOUR;
        var row = UsageRow.of(new UsageRow.Key("team_a", "alice", "batch", "normal"));
        row.add(run(UNIT_PER_SECOND * 3 * HOUR, 2 * HOUR, now), ONE_HOUR);

        long before =
                UsageNow.sum(
                                List.of(),
                                List.of(
                                        new Holding(
                                                "team_a",
                                                "alice",
                                                2 * HOUR,
                                                UNIT_PER_SECOND,
                                                0,
                                                0)),
                                FORGOTTEN_BY_THE_HOUR,
                                now)
                        .getFirst()
                        .billingMicros();
        long after =
                UsageNow.sum(List.of(row), List.of(), FORGOTTEN_BY_THE_HOUR, now)
                        .getFirst()
                        .billingMicros();

        assertThat(after).isCloseTo(before, within(1L));
        assertThat(row.decayedAt(now + HOUR, ONE_HOUR).charge().billingMicros())
                .isCloseTo(after / 2, within(1L));
    }

    @Test
    void a_clock_behind_the_cells_makes_no_negative_usage() {
        List<Usage> usage =
                UsageNow.sum(
                        List.of(),
                        List.of(new Holding("team_a", "alice", HOUR, UNIT_PER_SECOND, 0, 0)),
                        FORGOTTEN_BY_THE_HOUR,
                        HOUR - 1);

        assertThat(usage.getFirst().billingMicros()).isZero();
    }

    @Test
    void what_was_reset_counts_from_then_on() {
        var ofAlice = new ResetRow.Key("team_a", "alice");
        var ofTeamB = new ResetRow.Key("team_b", ResetRow.ALL_USERS);
        var forgetting = new Forgetting(Decay.NONE, Map.of(ofAlice, 2 * HOUR, ofTeamB, HOUR));

        List<Usage> usage =
                UsageNow.sum(
                        List.of(ended("team_a", "alice", 7), ended("team_a", "bob", 5)),
                        List.of(
                                new Holding("team_a", "alice", HOUR, UNIT_PER_SECOND, 0, 0),
                                new Holding("team_b", "carol", 0, UNIT_PER_SECOND, 0, 0)),
                        forgetting,
                        3 * HOUR);

        assertThat(usage)
                .map(UsageNowTest::told)
                .containsExactly(
                        new Told("team_a", "alice", 3 * HOUR, 3600 * 1_000_000L),
                        new Told("team_a", "bob", 3 * HOUR, 5),
                        new Told("team_b", "carol", 3 * HOUR, 2 * 3600 * 1_000_000L));
    }

    @Test
    void what_is_told_without_decay_is_what_was_used_since_it_was_reset() {
        UsageRow row = ended("team_a", "alice", 7);
        var reset =
                new Forgetting(
                        ONE_HOUR, Map.of(new ResetRow.Key("team_a", ResetRow.ALL_USERS), 2 * HOUR));

        assertThat(whole(row, FORGOTTEN_BY_THE_HOUR)).isEqualTo(7);
        assertThat(whole(row, reset)).isZero();
        row.add(run(8, HOUR, 3 * HOUR), reset.of("team_a", "alice"));
        assertThat(whole(row, reset)).as("the part after the reset").isEqualTo(4);
        row.add(run(5, 0, HOUR), reset.of("team_a", "alice"));
        assertThat(whole(row, reset)).as("a run that ended before it").isEqualTo(4);
        assertThat(row.charge().billingMicros()).isEqualTo(20);
    }

    private static long whole(UsageRow row, Forgetting forgetting) {
        return UsageNow.sum(List.of(row), List.of(), forgetting, 9 * HOUR)
                .getFirst()
                .spent()
                .getFirst()
                .whole()
                .charge()
                .billingMicros();
    }

    private static UsageRow ended(String account, String user, long micros) {
        var row = UsageRow.of(new UsageRow.Key(account, user, "batch", "normal"));
        row.add(run(micros, 0, 1), Decay.NONE);
        return row;
    }

    private static EndedRun run(long micros, long placedAt, long freedAt) {
        return new EndedRun(
                1,
                List.of(),
                placedAt,
                placedAt,
                freedAt,
                JobState.COMPLETED,
                new ExitStatus(0, 0),
                new Charge(0, 0, 0, 0, micros, Map.of("a100", 2 * micros)));
    }

    /// What is told of a member, without what his ended runs spent.
    private static Told told(Usage usage) {
        return new Told(usage.account(), usage.user(), usage.asOf(), usage.billingMicros());
    }

    private record Told(String account, String user, long asOf, long billingMicros) {}

    @Test
    void what_ended_runs_spent_is_told_by_partition_and_qos_and_how_far_the_books_are() {
        var normal = UsageRow.of(new UsageRow.Key("team_a", "alice", "batch", "normal"));
        normal.add(run(8, 0, HOUR), ONE_HOUR);
        var high = UsageRow.of(new UsageRow.Key("team_a", "alice", "batch", "high"));
        high.add(run(4, HOUR, 2 * HOUR), Decay.NONE);

        List<Usage> usage =
                UsageNow.sum(List.of(high, normal), List.of(), FORGOTTEN_BY_THE_HOUR, 2 * HOUR);

        assertThat(usage).hasSize(1);
        assertThat(usage.getFirst().bookedUntil()).isEqualTo(2 * HOUR + 1);
        assertThat(usage.getFirst().spent())
                .extracting(Spent::qos, it -> it.whole().charge().billingMicros())
                .containsExactly(tuple("high", 4L), tuple("normal", 8L));
        assertThat(usage.getFirst().spent())
                .extracting(it -> it.whole().wallMillis(), it -> it.counts().wallMillis())
                .containsExactly(tuple(HOUR, HOUR), tuple(HOUR, 1_298_425L));
        assertThat(usage.getFirst().spent())
                .extracting(
                        it -> it.whole().charge().gpuTypeMillis(),
                        it -> it.counts().charge().gpuTypeMillis())
                .containsExactly(
                        tuple(Map.of("a100", 8L), Map.of("a100", 8L)),
                        tuple(Map.of("a100", 16L), Map.of("a100", 6L)));
    }
}
