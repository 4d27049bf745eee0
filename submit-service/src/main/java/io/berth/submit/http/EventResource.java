package io.berth.submit.http;

import io.berth.core.request.Sight;
import io.berth.submit.Caller;
import io.berth.submit.Refused;
import io.berth.submit.feed.FeedPosition;
import io.berth.submit.feed.Following;
import io.berth.submit.feed.JobFeed;
import io.berth.submit.http.EventClient.ClientGone;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/// `/v1/events`: the public events of jobs as they come, as server-sent events.
@Path("/v1/events")
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Events")
public class EventResource {
    private final JobFeed feed;
    private final Gateway gateway;
    private final Callers callers;

    EventResource(JobFeed feed, Gateway gateway, Callers callers) {
        this.feed = feed;
        this.gateway = gateway;
        this.callers = callers;
    }

    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @Operation(
            summary = "Follow the events of jobs",
            description =
                    "Each event has its type, its JSON as in the topic berth.jobs.v1, and an id. With the last id in Last-Event-ID the stream goes on after it, as far as the log goes back (30 days); without, it begins now.")
    @APIResponse(responseCode = "200", description = "The stream")
    @APIResponse(responseCode = "503", description = "Too many follow already: see Retry-After")
    public void follow(
            @QueryParam("job") @Nullable String jobs,
            @QueryParam("user") @Nullable String users,
            @QueryParam("type") @Nullable String types,
            @HeaderParam(HttpHeaders.LAST_EVENT_ID_HEADER) @Nullable String lastId,
            @Context HttpServerRequest request,
            @Context SseEventSink sink,
            @Context Sse sse)
            throws Refused {
        EventFilter filter = EventFilter.of(jobs, users, types);
        FeedPosition from = lastId == null ? null : FeedPosition.parse(lastId);
        Caller caller = callers.of(request);
        try (sink;
                Following following = feed.follow(from)) {
            var client = new EventClient(sink, sse, following::position, System::nanoTime);
            while (!sink.isClosed() && !feed.stopped()) {
                List<Following.Told> told = following.next(client.patience());
                Sight sight = caller.sight(gateway.picture(null));
                var found = new JobsOfEvents(gateway::job, gateway::catchUp);
                client.tell(told, it -> filter.admits(it, sight, found::job));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ClientGone e) {
            // It knows where to go on.
        }
    }
}
