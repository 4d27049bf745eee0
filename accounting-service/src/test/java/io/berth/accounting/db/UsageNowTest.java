package io.berth.accounting.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.berth.accounting.db.UsageNow.Holding;
import io.berth.contracts.Charge;
import io.berth.contracts.event.Usage;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.fairshare.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageNowTest {

    private static final long HOUR = 3_600_000;
    private static final long UNIT_PER_SECOND = 1000;
    private static final Decay FOR_EVER = Decay.NONE;
    private static final Decay ONE_HOUR = Decay.of(new HalfLife(HOUR));

    @Test
    void a_run_counts_while_it_holds_its_resources() {
        List<Usage> usage =
                UsageNow.sum(
                        List.of(),
                        List.of(new Holding("team_a", "alice", HOUR, 2 * UNIT_PER_SECOND, 0, 0)),
                        FOR_EVER,
                        2 * HOUR);

        assertThat(usage)
                .containsExactly(new Usage("team_a", "alice", 2 * HOUR, 2 * 3600 * 1_000_000L));
    }

    @Test
    void a_run_counts_nothing_while_it_stands_still() {
        var once = new Holding("team_a", "alice", HOUR, UNIT_PER_SECOND, HOUR, 0);
        var now = new Holding("team_a", "bob", HOUR, UNIT_PER_SECOND, HOUR, 4 * HOUR);

        List<Usage> usage = UsageNow.sum(List.of(), List.of(once, now), FOR_EVER, 5 * HOUR);

        assertThat(usage)
                .containsExactly(
                        new Usage("team_a", "alice", 5 * HOUR, 3 * 3600 * 1_000_000L),
                        new Usage("team_a", "bob", 5 * HOUR, 2 * 3600 * 1_000_000L));
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
                .containsExactly(
                        new Usage("team_a", "alice", 1000, 7),
                        new Usage("team_b", "carol", 1000, 2_000_005));
    }

    @Test
    void a_run_counts_the_same_just_before_and_just_after_its_end() {
        long now = 5 * HOUR;
        var row = UsageRow.of(new Member("team_a", "alice"));
        row.add(new Charge(0, 0, 0, 0, UNIT_PER_SECOND * 3 * HOUR), 2 * HOUR, now, ONE_HOUR);

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
                                ONE_HOUR,
                                now)
                        .getFirst()
                        .billingMicros();
        long after =
                UsageNow.sum(List.of(row), List.of(), ONE_HOUR, now).getFirst().billingMicros();

        assertThat(after).isCloseTo(before, within(1L));
        assertThat(row.decayedAt(now + HOUR, ONE_HOUR)).isCloseTo(after / 2, within(1L));
    }

    @Test
    void a_clock_behind_the_cells_makes_no_negative_usage() {
        List<Usage> usage =
                UsageNow.sum(
                        List.of(),
                        List.of(new Holding("team_a", "alice", HOUR, UNIT_PER_SECOND, 0, 0)),
                        ONE_HOUR,
                        HOUR - 1);

        assertThat(usage.getFirst().billingMicros()).isZero();
    }

    private static UsageRow ended(String account, String user, long micros) {
        var row = UsageRow.of(new Member(account, user));
        row.add(new Charge(0, 0, 0, 0, micros), 0, 1, FOR_EVER);
        return row;
    }
}
