package io.berth.cli;

import io.berth.cli.Clause.Setting;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What an account with all below it has used, or a user in it, to count no more.
///
/// @param user null for all users
record UsageReset(String account, @Nullable String user) {

    static final String PATH = "/v1/accounting/usage/resets";

    /// Those that `modify … set RawUsage=0` asks for.
    ///
    /// @throws CommandFailure if that is not what is asked
    static List<UsageReset> of(JsonObject document, String entity, Clause clause)
            throws CommandFailure {
        Setting setting = clause.settings().getFirst();
        if (clause.settings().size() != 1 || !setting.value().equals("0")) {
            throw new CommandFailure(1, " RawUsage can only be set to 0, and alone\n");
        }
        List<String> names = clause.named(Clause.NAME, entity);
        if (names.isEmpty()) {
            throw new CommandFailure(1, " Need name of " + entity + " to modify.\n");
        }
        return switch (entity) {
            case "account" ->
                    names.stream()
                            .filter(document.object("accounts")::has)
                            .map(it -> new UsageReset(it, null))
                            .toList();
            case "user" -> ofUsers(document, names, clause.named("account"));
            default ->
                    throw new CommandFailure(
                            1, " RawUsage of a QOS is that of its jobs' accounts: reset those\n");
        };
    }

    /// @param accounts none is all that the users are in
    private static List<UsageReset> ofUsers(
            JsonObject document, List<String> users, List<String> accounts) throws CommandFailure {
        var resets = new ArrayList<UsageReset>();
        for (String account : document.object("accounts").fields().keySet()) {
            JsonObject members = document.object("accounts").object(account).object("users");
            for (String user : users) {
                boolean asked = accounts.isEmpty() || accounts.contains(account);
                if (asked && members.has(user)) {
                    resets.add(new UsageReset(account, user));
                }
            }
        }
        return resets;
    }

    String body() {
        return JsonText.compact(
                user == null
                        ? Map.of("account", account)
                        : new TreeMap<>(Map.of("account", account, "user", user)));
    }

    @Override
    public String toString() {
        return user == null ? account : user + " in " + account;
    }
}
