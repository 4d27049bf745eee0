package io.berth.accounting.cluster;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The default account of each user: the one marked so, else the first that names him.
final class DefaultAccounts {

    private final Map<String, String> first = new HashMap<>();
    private final Map<String, String> marked = new HashMap<>();

    DefaultAccounts(YamlMap accounts) throws InvalidClusterFile {
        for (String account : accounts.keys()) {
            YamlMap users = accounts.map(account).map("users");
            for (String user : users.keys()) {
                first.putIfAbsent(user, account);
                if (users.at(user).isObject() && users.map(user).flag("default")) {
                    String other = marked.putIfAbsent(user, account);
                    if (other != null) {
                        throw new InvalidClusterFile(
                                users.place(user),
                                "the default of " + user + " is " + other + " already");
                    }
                }
            }
        }
    }

    @Nullable String of(String user) {
        return marked.getOrDefault(user, first.get(user));
    }
}
