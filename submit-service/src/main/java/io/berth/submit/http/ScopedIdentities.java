package io.berth.submit.http;

import io.berth.core.request.Scope;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.jwt.JsonWebToken;

/// What the scopes of a token leave of the roles that its groups give: without `berth:operate` an
/// operator is a user.
@Singleton
class ScopedIdentities implements SecurityIdentityAugmentor {

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
        return Uni.createFrom().item(limited(identity));
    }

    static SecurityIdentity limited(SecurityIdentity identity) {
        return scope(identity).allows(Scope.OPERATE) || !identity.hasRole(Callers.OPERATOR)
                ? identity
                : asUser(identity);
    }

    private static SecurityIdentity asUser(SecurityIdentity identity) {
        var builder =
                QuarkusSecurityIdentity.builder()
                        .setPrincipal(identity.getPrincipal())
                        .addCredentials(identity.getCredentials())
                        .addAttributes(identity.getAttributes())
                        .addRole(Callers.USER);
        identity.getRoles().stream()
                .filter(it -> !it.equals(Callers.OPERATOR))
                .forEach(builder::addRole);
        return builder.build();
    }
}
