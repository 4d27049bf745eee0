package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.PrivateData;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.core.request.Sight;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// carol coordinates team_b; alice is in team_a and team_b, bob in team_b.
class SightTest {

    private static final List<PrivateData> ALL = List.of(PrivateData.values());

    private static Sight sight(String user, List<PrivateData> hidden) {
        Configuration configuration =
                Samples.configuration(it ->
                        it instanceof Cluster all ? all.with(to -> to.privateData = hidden) : it);
        return new Sight(configuration, user, false);
    }

    @ParameterizedTest
    @CsvSource({
        "alice, alice, team_a, true",
        "bob,   alice, team_b, false",
        "carol, alice, team_b, true",
        "carol, alice, team_a, false",
        "eve,   eve,   gone,   true"
    })
    void who_sees_whose(String who, String owner, String account, boolean sees) {
        Sight sight = sight(who, ALL);

        assertThat(sight.job(owner, account)).isEqualTo(sees);
        assertThat(sight.usage(account, owner)).isEqualTo(sees);
        assertThat(sight.member(account, owner)).isEqualTo(sees);
    }

    @Test
    void what_an_account_used_and_is_it_tells_its_coordinators() {
        assertThat(sight("carol", ALL).usage("team_b", null)).isTrue();
        assertThat(sight("carol", ALL).account("team_b")).isTrue();
        assertThat(sight("carol", ALL).coordinated()).containsExactly("team_b");
        assertThat(sight("alice", ALL).usage("team_b", null)).isFalse();
        assertThat(sight("alice", ALL).account("team_b")).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void each_kind_is_hidden_by_itself(PrivateData kind) {
        Sight sight = sight("eve", List.of(kind));

        assertThat(Arrays.stream(PrivateData.values()).filter(sight::hides)).containsExactly(kind);
    }

    @Test
    void an_operator_sees_everything_and_without_a_configuration_others_only_their_own() {
        assertThat(ALL).noneMatch(new Sight(null, "root", true)::hides);

        Sight blind = new Sight(null, "alice", false);
        assertThat(ALL).allMatch(blind::hides);
        assertThat(blind.job("alice", "team_a")).isTrue();
        assertThat(blind.job("bob", "team_a")).isFalse();
        assertThat(blind.coordinated()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"bob, '', team_b, true", "bob, alice, '', false", "bob, -bob, '', false"})
    void a_reservation_is_seen_by_those_who_may_use_it(
            String who, String users, String accounts, boolean sees) {
        var reservation =
                new Reservation(
                        new Part(1, 1, 1),
                        "night",
                        0,
                        1,
                        List.of("ALL"),
                        users.isEmpty() ? List.of() : List.of(users),
                        accounts.isEmpty() ? List.of() : List.of(accounts),
                        List.of(),
                        null);

        assertThat(sight(who, ALL).reservation(reservation)).isEqualTo(sees);
        assertThat(sight(who, List.of()).reservation(reservation)).isTrue();
    }
}
