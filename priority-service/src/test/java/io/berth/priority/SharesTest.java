package io.berth.priority;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Spending;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.FairShares.Budget;
import io.berth.contracts.event.Terms;
import io.berth.contracts.event.Usage;
import io.berth.contracts.event.Usage.Spent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An account with a budget, of which a run took an hour; usage counts half after a week.
class SharesTest {

    private static final long BEGIN = 1_000_000;
    private static final long HOUR = 3_600_000;
    private static final Spending SPENT = new Spending(Charge.ZERO, HOUR);

    private final Shares shares = new Shares();

    @BeforeEach
    void a_budget_is_in_force() {
        shares.configuration(configuration());
        shares.usage(
                new Usage(
                        "team_a",
                        "alice",
                        BEGIN,
                        0,
                        BEGIN,
                        List.of(new Spent("batch", "normal", SPENT, SPENT))));
    }

    private static Configuration configuration() {
        var limits = new Limits(Map.of(Limit.GRP_WALL, 600L), Map.of());
        var terms = new Terms(null, List.of(), 0, limits, Map.of());
        List<ConfigEntry> entries =
                Samples.configuration(1, 0, 0).stream()
                        .map(it ->
                                it instanceof Account account && account.name().equals("team_a")
                                        ? new Account(
                                                account.part(), "team_a", null, 50, terms, null)
                                        : it)
                        .toList();
        return Configuration.of(1, entries);
    }

    @Test
    void what_is_spent_of_a_budget_is_told_and_how_far_the_books_are() {
        Optional<FairShares> told = shares.calculate(BEGIN);

        assertThat(told.orElseThrow().budgets())
                .containsExactly(new Budget("account/team_a", SPENT));
        assertThat(told.orElseThrow().bookedUntil()).isEqualTo(BEGIN);
    }

    @Test
    void accounts_are_told_how_far_they_are_from_their_shares() {
        assertThat(shares.deviations()).isEmpty();
        shares.usage(new Usage("team_a", "alice", BEGIN, 5_000_000, null, List.of()));

        shares.calculate(BEGIN);

        assertThat(shares.deviations()).isEqualTo(Map.of("team_a", 0.5, "default", -0.5));
    }

    @Test
    void where_nobody_has_used_anything_nobody_is_far_from_his_share() {
        var unused = new Shares();
        unused.configuration(configuration());

        unused.calculate(BEGIN);

        assertThat(unused.deviations()).isEqualTo(Map.of("team_a", 0.0, "default", 0.0));
    }

    @Test
    void it_is_told_again_when_a_minute_has_passed_since_it_decays() {
        shares.calculate(BEGIN);

        assertThat(shares.calculate(BEGIN + 59_999)).isEmpty();
        FairShares later = shares.calculate(BEGIN + 7 * 24 * HOUR).orElseThrow();

        assertThat(later.budgets().getFirst().spent().wallMillis()).isEqualTo(HOUR / 2);
        assertThat(later.version()).isEqualTo(2);
    }
}
