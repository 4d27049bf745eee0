package io.berth.cli;

import io.berth.cli.Clause.Setting;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.contracts.AdminLevel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// A command of `sacctmgr` as a merge patch of the configuration.
final class AdminChange {

    /// What is done.
    enum Verb {
        ADD("Adding", "Nothing new added."),
        MODIFY("Modifying", "Nothing modified"),
        DELETE("Deleting", "Nothing deleted");

        private final String doing;
        private final String nothing;

        Verb(String doing, String nothing) {
            this.doing = doing;
            this.nothing = nothing;
        }

        String doing() {
            return doing;
        }

        /// What is said if nothing is to be done.
        String nothing() {
            return nothing;
        }
    }

    /// @param patch empty if there is nothing to do
    /// @param names of what is changed
    record Outcome(Map<String, Object> patch, List<String> names) {

        static final Outcome NOTHING = new Outcome(Map.of(), List.of());
    }

    private static final String LEVEL = "adminlevel";

    private final JsonObject document;
    private final Verb verb;
    private final Clause clause;

    AdminChange(JsonObject document, Verb verb, Clause clause) {
        this.document = document;
        this.verb = verb;
        this.clause = verb == Verb.ADD ? clause.plain() : clause;
    }

    Outcome accounts() throws CommandFailure {
        return section("accounts", "account", Clause.NAME, "account");
    }

    Outcome qos() throws CommandFailure {
        return section("qos", "QOS", Clause.NAME, "qos");
    }

    private Outcome section(String section, String what, String... keys) throws CommandFailure {
        List<String> names = clause.named(keys);
        if (names.isEmpty()) {
            throw new CommandFailure(1, " Need name of " + what + " to " + word() + ".\n");
        }
        List<Setting> settings = settings(keys);
        JsonObject all = document.object(section);
        var entries = new LinkedHashMap<String, Object>();
        for (String name : names) {
            if (all.has(name) == (verb == Verb.ADD)) {
                continue;
            }
            if (verb == Verb.DELETE) {
                entries.put(name, JsonText.NULL);
            } else {
                var patch = new AdminPatch(all.object(name));
                for (Setting setting : settings) {
                    patch.set(setting);
                }
                entries.put(name, patch.patch());
            }
        }
        return entries.isEmpty()
                ? Outcome.NOTHING
                : new Outcome(Map.of(section, entries), List.copyOf(entries.keySet()));
    }

    private String word() {
        return switch (verb) {
            case ADD -> "add";
            case MODIFY -> "modify";
            case DELETE -> "delete";
        };
    }

    private List<Setting> settings(String... keys) throws CommandFailure {
        if (verb == Verb.ADD) {
            return clause.without(keys);
        }
        List<Setting> unknown = clause.without(keys);
        if (!unknown.isEmpty()) {
            throw new CommandFailure(1, " Unknown condition: " + unknown.getFirst().key() + "\n");
        }
        if (verb == Verb.MODIFY && clause.settings().isEmpty()) {
            throw new CommandFailure(1, " No settings: give them after 'set'\n");
        }
        return clause.settings();
    }

    Outcome users() throws CommandFailure {
        String[] keys = {Clause.NAME, "user", "account", "partition"};
        List<String> users = clause.named(Clause.NAME, "user");
        if (users.isEmpty()) {
            throw new CommandFailure(1, " Need name of user to " + word() + ".\n");
        }
        List<Setting> settings = new ArrayList<>(settings(keys));
        List<String> defaults =
                settings.stream()
                        .filter(it -> it.key().equals("defaultaccount"))
                        .map(Setting::value)
                        .toList();
        List<Setting> levels = settings.stream().filter(it -> it.key().equals(LEVEL)).toList();
        settings.removeIf(it -> List.of("defaultaccount", LEVEL).contains(it.key()));
        boolean inAccounts = verb != Verb.MODIFY || !settings.isEmpty();
        var named = new ArrayList<>(clause.named("account"));
        if (verb == Verb.ADD) {
            named.addAll(defaults.stream().filter(it -> !named.contains(it)).toList());
            if (named.isEmpty()) {
                throw new CommandFailure(1, " Need name of account to add user to.\n");
            }
        }
        JsonObject accounts = document.object("accounts");
        for (String account : named) {
            if (!accounts.has(account)) {
                throw new CommandFailure(
                        1,
                        " This account '"
                                + account
                                + "' doesn't exist.\n        Contact your admin to add this account.\n"
                                + " No associations or wckeys created.\n");
            }
        }
        var changed = new LinkedHashMap<String, Map<String, Object>>();
        for (String user : users) {
            for (String account :
                    named.isEmpty() ? List.copyOf(accounts.fields().keySet()) : named) {
                if (inAccounts) {
                    associate(changed, account, user, settings);
                }
            }
            if (!defaults.isEmpty()) {
                makeDefault(changed, user, defaults.getLast());
            }
        }
        var patch = new LinkedHashMap<String, Object>();
        changed.forEach((account, its) -> patch.put(account, Map.of("users", its)));
        var all = new LinkedHashMap<String, Object>();
        if (!patch.isEmpty()) {
            all.put("accounts", patch);
        }
        Map<String, Object> given = levels(users, levels, changed);
        if (!given.isEmpty()) {
            all.put("adminLevels", given);
        }
        return all.isEmpty() ? Outcome.NOTHING : new Outcome(all, users);
    }

    /// The admin levels that users get, those of them who are or become members of accounts; a user
    /// who is deleted, and not from some accounts only, has none any more.
    private Map<String, Object> levels(
            List<String> users, List<Setting> given, Map<String, Map<String, Object>> changed)
            throws CommandFailure {
        var tree = new AdminTree(document);
        Map<String, AdminTree.Membership> members = tree.members();
        var levels = new LinkedHashMap<String, Object>();
        for (String user : users) {
            if (verb == Verb.DELETE) {
                boolean gone = clause.named("account").isEmpty();
                if (gone && tree.level(user) != AdminLevel.NONE) {
                    levels.put(user, JsonText.NULL);
                }
            } else if (!given.isEmpty()
                    && (members.containsKey(user)
                            || changed.values().stream().anyMatch(it -> it.containsKey(user)))) {
                AdminLevel level = level(given.getLast());
                levels.put(
                        user,
                        level == AdminLevel.NONE
                                ? JsonText.NULL
                                : level.name().toLowerCase(Locale.ROOT));
            }
        }
        return levels;
    }

    /// As Slurm reads them: by their first letters.
    private static AdminLevel level(Setting setting) throws CommandFailure {
        String text = setting.value().toLowerCase(Locale.ROOT);
        for (AdminLevel level : AdminLevel.values()) {
            if (!text.isEmpty() && level.slurmName().toLowerCase(Locale.ROOT).startsWith(text)) {
                return level;
            }
        }
        throw new CommandFailure(
                1,
                " AdminLevel=%s is none of None, Operator and Administrator\n"
                        .formatted(setting.value()));
    }

    /// Users who coordinate accounts, or no longer do.
    Outcome coordinators() throws CommandFailure {
        List<String> users = clause.named(Clause.NAME, "user");
        List<String> named = clause.named("account");
        if (users.isEmpty() || named.isEmpty()) {
            throw new CommandFailure(
                    1, " Need names=USERS and accounts=ACCOUNTS to " + word() + " coordinators\n");
        }
        JsonObject accounts = document.object("accounts");
        var patch = new LinkedHashMap<String, Object>();
        for (String account : named) {
            if (!accounts.has(account)) {
                throw new CommandFailure(1, " This account '" + account + "' doesn't exist.\n");
            }
            List<String> before = accounts.object(account).texts("coordinators");
            var after = new ArrayList<>(before);
            after.removeAll(users);
            if (verb == Verb.ADD) {
                after.addAll(users);
            }
            if (!Set.copyOf(after).equals(Set.copyOf(before))) {
                patch.put(account, Map.of("coordinators", after));
            }
        }
        return patch.isEmpty() ? Outcome.NOTHING : new Outcome(Map.of("accounts", patch), users);
    }

    private void associate(
            Map<String, Map<String, Object>> changed,
            String account,
            String user,
            List<Setting> settings)
            throws CommandFailure {
        JsonObject users = document.object("accounts").object(account).object("users");
        if (users.has(user) == (verb == Verb.ADD)) {
            return;
        }
        Object entry = JsonText.NULL;
        if (verb != Verb.DELETE) {
            entry = entry(users.object(user), settings);
        }
        changed.computeIfAbsent(account, _ -> new LinkedHashMap<>()).put(user, entry);
    }

    /// With `partition=P`, limits go to the association's part for that partition.
    private Map<String, Object> entry(JsonObject before, List<Setting> settings)
            throws CommandFailure {
        List<String> partitions = clause.named("partition");
        if (partitions.isEmpty()) {
            var patch = new AdminPatch(before);
            for (Setting setting : settings) {
                patch.set(setting);
            }
            return patch.patch();
        }
        var byPartition = new LinkedHashMap<String, Object>();
        for (String partition : partitions) {
            JsonObject old = before.object("partitions").object(partition);
            var patch = new AdminPatch(new JsonObject(Map.of("limits", old)));
            for (Setting setting : settings) {
                patch.set(setting);
            }
            if (!List.of("limits").containsAll(patch.patch().keySet())) {
                throw new CommandFailure(1, " Only limits can be set for a partition\n");
            }
            byPartition.put(partition, patch.patch().getOrDefault("limits", Map.of()));
        }
        return new LinkedHashMap<>(Map.of("partitions", byPartition));
    }

    /// The account becomes the user's default and no other one is.
    @SuppressWarnings("unchecked")
    private void makeDefault(
            Map<String, Map<String, Object>> changed, String user, String account) {
        for (String name : document.object("accounts").fields().keySet()) {
            JsonObject users = document.object("accounts").object(name).object("users");
            boolean added = changed.getOrDefault(name, Map.of()).containsKey(user);
            if (users.has(user) || added) {
                var entry =
                        (Map<String, Object>)
                                changed.computeIfAbsent(name, _ -> new LinkedHashMap<>())
                                        .computeIfAbsent(user, _ -> new LinkedHashMap<>());
                entry.put("default", name.equals(account) ? Boolean.TRUE : JsonText.NULL);
            }
        }
    }
}
