package io.berth.accounting.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.accounting.Changed;
import io.berth.accounting.ClusterConfiguration;
import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.cluster.Coordination;
import io.berth.accounting.cluster.Difference;
import io.berth.accounting.cluster.Operation;
import io.berth.accounting.cluster.Revision;
import io.berth.accounting.cluster.Revisions;
import io.berth.accounting.cluster.VisibleTree;
import io.berth.core.request.Roles;
import io.quarkus.security.Authenticated;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.common.annotation.Blocking;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jspecify.annotations.Nullable;

/// The cluster's configuration over HTTP: read by every user but for what is private, changed by
/// admins, by operators as far as [Operation] goes, and by coordinators as far as [Coordination]
/// does.
///
/// The whole of it has the shape of the cluster file, in JSON. `If-Match` with the number of the
/// revision that one has seen makes a change fail rather than undo another one; `dryRun` only tells
/// what would change.
@Path("/v1")
@Authenticated
@Blocking
public class ConfigurationResource {

    private static final String SECTION =
            "{section:accounts|qos|partitions|reservations|licenses|switches}";
    private static final Duration PUBLISHED = Duration.ofSeconds(2);

    /// The configuration as it was stored.
    public record Stored(long revision, String author, long changedAt, JsonNode document) {}

    public record Lines(List<Revisions.Line> revisions) {}

    /// @param published whether all services are told; if not, they will be
    public record Made(long revision, boolean published, List<Difference> changes) {}

    private final ClusterConfiguration configuration;
    private final SecurityIdentity identity;
    private final Sights sights;
    private final ObjectMapper json;

    ConfigurationResource(
            ClusterConfiguration configuration,
            SecurityIdentity identity,
            Sights sights,
            ObjectMapper json) {
        this.configuration = configuration;
        this.identity = identity;
        this.sights = sights;
        this.json = json;
    }

    @GET
    @Path("configuration")
    public Response whole() {
        Revision latest = configuration.latest();
        return Response.ok(
                        new Stored(
                                latest.number(),
                                latest.author(),
                                latest.changedAt(),
                                VisibleTree.of(latest.file().tree(), sights.now())))
                .header(HttpHeaders.ETAG, "\"" + latest.number() + "\"")
                .build();
    }

    /// Who changed it when, the newest first.
    @GET
    @Path("configuration/revisions")
    public Lines revisions(@QueryParam("limit") @DefaultValue("50") int limit) {
        return new Lines(configuration.newest(Math.clamp(limit, 1, 1000)));
    }

    /// Replaces all of it by a cluster file, in YAML or JSON.
    @PUT
    @Path("configuration")
    @Consumes({"application/yaml", "application/json", "text/plain"})
    public Response replace(
            String file,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String seen,
            @QueryParam("dryRun") boolean dryRun)
            throws InterruptedException {
        return make(seen, dryRun, _ -> ClusterFile.parse(file));
    }

    /// Changes what a JSON merge patch names.
    @PATCH
    @Path("configuration")
    @Consumes({"application/merge-patch+json", "application/json"})
    public Response patch(
            String patch,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String seen,
            @QueryParam("dryRun") boolean dryRun)
            throws InterruptedException, NotJson {
        JsonNode tree = read(patch);
        return make(seen, dryRun, before -> before.patched(tree));
    }

    /// The same for clients that know no PATCH.
    @POST
    @Path("configuration/changes")
    @Consumes({"application/merge-patch+json", "application/json"})
    public Response change(
            String patch,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String seen,
            @QueryParam("dryRun") boolean dryRun)
            throws InterruptedException, NotJson {
        return patch(patch, seen, dryRun);
    }

    @GET
    @Path(SECTION)
    public JsonNode all(@PathParam("section") String section) {
        JsonNode tree = configuration.latest().file().tree();
        JsonNode all = VisibleTree.of(tree, sights.now()).path(section);
        return all.isMissingNode() ? JsonNodeFactory.instance.objectNode() : all;
    }

    @GET
    @Path(SECTION + "/{name}")
    public Response one(@PathParam("section") String section, @PathParam("name") String name) {
        JsonNode one = all(section).path(name);
        return one.isMissingNode() ? notThere(section, name) : Response.ok(one).build();
    }

    /// Makes an entry, or replaces it.
    @PUT
    @Path(SECTION + "/{name}")
    @Consumes("application/json")
    public Response put(
            @PathParam("section") String section,
            @PathParam("name") String name,
            String value,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String seen,
            @QueryParam("dryRun") boolean dryRun)
            throws InterruptedException, NotJson {
        JsonNode tree = parsed(value);
        return make(seen, dryRun, before -> before.with(section, name, tree));
    }

    @PATCH
    @Path(SECTION + "/{name}")
    @Consumes({"application/merge-patch+json", "application/json"})
    public Response patch(
            @PathParam("section") String section,
            @PathParam("name") String name,
            String patch,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String seen,
            @QueryParam("dryRun") boolean dryRun)
            throws InterruptedException, NotJson {
        if (all(section).path(name).isMissingNode()) {
            return notThere(section, name);
        }
        JsonNode tree = read(patch);
        return make(seen, dryRun, before -> before.patched(at(tree, section, name)));
    }

    @DELETE
    @Path(SECTION + "/{name}")
    public Response delete(
            @PathParam("section") String section,
            @PathParam("name") String name,
            @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String seen,
            @QueryParam("dryRun") boolean dryRun)
            throws InterruptedException {
        if (all(section).path(name).isMissingNode()) {
            return notThere(section, name);
        }
        return make(seen, dryRun, before -> before.patched(at(null, section, name)));
    }

    private static ObjectNode at(@Nullable JsonNode value, String section, String name) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.putObject(section).set(name, value == null ? root.nullNode() : value);
        return root;
    }

    private Response make(@Nullable String seen, boolean dryRun, ClusterConfiguration.Edit edit)
            throws InterruptedException {
        @Nullable Long expected = null;
        if (seen != null && !seen.equals("*")) {
            String number = seen.replace("\"", "");
            if (!number.matches("[0-9]{1,18}")) {
                return Problem.response(
                        Response.Status.BAD_REQUEST,
                        "invalid_request",
                        "If-Match: '" + seen + "' is not the number of a revision");
            }
            expected = Long.valueOf(number);
        }
        String author = identity.getPrincipal().getName();
        boolean operator = identity.hasRole(Roles.OPERATOR);
        if (!operator && !Coordination.exists(author, configuration.latest().file())) {
            return refusal(
                    new Changed.Refused(
                            "not_allowed",
                            "only an operator, or a coordinator of an account, may change the configuration"));
        }
        ClusterConfiguration.Edit allowed =
                identity.hasRole(Roles.ADMIN)
                        ? edit
                        : operator
                                ? before -> Operation.checked(before, edit.apply(before))
                                : before ->
                                        Coordination.checked(author, before, edit.apply(before));
        return switch (configuration.change(author, expected, dryRun, allowed)) {
            case Changed.Done done ->
                    Response.ok(
                                    new Made(
                                            done.revision(),
                                            configuration.await(done.revision(), PUBLISHED),
                                            done.changes()))
                            .build();
            case Changed.Refused refused -> refusal(refused);
        };
    }

    private static Response refusal(Changed.Refused refused) {
        return switch (refused.code()) {
            case "conflict" ->
                    Problem.response(
                            Response.Status.PRECONDITION_FAILED, refused.code(), refused.detail());
            case "not_allowed" ->
                    Problem.response(Response.Status.FORBIDDEN, refused.code(), refused.detail());
            case "in_use", "nodes_busy" ->
                    Problem.response(Response.Status.CONFLICT, refused.code(), refused.detail());
            default -> Problem.unprocessable(refused.code(), refused.detail());
        };
    }

    private JsonNode read(String text) throws NotJson {
        JsonNode tree = parsed(text);
        if (!tree.isObject()) {
            throw new NotJson("the body is no JSON object");
        }
        return tree;
    }

    /// An entry of most sections is an object; a license is a number.
    private JsonNode parsed(String text) throws NotJson {
        try {
            JsonNode tree = json.readTree(text);
            if (tree == null || tree.isMissingNode() || tree.isNull()) {
                throw new NotJson("the body is no JSON");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw new NotJson(
                    e.getOriginalMessage()
                            .lines()
                            .findFirst()
                            .map(it -> it.replaceFirst(" \\(start marker at .*", ""))
                            .map(it -> "the body is not JSON: " + it)
                            .orElse("the body is not JSON"));
        }
    }

    /// A body that cannot be read.
    static final class NotJson extends Exception {
        NotJson(String message) {
            super(message);
        }
    }

    @ServerExceptionMapper
    Response refused(NotJson e) {
        return Problem.response(
                Response.Status.BAD_REQUEST, "invalid_request", String.valueOf(e.getMessage()));
    }

    private static Response notThere(String section, String name) {
        return Problem.response(
                Response.Status.NOT_FOUND,
                "not_found",
                "there is no '" + name + "' among the " + section);
    }
}
