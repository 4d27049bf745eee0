package io.berth.accounting.http;

import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/// An error as `application/problem+json`.
record Problem(String type, String title, int status, String code, String detail) {

    static Response response(Response.Status status, String code, String detail) {
        return Response.status(status)
                .type(MediaType.valueOf("application/problem+json"))
                .entity(
                        new Problem(
                                "about:blank",
                                status.getReasonPhrase(),
                                status.getStatusCode(),
                                code,
                                detail))
                .build();
    }
}
