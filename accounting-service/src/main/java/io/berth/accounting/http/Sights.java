package io.berth.accounting.http;

import io.berth.accounting.ClusterConfiguration;
import io.berth.core.request.Roles;
import io.berth.core.request.Sight;
import io.quarkus.security.identity.SecurityIdentity;
import jakarta.inject.Singleton;

/// What he may see who sends the request that is being answered.
@Singleton
final class Sights {

    private final ClusterConfiguration configuration;
    private final SecurityIdentity identity;

    Sights(ClusterConfiguration configuration, SecurityIdentity identity) {
        this.configuration = configuration;
        this.identity = identity;
    }

    Sight now() {
        return new Sight(
                configuration.inForce().orElse(null),
                identity.getPrincipal().getName(),
                identity.hasRole(Roles.OPERATOR));
    }
}
