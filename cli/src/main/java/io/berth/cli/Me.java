package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.client.Answer;
import java.util.List;

/// Whom the gateway takes the caller for: by his token and by the AdminLevel of the books.
///
/// @param operator whether he may look after others and their jobs, as an admin may too
/// @param admin whether he may do everything
record Me(boolean operator, boolean admin) {

    /// Where the gateway does not say it, what the token says.
    static Me of(MeshClient client) {
        try {
            Answer answer = client.send("GET", "/v1/me", null, List.of());
            if (answer.ok()) {
                List<String> roles = answer.body().texts("roles");
                return new Me(roles.contains("operator"), roles.contains("admin"));
            }
        } catch (NoAnswer e) {
            // The books can be read without it.
        }
        return new Me(client.token().operator(), client.token().admin());
    }
}
