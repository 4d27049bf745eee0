package io.berth.accounting.http;

import io.berth.accounting.ClusterConfiguration;
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

    private final Instance<ClusterConfiguration> configuration;

    ScopedIdentities(Instance<ClusterConfiguration> configuration) {
        this.configuration = configuration;
    }

    /// Under each of the names that providers give it.
    static Scope scope(SecurityIdentity identity) {
        if (!(identity.getPrincipal() instanceof JsonWebToken token)) {
            return Scope.OPERATE;
        }
        return Scope.of(token.<Object>getClaim("scope"), token.<Object>getClaim("scp"));
    }

    @Override
    public Uni<SecurityIdentity> augment(
            SecurityIdentity identity, AuthenticationRequestContext context) {
        if (identity.isAnonymous()) {
            return Uni.createFrom().item(identity);
        }
        Optional<Configuration> inForce = configuration.get().inForce();
        String user = identity.getPrincipal().getName();
        return Uni.createFrom()
                .item(
                        inRoles(
                                identity,
                                inForce.map(it -> it.adminLevel(user)).orElse(AdminLevel.NONE)));
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
