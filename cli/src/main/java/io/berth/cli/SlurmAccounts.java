package io.berth.cli;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.Limit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The account tree of a file of `sacctmgr dump` as a cluster file has it.
///
/// Its lines name an entity and its values, `User - 'alice':Fairshare=30:DefaultAccount='team_a'`;
/// the last `Parent - 'team_a'` says under which account the lines after it are.
final class SlurmAccounts {

    /// The QOS of jobs that name none.
    static final String QOS = "normal";

    private static final String ROOT = "root";
    private static final Pattern LINE = Pattern.compile("(\\w+)\\s+-\\s+'([^']*)'(:.*)?");
    private static final Pattern VALUE = Pattern.compile(":([A-Za-z]+)=('[^']*'|[^:]*)");

    private final Map<String, Map<String, Object>> accounts = new LinkedHashMap<>();
    private final Set<String> qos = new LinkedHashSet<>(Set.of(QOS));
    private final Map<String, String> defaults = new LinkedHashMap<>();
    private final Map<String, Object> levels = new LinkedHashMap<>();
    private String parent = ROOT;

    /// @return what of the line could not be carried over
    List<String> take(String line) {
        var leftOut = new ArrayList<String>();
        var matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return List.of(line + ": it is no line of a dump");
        }
        String name = matcher.group(2);
        String values = matcher.group(3) == null ? "" : matcher.group(3);
        switch (matcher.group(1).toLowerCase(Locale.ROOT)) {
            case "parent" -> parent = name;
            case "account" -> {
                Map<String, Object> entry = account(name);
                if (!parent.equals(ROOT)) {
                    entry.put("parent", parent);
                }
                set(entry, null, values, name, leftOut);
            }
            case "user" -> {
                var entry = new LinkedHashMap<String, Object>();
                set(entry, name, values, name, leftOut);
                users(account(parent)).put(name, entry);
            }
            default -> {
                if (!values.replaceAll(":(Fairshare=1|QOS='normal')", "").isEmpty()) {
                    leftOut.add(line + ": limits of the whole cluster are not there; write a QOS");
                }
            }
        }
        return leftOut;
    }

    private Map<String, Object> account(String name) {
        return accounts.computeIfAbsent(name, _ -> new LinkedHashMap<>());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> users(Map<String, Object> account) {
        return (Map<String, Object>) account.computeIfAbsent("users", _ -> new LinkedHashMap<>());
    }

    /// @param user null for an account
    private void set(
            Map<String, Object> entry,
            @Nullable String user,
            String values,
            String subject,
            List<String> leftOut) {
        var matcher = VALUE.matcher(values);
        while (matcher.find()) {
            String key = matcher.group(1);
            String value = matcher.group(2).replace("'", "");
            if (user != null && key.equalsIgnoreCase("DefaultAccount")) {
                defaults.put(user, value);
            } else if (user != null && isLevel(key, value)) {
                levels.put(
                        user, value.equals(AdminLevel.OPERATOR.slurmName()) ? "operator" : "admin");
            } else if (!set(entry, key, value)) {
                leftOut.add(key + "=" + value + " of " + subject + ": Berth knows no such setting");
            }
        }
    }

    private static boolean isLevel(String key, String value) {
        return key.equalsIgnoreCase("AdminLevel")
                && (value.equals(AdminLevel.OPERATOR.slurmName())
                        || value.equals(AdminLevel.ADMIN.slurmName()));
    }

    @SuppressWarnings("unchecked")
    private boolean set(Map<String, Object> entry, String key, String value) {
        Limit limit = Limit.find(key).orElse(null);
        if (limit != null) {
            var limits =
                    (Map<String, Object>)
                            entry.computeIfAbsent("limits", _ -> new LinkedHashMap<>());
            limits.put(
                    limit.slurmName(),
                    limit.unit() == Limit.Unit.COUNT ? Long.valueOf(value) : value);
            return true;
        }
        switch (key.toLowerCase(Locale.ROOT)) {
            case "fairshare" ->
                    entry.put("shares", value.equals("parent") ? value : Long.valueOf(value));
            case "description", "organization" -> entry.put(key.toLowerCase(Locale.ROOT), value);
            case "defaultqos" -> {
                knowQos(List.of(value));
                entry.put("defaultQos", value);
            }
            case "qos" -> {
                knowQos(CliOption.split(value));
                entry.put("qos", CliOption.split(value));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /// Accounts that something speaks of.
    void know(List<String> names) {
        names.forEach(this::account);
    }

    void knowQos(List<String> names) {
        qos.addAll(names);
    }

    /// The account of users without any: `default`, made for them.
    String defaultAccount() {
        return "default";
    }

    Map<String, Object> qos() {
        var entries = new LinkedHashMap<String, Object>();
        qos.forEach(it -> entries.put(it, Map.of()));
        return entries;
    }

    /// Of users who are operators or admins.
    Map<String, Object> levels() {
        return levels;
    }

    Map<String, Object> entries() {
        var entries = new LinkedHashMap<String, Object>(accounts);
        defaults.forEach((user, account) -> {
            long memberships = accounts.values().stream().filter(it -> has(it, user)).count();
            if (memberships > 1 && has(account(account), user)) {
                users(account(account)).compute(user, (_, entry) -> withDefault(entry));
            }
        });
        entries.putIfAbsent(defaultAccount(), Map.of("shares", 1L));
        return entries;
    }

    private static boolean has(Map<String, Object> account, String user) {
        return account.get("users") instanceof Map<?, ?> users && users.containsKey(user);
    }

    private static Map<String, Object> withDefault(@Nullable Object entry) {
        var marked = new LinkedHashMap<String, Object>();
        if (entry instanceof Map<?, ?> settings) {
            settings.forEach((key, value) -> marked.put(String.valueOf(key), value));
        }
        marked.put("default", true);
        return marked;
    }
}
