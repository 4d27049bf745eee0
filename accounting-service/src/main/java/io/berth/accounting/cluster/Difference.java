package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A place in the configuration at which two revisions differ.
///
/// @param path keys with dots between them
/// @param before null if it is new
/// @param after null if it is gone
public record Difference(String path, @Nullable String before, @Nullable String after) {

    /// All differences, by path.
    static List<Difference> between(JsonNode before, JsonNode after) {
        Map<String, String> old = new TreeMap<>();
        Map<String, String> now = new TreeMap<>();
        flatten("", before, old);
        flatten("", after, now);
        var paths = new TreeSet<>(old.keySet());
        paths.addAll(now.keySet());
        var differences = new ArrayList<Difference>();
        for (String path : paths) {
            var difference = new Difference(path, old.get(path), now.get(path));
            if (!String.valueOf(difference.before).equals(String.valueOf(difference.after))) {
                differences.add(difference);
            }
        }
        return List.copyOf(differences);
    }

    private static void flatten(String path, JsonNode node, Map<String, String> values) {
        if (node.isObject() && !node.isEmpty()) {
            for (var field : node.properties()) {
                String key = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
                flatten(key, field.getValue(), values);
            }
        } else {
            values.put(path, node.isValueNode() ? node.asText() : node.toString());
        }
    }
}
