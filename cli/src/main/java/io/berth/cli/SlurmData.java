package io.berth.cli;

import io.berth.client.JsonText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What `squeue`, `sinfo`, `scontrol` and `sacct` answer programs: in the frame of Slurm's data
/// parser v0.0.38, and in its words as far as Berth knows what is told. Partitions, reservations
/// and steps, which it has no words for, are in those of v0.0.40. `berth` in each item is Berth's
/// own view.
///
/// Source: outputs of Slurm 22.05.8.
final class SlurmData {

    /// Numbers of v0.0.40, which may be none or without end.
    static final Map<String, Object> UNSET = number(false, false, 0);

    static final Map<String, Object> INFINITE = number(true, true, 0);

    private static final int LAST = Integer.MAX_VALUE;

    private SlurmData() {}

    /// @param plugin `openapi` or `openapi/db`
    static Map<String, @Nullable Object> of(String plugin, String name, List<?> items) {
        var all = new LinkedHashMap<String, @Nullable Object>();
        var parser = Map.of("type", plugin + (plugin.endsWith("db") ? "v0.0.38" : "/v0.0.38"));
        var slurm = new LinkedHashMap<String, @Nullable Object>();
        slurm.put("version", Map.of("major", 22, "micro", 8, "minor", 5));
        slurm.put("release", Main.version());
        var meta = new LinkedHashMap<String, @Nullable Object>();
        meta.put("plugin", parser);
        meta.put("Slurm", slurm);
        all.put("meta", meta);
        all.put("errors", List.of());
        all.put(name, items);
        return all;
    }

    private static Map<String, Object> number(boolean set, boolean infinite, long number) {
        var json = new LinkedHashMap<String, Object>();
        json.put("set", set);
        json.put("infinite", infinite);
        json.put("number", number);
        return json;
    }

    static Map<String, Object> number(long number) {
        return number(true, false, number);
    }

    static Map<String, Object> setUnlessZero(long number) {
        return number == 0 ? UNSET : number(number);
    }

    static Map<String, Object> infiniteIfZero(long number) {
        return number == 0 ? INFINITE : number(number);
    }

    /// A text, or a null that is written if it is empty.
    static Object orNull(String text) {
        return text.isEmpty() ? JsonText.NULL : text;
    }

    /// `cpu=4,mem=16G,node=1,gres/gpu=2` as a list by Slurm's numbers; memory in MiB.
    static List<Map<String, Object>> tres(String text) {
        var list = new ArrayList<Map<String, Object>>();
        for (String item : CliOption.split(text)) {
            int equals = item.lastIndexOf('=');
            String name = item.substring(0, equals);
            int slash = name.indexOf('/');
            var entry = new LinkedHashMap<String, Object>();
            entry.put("type", slash < 0 ? name : name.substring(0, slash));
            entry.put("name", slash < 0 ? JsonText.NULL : name.substring(slash + 1));
            entry.put("id", id(name));
            entry.put("count", Long.parseLong(item.substring(equals + 1)));
            list.add(entry);
        }
        list.sort(Comparator.comparingInt(it -> it.get("id") instanceof Integer id ? id : LAST));
        return list;
    }

    /// Slurm's numbers of what each cluster has; those of others are given as they come.
    private static Object id(String name) {
        return switch (name) {
            case "cpu" -> 1;
            case "mem" -> 2;
            case "energy" -> 3;
            case "node" -> 4;
            case "billing" -> 5;
            case "gres/gpu" -> 1001;
            default -> JsonText.NULL;
        };
    }
}
