package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.contracts.json.Json;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Refused;
import io.berth.submit.Sha256;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The tags (`ETag`) of what is answered, by which a client asks for it only if it has changed
/// (`If-None-Match`), or changes a job only if it is as he saw it (`If-Match`).
///
/// The tag of a job stands for what the log says of it; what is reckoned from other records or from
/// time, such as its priority and its age, is not in it. That of any other answer stands for its
/// bytes. Lists of jobs have none: their numbers change with time.
///
/// Source: RFC 9110, sections 8.8.3 and 13.1.
@Singleton
final class EntityTags {
    private static final int LENGTH = 32;
    private static final String JOBS = "/v1/jobs/";

    private final Gateway gateway;
    private final Callers callers;
    private final ObjectMapper answers;

    EntityTags(Gateway gateway, Callers callers, ObjectMapper answers) {
        this.gateway = gateway;
        this.callers = callers;
        this.answers = answers;
    }

    static String of(Job job) {
        return quoted(json(Json.mapper(), job));
    }

    private static String quoted(String content) {
        String digest = Sha256.hex(content.getBytes(StandardCharsets.UTF_8));
        return '"' + digest.substring(0, LENGTH) + '"';
    }

    private static String json(ObjectMapper mapper, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write what was to be answered", e);
        }
    }

    /// Gives an answer its tag, and leaves its body out if the client has it.
    void tag(ContainerRequestContext request, ContainerResponseContext response) {
        if (!request.getMethod().equals(HttpMethod.GET)
                || response.getStatus() != Response.Status.OK.getStatusCode()
                || !(response.getEntity() instanceof Record)
                || response.getEntity() instanceof Lists.Jobs
                || response.getEntity() instanceof Lists.PartialJobs) {
            return;
        }
        String tag = response.getHeaderString(HttpHeaders.ETAG);
        if (tag == null) {
            String json = json(answers, response.getEntity());
            tag = quoted(json);
            response.setEntity(json, null, MediaType.APPLICATION_JSON_TYPE);
            response.getHeaders().putSingle(HttpHeaders.ETAG, tag);
        }
        if (names(request.getHeaderString(HttpHeaders.IF_NONE_MATCH), tag)) {
            response.setStatus(Response.Status.NOT_MODIFIED.getStatusCode());
            response.setEntity(null);
        }
    }

    /// Turns away who wants to change a job that is not as he saw it.
    ///
    /// @throws Changed to be answered
    void check(ContainerRequestContext request, HttpServerRequest from) throws Refused {
        String seen = request.getHeaderString(HttpHeaders.IF_MATCH);
        String id = request.getUriInfo().getPathParameters().getFirst("id");
        if (seen == null
                || id == null
                || request.getMethod().equals(HttpMethod.GET)
                || !request.getUriInfo().getRequestUri().getPath().startsWith(JOBS)) {
            return;
        }
        List<Job> named = gateway.named(JobName.parse(id), callers.of(from));
        if (named.size() != 1 || !names(seen, of(named.getFirst()))) {
            throw new Changed(id);
        }
    }

    /// Whether a list of tags names one; `*` names all.
    static boolean names(@Nullable String list, String tag) {
        return list != null
                && Arrays.stream(list.split(","))
                        .map(String::strip)
                        .anyMatch(it -> it.equals("*") || it.replaceFirst("^W/", "").equals(tag));
    }

    /// A job is not as a request on condition says. Nothing was done.
    static final class Changed extends RuntimeException {
        private static final long serialVersionUID = 1;

        /// @param job its name or id
        Changed(Object job) {
            super("job " + job + " is not as If-Match says; look again", null, false, false);
        }
    }
}
