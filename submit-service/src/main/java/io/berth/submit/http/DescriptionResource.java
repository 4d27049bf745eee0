package io.berth.submit.http;

import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirements;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/asyncapi` and `/v1/schemas`: the description of the topics, for programs. It holds no
/// secret, and needs no token.
@Path("/v1")
@PermitAll
@SecurityRequirements
@Tag(name = "Events")
public class DescriptionResource {
    @GET
    @Path("asyncapi")
    @Produces("application/vnd.aai.asyncapi+yaml")
    @Operation(summary = "The AsyncAPI 3 document of all topics")
    @APIResponse(responseCode = "200", description = "The document")
    public byte[] asyncApi() throws IOException {
        return read("asyncapi.yaml");
    }

    @GET
    @Path("schemas/{topic:berth\\.[a-z0-9-]+(\\.v[0-9]+)?}/{event:[A-Za-z]+}.json")
    @Produces("application/schema+json")
    @Operation(summary = "The JSON Schema of an event")
    @APIResponse(responseCode = "200", description = "The schema")
    @APIResponse(responseCode = "404", description = "There is no such event")
    public byte[] schema(@PathParam("topic") String topic, @PathParam("event") String event)
            throws IOException {
        return read("schemas/" + topic + "/" + event + ".json");
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = DescriptionResource.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new NotFoundException();
            }
            return in.readAllBytes();
        }
    }
}
