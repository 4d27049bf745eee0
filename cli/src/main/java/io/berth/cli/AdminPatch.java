package io.berth.cli;

import io.berth.cli.Clause.Setting;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.contracts.Limit;
import io.berth.contracts.Tres;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Settings of `sacctmgr` as a merge patch of one entry of the configuration: an account, a user in
/// an account, or a QOS.
///
/// A limit of `-1` is none. In a limit by resource, `gres/gpu=8,cpu=-1` changes what it names and
/// leaves the others.
final class AdminPatch {

    private final JsonObject before;
    private final Map<String, Object> patch = new LinkedHashMap<>();

    /// @param before the entry as it is, empty if it is new
    AdminPatch(JsonObject before) {
        this.before = before;
    }

    Map<String, Object> patch() {
        return patch;
    }

    /// @throws CommandFailure naming the setting that is none
    void set(Setting setting) throws CommandFailure {
        Optional<Limit> limit = Limit.find(setting.key());
        if (limit.isPresent()) {
            limit(limit.get(), setting);
            return;
        }
        switch (setting.key()) {
            case "fairshare" -> patch.put("shares", shares(setting));
            case "description",
                    "organization",
                    "parent",
                    "usagefactor",
                    "preemptmode",
                    "preemptexempttime" ->
                    patch.put(camel(setting.key()), orNull(setting));
            case "guarantee" ->
                    patch.put("guarantee", amounts(before.fields().get("guarantee"), setting));
            case "priority" -> patch.put("priority", number("Priority", setting));
            case "gracetime" -> patch.put("graceTime", number(setting));
            case "defaultqos" -> patch.put("defaultQos", orNull(setting));
            case "qos", "flags", "preempt" -> list(setting.key(), setting);
            default ->
                    throw new CommandFailure(
                            1, " Unknown option: " + setting.key() + "=" + setting.value() + "\n");
        }
    }

    private static String camel(String key) {
        return switch (key) {
            case "usagefactor" -> "usageFactor";
            case "preemptmode" -> "preemptMode";
            case "preemptexempttime" -> "preemptExemptTime";
            default -> key;
        };
    }

    private static boolean isNone(Setting setting) {
        return setting.value().equals("-1") || setting.value().isEmpty();
    }

    private static Object shares(Setting setting) throws CommandFailure {
        if (isNone(setting)) {
            return JsonText.NULL;
        }
        return setting.value().equalsIgnoreCase("parent") ? "parent" : number("FairShare", setting);
    }

    private static Object orNull(Setting setting) throws CommandFailure {
        if (isNone(setting)) {
            return JsonText.NULL;
        }
        return setting.key().equals("usagefactor")
                ? number("UsageFactor", setting)
                : setting.value();
    }

    /// @param name as Slurm calls it
    /// @throws CommandFailure if it is no number
    private static Object number(String name, Setting setting) throws CommandFailure {
        Object number = number(setting);
        if (number instanceof String text) {
            throw CommandFailure.error(
                    "sacctmgr", "Invalid value for %s (%s)".formatted(name, text));
        }
        return number;
    }

    private static String minutes(Limit limit, Setting setting) throws CommandFailure {
        if (SlurmTime.parseLimit(setting.value()).isEmpty()) {
            throw new CommandFailure(
                    1, " Bad %s time format: %s\n".formatted(limit.slurmName(), setting.value()));
        }
        return setting.value();
    }

    /// A number as such, anything else as a text for the service to judge.
    private static Object number(Setting setting) {
        try {
            return Long.valueOf(setting.value());
        } catch (NumberFormatException e) {
            return decimal(setting.value());
        }
    }

    private static Object decimal(String text) {
        try {
            return Double.valueOf(text);
        } catch (NumberFormatException e) {
            return text;
        }
    }

    private void list(String key, Setting setting) {
        List<String> now = new ArrayList<>(names(key));
        switch (setting.sign()) {
            case '+' -> setting.values().stream().filter(it -> !now.contains(it)).forEach(now::add);
            case '-' -> now.removeAll(setting.values());
            default -> {
                now.clear();
                now.addAll(setting.values());
            }
        }
        patch.put(key, now.isEmpty() ? JsonText.NULL : now);
    }

    /// In a list, or in a text with commas between them.
    private List<String> names(String key) {
        return before.has(key) && !before.text(key).isEmpty()
                ? CliOption.split(before.text(key))
                : before.texts(key);
    }

    @SuppressWarnings("unchecked")
    private void limit(Limit limit, Setting setting) throws CommandFailure {
        var limits =
                (Map<String, Object>) patch.computeIfAbsent("limits", _ -> new LinkedHashMap<>());
        JsonObject old = before.object("limits");
        String name =
                old.fields().keySet().stream()
                        .filter(it -> Limit.find(it).equals(Optional.of(limit)))
                        .findFirst()
                        .orElse(limit.slurmName());
        limits.put(
                name,
                switch (limit.unit()) {
                    case COUNT ->
                            isNone(setting) ? JsonText.NULL : number(limit.slurmName(), setting);
                    case MINUTES -> isNone(setting) ? JsonText.NULL : minutes(limit, setting);
                    case TRES -> amounts(old.fields().get(name), setting);
                });
    }

    private static Object amounts(@Nullable Object old, Setting setting) throws CommandFailure {
        try {
            Map<String, Long> amounts = new TreeMap<>(amounts(old));
            if (isNone(setting)) {
                return JsonText.NULL;
            }
            for (String item : setting.values()) {
                if (item.endsWith("=-1")) {
                    amounts.remove(item.substring(0, item.length() - 3));
                } else {
                    amounts.putAll(Tres.parse(item));
                }
            }
            return amounts.isEmpty() ? JsonText.NULL : Tres.text(amounts);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(1, " " + setting.key() + ": " + e.getMessage() + "\n");
        }
    }

    /// Of a limit as the configuration writes it: a text, or a map.
    static Map<String, Long> amounts(@Nullable Object limit) {
        return switch (limit) {
            case null -> Map.of();
            case JsonObject map -> {
                Map<String, Long> amounts = new TreeMap<>();
                map.fields()
                        .forEach((name, value) -> amounts.putAll(Tres.parse(name + "=" + value)));
                yield amounts;
            }
            default -> Tres.parse(limit.toString());
        };
    }
}
