package io.berth.cli;

import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The cluster's configuration as an administrator's command sees it: read once, tried, confirmed,
/// and changed only if nobody else has changed it meanwhile.
final class Admin {

    private static final String CONFIGURATION = "/v1/configuration";

    private final Terminal terminal;
    private final MeshClient client;
    private final String command;
    private final JsonObject read;

    private Admin(Terminal terminal, MeshClient client, String command, JsonObject read) {
        this.terminal = terminal;
        this.client = client;
        this.command = command;
        this.read = read;
    }

    static Admin of(Terminal terminal, String command) throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, command);
        return new Admin(terminal, client, command, client.accounting(CONFIGURATION));
    }

    /// In the shape of the cluster file, each user a map.
    JsonObject document() {
        return read.object("document");
    }

    /// Who made which revision, the newest first.
    List<JsonObject> revisions() throws CommandFailure {
        return client.accounting(CONFIGURATION + "/revisions").objects("revisions");
    }

    /// What would change, one line each.
    ///
    /// @param asked of what [#patch] or [#file] say
    /// @throws CommandFailure if it breaks a rule
    List<String> trial(Request asked) throws CommandFailure {
        return lines(send(asked, "?dryRun=true"));
    }

    /// Makes the change.
    ///
    /// @return the revision in force
    long commit(Request asked) throws CommandFailure {
        return send(asked, "").number("revision");
    }

    /// Asks whether to go on, as `sacctmgr` does.
    boolean confirmed(boolean immediate) throws CommandFailure {
        if (immediate) {
            return true;
        }
        String answer =
                terminal.ask("Would you like to commit changes?\n(N/y): ").orElse("").strip();
        boolean yes = answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
        if (!yes) {
            terminal.out().print(" Changes Discarded\n");
        }
        return yes;
    }

    /// A change that is asked for.
    record Request(String method, String path, String body, String type) {}

    /// A JSON merge patch; [JsonText#NULL] removes.
    static Request patch(Map<String, ? extends @Nullable Object> patch) {
        return new Request(
                "POST", CONFIGURATION + "/changes", JsonText.compact(patch), "application/json");
    }

    /// A whole cluster file.
    static Request file(byte[] yaml) {
        return new Request(
                "PUT", CONFIGURATION, new String(yaml, StandardCharsets.UTF_8), "application/yaml");
    }

    /// Asks for something else than a change of the configuration.
    void post(String path, String body) throws CommandFailure {
        ok(client.accounting("POST", path, body, List.of("Content-Type", "application/json")));
    }

    /// What the service answers to a change, whatever it is.
    Answer ask(Request asked) throws CommandFailure {
        return ask(asked, "");
    }

    private Answer ask(Request asked, String query) throws CommandFailure {
        return client.accounting(
                asked.method(),
                asked.path() + query,
                asked.body(),
                List.of(
                        "If-Match",
                        "\"" + read.number("revision") + "\"",
                        "Content-Type",
                        asked.type()));
    }

    private JsonObject send(Request asked, String query) throws CommandFailure {
        return ok(ask(asked, query));
    }

    private JsonObject ok(Answer answer) throws CommandFailure {
        if (!answer.ok()) {
            throw CommandFailure.error(command, answer.detail());
        }
        return answer.body();
    }

    private static List<String> lines(JsonObject made) {
        var lines = new ArrayList<String>();
        for (JsonObject change : made.objects("changes")) {
            String path = change.text("path");
            if (!change.has("before")) {
                lines.add("+ " + path + ": " + change.text("after"));
            } else if (!change.has("after")) {
                lines.add("- " + path + ": " + change.text("before"));
            } else {
                lines.add(
                        "~ " + path + ": " + change.text("before") + " -> " + change.text("after"));
            }
        }
        return lines;
    }
}
