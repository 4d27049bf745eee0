package io.berth.submit.restd;

import io.berth.submit.Refused;
import io.berth.submit.http.Gateway;
import io.berth.submit.http.Problem;
import jakarta.ws.rs.core.Response;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// An answer in the frame of slurmrestd: what was asked for, beside `meta`, `errors` and
/// `warnings`.
final class SlurmAnswer {
    private SlurmAnswer() {}

    /// What may be refused.
    interface Content {
        Map<String, Object> make() throws Refused;
    }

    /// @param gateway whose cluster is told
    static Response of(Gateway gateway, Content content) {
        var fields = new LinkedHashMap<String, Object>();
        int status = 200;
        List<Map<String, Object>> errors = List.of();
        try {
            fields.putAll(content.make());
        } catch (Refused e) {
            Problem problem = Problem.of(e.refusal());
            status = problem.status();
            errors =
                    List.of(
                            Map.of(
                                    "error",
                                    problem.detail(),
                                    "error_number",
                                    status,
                                    "description",
                                    problem.code(),
                                    "source",
                                    "berth"));
        }
        fields.put(
                "meta",
                Map.of(
                        "slurm",
                        Map.of("release", "berth", "cluster", gateway.picture(null).cluster())));
        fields.put("errors", errors);
        fields.putIfAbsent("warnings", List.of());
        return Response.status(status).entity(fields).build();
    }
}
