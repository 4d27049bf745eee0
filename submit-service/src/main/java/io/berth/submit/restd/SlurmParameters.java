package io.berth.submit.restd;

import io.berth.log.QueryNames;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.UriInfo;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;

/// Warns of query parameters that nobody reads, as slurmrestd's parsers do: it is no error there.
/// What reads its parameters by itself refuses those that it does not know.
final class SlurmParameters {

    @ServerResponseFilter
    void warn(
            ContainerRequestContext request,
            ContainerResponseContext response,
            ResourceInfo answers) {
        Set<String> sent = request.getUriInfo().getQueryParameters().keySet();
        if (!sent.isEmpty()
                && request.getUriInfo().getPath().startsWith("/slurm")
                && response.getEntity() instanceof Map<?, ?> answer) {
            Method method = answers.getResourceMethod();
            if (!List.of(method.getParameterTypes()).contains(UriInfo.class)) {
                Set<String> there = QueryNames.of(method, QueryParam.class, QueryParam::value);
                var warned = new LinkedHashMap<Object, Object>(answer);
                warned.put(
                        "warnings",
                        QueryNames.unknown(sent, there).stream()
                                .map(SlurmParameters::warning)
                                .toList());
                response.setEntity(warned);
            }
        }
    }

    private static Map<String, String> warning(String name) {
        return Map.of(
                "description",
                "Ignoring unknown field \"%s\"".formatted(QueryNames.shown(name)),
                "source",
                "berth");
    }
}
