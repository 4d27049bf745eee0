package io.berth.submit.http;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.config.Configuration;
import io.berth.core.request.Roles;
import io.berth.core.request.Scope;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.jwt.JsonWebToken;

/// The roles of those who ask, by their tokens and by the configuration.
@Singleton
class ScopedIdentities implements SecurityIdentityAugmentor {

    private final Instance<Gateway> gateway;

    ScopedIdentities(Instance<Gateway> gateway) {
        this.gateway = gateway;
    }

    /// Under each of the names that providers give it.
    static Scope scope(SecurityIdentity identity) {
        return identity.getPrincipal() instanceof JsonWebToken token ? scope(token) : Scope.OPERATE;
    }

    private static Scope scope(JsonWebToken token) {
        return Scope.of(token.<Object>getClaim("scope"), token.<Object>getClaim("scp"));
    }

    /// The roles of whom a verified token names, as far as its scope lets him submit: else none.
    Set<String> submitting(JsonWebToken token) {
        Scope scope = scope(token);
        return scope.allows(Scope.SUBMIT)
                ? Roles.of(token.getGroups(), scope, level(token.getName()))
                : Set.of();
    }

    /// The level that the configuration gives.
    private AdminLevel level(String user) {
        Optional<Configuration> inForce = gateway.get().picture(null).configuration();
        return inForce.map(it -> it.adminLevel(user)).orElse(AdminLevel.NONE);
    }

    @Override
    public Uni<SecurityIdentity> augment(
            SecurityIdentity identity, AuthenticationRequestContext context) {
        if (identity.isAnonymous()) {
            return Uni.createFrom().item(identity);
        }
        return Uni.createFrom().item(inRoles(identity, level(identity.getPrincipal().getName())));
    }

    /// @param level that the configuration gives
    static SecurityIdentity inRoles(SecurityIdentity identity, AdminLevel level) {
        Set<String> roles = Roles.of(identity.getRoles(), scope(identity), level);
        return roles.equals(identity.getRoles())
                ? identity
                : QuarkusSecurityIdentity.builder()
                        .setPrincipal(identity.getPrincipal())
                        .addCredentials(identity.getCredentials())
                        .addAttributes(identity.getAttributes())
                        .addRoles(roles)
                        .build();
    }
}
