package io.berth.core.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ScopeTest {

    @ParameterizedTest
    @CsvSource({
        "openid profile, OPERATE",
        "'', OPERATE",
        "berth:read, READ",
        "openid berth:read, READ",
        "berth:read berth:submit, SUBMIT",
        "berth:operate berth:read, OPERATE",
        "api://lab/berth:read, READ",
        "berth:everything, NOTHING",
        "berth:reader, NOTHING",
        "berth:, NOTHING",
        "berth:everything berth:read, READ",
        "berth:read berth:operate:nodes, READ",
        "berth:read berth:operate/none, READ",
        "notberth:operate berth:read, READ"
    })
    void a_token_is_as_wide_as_its_widest_scope_and_not_limited_without_one(
            String claim, Scope scope) {
        assertThat(Scope.of(claim)).isEqualTo(scope);
    }

    @Test
    void scopes_may_be_a_list() {
        assertThat(Scope.of(List.of("openid", "berth:read"))).isEqualTo(Scope.READ);
        assertThat(Scope.of((Object) null)).isEqualTo(Scope.OPERATE);
        assertThat(Scope.of("openid", List.of("berth:read"))).isEqualTo(Scope.READ);
    }

    @Test
    void each_allows_what_those_before_it_do() {
        assertThat(Scope.SUBMIT.allows(Scope.READ)).isTrue();
        assertThat(Scope.READ.allows(Scope.SUBMIT)).isFalse();
        assertThat(Scope.NOTHING.allows(Scope.READ)).isFalse();
    }
}
