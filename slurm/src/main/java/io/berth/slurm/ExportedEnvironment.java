package io.berth.slurm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The part of the submitter's environment that `--export` hands on to a job.
final class ExportedEnvironment {

    private ExportedEnvironment() {}

    /// `ALL`: every variable; `NONE` or `NIL`: only `SLURM_*`; a list of names and assignments:
    /// these and `SLURM_*`, or these beside all others if `ALL` is in the list.
    ///
    /// @param file assignments, each ended by a NUL, which those of the environment outrank
    static Map<String, String> of(String export, String file, Map<String, String> environment) {
        List<String> items = items(export);
        boolean all = false;
        var exported = new TreeMap<String, String>();
        for (String assignment : file.split("\0")) {
            int equals = assignment.indexOf('=');
            if (equals > 0) {
                exported.put(assignment.substring(0, equals), assignment.substring(equals + 1));
            }
        }
        for (String item : items) {
            all |= item.toUpperCase(Locale.ROOT).equals("ALL");
        }
        for (var variable : environment.entrySet()) {
            if (all || variable.getKey().startsWith("SLURM_")) {
                exported.put(variable.getKey(), variable.getValue());
            }
        }
        for (String item : items) {
            int equals = item.indexOf('=');
            String name = equals < 0 ? item : item.substring(0, equals);
            if (equals > 0) {
                exported.put(name, item.substring(equals + 1));
            } else if (environment.containsKey(name)) {
                exported.put(name, environment.get(name));
            }
        }
        return exported;
    }

    /// The items between commas; quotes keep commas inside one item.
    private static List<String> items(String list) {
        var items = new ArrayList<String>();
        var item = new StringBuilder();
        char quote = 0;
        for (int i = 0; i < list.length(); i++) {
            char c = list.charAt(i);
            if (quote != 0 && c == quote) {
                quote = 0;
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (quote == 0 && c == ',') {
                items.add(item.toString());
                item.setLength(0);
            } else {
                item.append(c);
            }
        }
        items.add(item.toString());
        items.removeIf(String::isEmpty);
        return items;
    }
}
