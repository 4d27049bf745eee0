package io.berth.accounting.http;

import io.berth.accounting.ClusterConfiguration;
import io.berth.accounting.SharesLoop;
import io.berth.accounting.db.Books;
import io.berth.contracts.config.Configuration;
import io.berth.core.request.Roles;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.common.annotation.Blocking;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Usage that an operator lets count no more: Slurm's `RawUsage=0`.
@Path("/v1/accounting/usage/resets")
@RolesAllowed(Roles.OPERATOR)
@Blocking
public class UsageResetResource {

    private static final Logger LOG = Logger.getLogger(UsageResetResource.class);

    /// Whose usage: an account's with all below it, of one user or of all.
    public record Asked(@Nullable String account, @Nullable String user) {}

    /// @param at from when on usage counts, in epoch milliseconds
    public record Made(List<String> accounts, @Nullable String user, long at) {}

    private final ClusterConfiguration configuration;
    private final Books books;
    private final SharesLoop shares;
    private final SecurityIdentity identity;

    UsageResetResource(
            ClusterConfiguration configuration,
            Books books,
            SharesLoop shares,
            SecurityIdentity identity) {
        this.configuration = configuration;
        this.books = books;
        this.shares = shares;
        this.identity = identity;
    }

    @POST
    @Consumes("application/json")
    public Response reset(@Nullable Asked asked) {
        Configuration current = configuration.inForce().orElse(null);
        String account = asked == null ? null : asked.account();
        String user = asked == null ? null : asked.user();
        if (account == null || current == null || !current.accounts().containsKey(account)) {
            return Problem.unprocessable(
                    "invalid_account",
                    account == null
                            ? "account: the name of an account is required"
                            : "there is no account '" + account + "'");
        }
        if (user != null && (user.isBlank() || user.indexOf('\0') >= 0)) {
            return Problem.response(
                    Response.Status.BAD_REQUEST,
                    "invalid_request",
                    "user: a name is expected, or nothing for all users");
        }
        List<String> accounts =
                current.accounts().keySet().stream()
                        .filter(it -> current.lineage(it).contains(account))
                        .sorted()
                        .toList();
        long now = Clock.systemUTC().millis();
        String author = identity.getPrincipal().getName();
        books.reset(accounts, user, now, author);
        shares.soon();
        LOG.infof(
                "The usage of %s in %s was reset by %s",
                user == null ? "all users" : "a user", accounts, author);
        return Response.ok(new Made(accounts, user, now)).build();
    }
}
