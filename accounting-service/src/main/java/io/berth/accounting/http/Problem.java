package io.berth.accounting.http;

import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/// An error as `application/problem+json`.
record Problem(String type, String title, int status, String code, String detail) {

    private static final int UNPROCESSABLE = 422;

    static Response response(Response.Status status, String code, String detail) {
        return response(status.getStatusCode(), status.getReasonPhrase(), code, detail);
    }

    /// What was understood and breaks a rule.
    static Response unprocessable(String code, String detail) {
        return response(UNPROCESSABLE, "Unprocessable Content", code, detail);
    }

    private static Response response(int status, String title, String code, String detail) {
        return Response.status(status)
                .type(MediaType.valueOf("application/problem+json"))
                .entity(new Problem("about:blank", title, status, code, detail))
                .build();
    }
}
