package io.berth.accounting.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.AdminLevel;
import io.berth.core.request.Scope;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.smallrye.jwt.auth.principal.DefaultJWTCallerPrincipal;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a token may be used for that names scopes.
final class RequestScopesTest {

    private static SecurityIdentity operator(String claim, Object scope) {
        var claims = new JwtClaims();
        claims.setClaim("upn", "root");
        claims.setClaim(claim, scope);
        return QuarkusSecurityIdentity.builder()
                .setPrincipal(new DefaultJWTCallerPrincipal(claims))
                .addRole("operator")
                .addRole("lab")
                .build();
    }

    @Test
    void without_the_scope_to_operate_an_operator_is_a_user_of_the_same_groups() {
        SecurityIdentity limited = operator("scope", "openid berth:submit");

        assertThat(ScopedIdentities.inRoles(limited, AdminLevel.ADMIN).getRoles())
                .containsExactlyInAnyOrder("user", "lab");
        assertThat(ScopedIdentities.inRoles(limited, AdminLevel.ADMIN).getPrincipal().getName())
                .isEqualTo("root");
        SecurityIdentity reader = operator("scp", List.of("berth:read"));
        assertThat(ScopedIdentities.inRoles(reader, AdminLevel.NONE).getRoles())
                .doesNotContain("operator");
    }

    @Test
    void a_token_that_is_not_limited_keeps_what_its_groups_give() {
        for (String scope : List.of("openid", "berth:operate")) {
            SecurityIdentity whole = operator("scope", scope);

            assertThat(ScopedIdentities.inRoles(whole, AdminLevel.NONE)).isSameAs(whole);
        }
    }

    @Test
    void the_configuration_makes_operators_and_admins_too() {
        SecurityIdentity operator = operator("scope", "openid");

        assertThat(ScopedIdentities.inRoles(operator, AdminLevel.OPERATOR)).isSameAs(operator);
        assertThat(ScopedIdentities.inRoles(operator, AdminLevel.ADMIN).getRoles())
                .containsExactlyInAnyOrder("admin", "operator", "lab");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, READ, true",
        "GET, NOTHING, false",
        "PATCH, READ, false",
        "PATCH, SUBMIT, false",
        "DELETE, SUBMIT, false",
        "POST, OPERATE, true"
    })
    void what_changes_something_needs_the_scope_to_operate(
            String method, Scope scope, boolean allowed) {
        assertThat(RequestScopes.refusal(method, scope) == null).isEqualTo(allowed);
    }
}
