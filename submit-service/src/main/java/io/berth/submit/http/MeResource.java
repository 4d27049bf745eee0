package io.berth.submit.http;

import io.berth.contracts.config.Configuration;
import io.berth.core.request.Roles;
import io.berth.core.request.Scope;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/me`: whom the gateway takes the caller for, so that what is offered to him is what he may
/// do.
@Path("/v1/me")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Cluster")
public class MeResource {
    private static final List<String> ROLES = List.of(Roles.USER, Roles.OPERATOR, Roles.ADMIN);

    private final SecurityIdentity identity;
    private final Gateway gateway;

    MeResource(SecurityIdentity identity, Gateway gateway) {
        this.identity = identity;
        this.gateway = gateway;
    }

    /// One who asks.
    ///
    /// @param roles of `user`, `operator` and `admin` those that count: by the groups of his token
    ///   and his AdminLevel, as far as the token's scope lets them; an admin is an operator too
    /// @param scope what the token is good for
    /// @param coordinates accounts whose jobs he looks after, those below his own included
    @Schema(name = "Me")
    record Me(String user, List<String> roles, Scope scope, List<String> coordinates) {}

    @GET
    @Operation(
            summary = "Who one is here",
            description = "As what one asks for is judged: by the token and by the configuration.")
    public Me me() {
        String user = identity.getPrincipal().getName();
        return new Me(
                user,
                ROLES.stream().filter(identity::hasRole).toList(),
                ScopedIdentities.scope(identity),
                coordinated(user, gateway.picture(null).configuration()));
    }

    private static List<String> coordinated(String user, Optional<Configuration> inForce) {
        return inForce.stream()
                .flatMap(it -> accounts(it).filter(account -> it.coordinates(user, account)))
                .sorted()
                .toList();
    }

    private static Stream<String> accounts(Configuration configuration) {
        return configuration.accounts().keySet().stream();
    }
}
