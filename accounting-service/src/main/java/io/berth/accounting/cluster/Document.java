package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/// The tree of a cluster file in the form that it is stored and changed in: without nulls, and each
/// user a map.
final class Document {

    private Document() {}

    private static final List<String> SECTIONS =
            List.of("partitions", "qos", "accounts", "reservations", "switches");

    /// A copy in that form.
    static JsonNode normal(JsonNode tree) {
        JsonNode copy = tree.deepCopy();
        SECTIONS.forEach(it -> fill(copy.path(it)));
        for (JsonNode account : copy.path("accounts")) {
            if (account.path("users") instanceof ObjectNode users) {
                fill(users);
                for (String user : names(users)) {
                    JsonNode shares = users.path(user);
                    if (!shares.isObject()) {
                        users.putObject(user).set("shares", shares);
                    }
                }
            }
        }
        prune(copy);
        return copy;
    }

    /// An entry without settings, as in `normal:`, is there all the same.
    private static void fill(JsonNode section) {
        if (section instanceof ObjectNode map) {
            for (String name : names(map)) {
                if (map.path(name).isNull()) {
                    map.putObject(name);
                }
            }
        }
    }

    private static void prune(JsonNode node) {
        if (node instanceof ObjectNode map) {
            for (String name : names(map)) {
                if (map.path(name).isNull()) {
                    map.remove(name);
                } else {
                    prune(map.path(name));
                }
            }
        }
    }

    /// The target with a JSON merge patch applied: what the patch names is set, null removes.
    ///
    /// Source: RFC 7396.
    static JsonNode patched(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        ObjectNode result =
                target instanceof ObjectNode map
                        ? map.deepCopy()
                        : JsonNodeFactory.instance.objectNode();
        for (String name : names(changes)) {
            JsonNode value = changes.path(name);
            if (value.isNull()) {
                result.remove(name);
            } else {
                result.set(name, patched(result.path(name), value));
            }
        }
        return result;
    }

    private static List<String> names(ObjectNode map) {
        var names = new ArrayList<String>();
        map.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
