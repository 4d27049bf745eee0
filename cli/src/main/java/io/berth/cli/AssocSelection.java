package io.berth.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Which records `scontrol show assoc_mgr` is asked for; an empty list is of all.
///
/// @param kinds `users`, `assoc`, `qos`
record AssocSelection(
        List<String> kinds, List<String> users, List<String> accounts, List<String> qos) {

    private static final List<String> KINDS = List.of("users", "assoc", "qos");

    /// @param words `users=`, `accounts=`, `qos=` and `flags=`, by their names or the beginning of
    ///   one
    static AssocSelection of(List<String> words) throws CommandFailure {
        var kinds = new TreeSet<String>();
        Map<String, List<String>> named = new TreeMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            String name = (equals < 0 ? word : word.substring(0, equals));
            if (equals < 0) {
                throw new CommandFailure(1, "No value given for option " + name + "\n");
            }
            List<String> values = CliOption.split(word.substring(equals + 1));
            if (Scontrol.isShort(name, "accounts", 1)) {
                named.put("accounts", values);
                kinds.add("assoc");
            } else if (Scontrol.isShort(name, "qos", 1)) {
                named.put("qos", values);
                kinds.add("qos");
            } else if (Scontrol.isShort(name, "users", 1)) {
                named.put("users", values);
                kinds.add("users");
            } else if (Scontrol.isShort(name, "flags", 1)) {
                kinds.addAll(kinds(word.substring(equals + 1)));
            } else {
                throw new CommandFailure(
                        1, "invalid entity: %s for keyword:show assoc_mgr\n".formatted(name));
            }
        }
        return new AssocSelection(
                kinds.isEmpty() ? KINDS : List.copyOf(kinds),
                named.getOrDefault("users", List.of()),
                named.getOrDefault("accounts", List.of()),
                named.getOrDefault("qos", List.of()));
    }

    private static List<String> kinds(String flags) throws CommandFailure {
        String given = flags.toLowerCase(Locale.ROOT);
        List<String> kinds = KINDS.stream().filter(given::contains).toList();
        if (kinds.isEmpty()) {
            throw new CommandFailure(
                    1,
                    "invalid flag '%s', valid options are 'Assoc, QOS, and/or Users'\n"
                            .formatted(flags));
        }
        return kinds;
    }

    static boolean has(List<String> names, String name) {
        return names.isEmpty() || names.contains(name);
    }
}
