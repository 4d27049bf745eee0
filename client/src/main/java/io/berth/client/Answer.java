package io.berth.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// What a service answered.
///
/// @param body empty if there was none, or if an error's is no JSON
/// @param position for reading one's own writes, null if the service gave none
public record Answer(int status, JsonObject body, @Nullable String position) {

    /// The header of a position, in answers and in questions.
    public static final String POSITION = "Berth-Position";

    /// @throws IOException if a success tells something else than JSON
    public static Answer of(int status, byte[] body, @Nullable String position) throws IOException {
        return new Answer(status, object(status, body), position);
    }

    private static JsonObject object(int status, byte[] body) throws IOException {
        if (body.length == 0) {
            return JsonObject.EMPTY;
        }
        try {
            return JsonObject.read(body);
        } catch (IOException e) {
            if (status < 400) {
                throw e;
            }
            return JsonObject.EMPTY;
        }
    }

    public boolean ok() {
        return status / 100 == 2;
    }

    /// Whether the same request may succeed later: the mesh is away, or has too much to do.
    public boolean unavailable() {
        return status == 503 || status == 429;
    }

    /// Code of the problem, "" if the answer is none.
    public String code() {
        return body.text("code");
    }

    /// The problem in one line for people.
    public String detail() {
        if (body.has("detail")) {
            return body.text("detail");
        }
        return body.has("title") ? body.text("title") : "the mesh answered " + status;
    }
}
