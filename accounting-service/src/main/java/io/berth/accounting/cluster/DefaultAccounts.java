package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The default account of each user: the one marked so, else the first that names him.
final class DefaultAccounts {

    static final String MARK = "default";

    private final Map<String, String> first = new HashMap<>();
    private final Map<String, String> marked = new HashMap<>();

    DefaultAccounts(YamlMap accounts) throws InvalidClusterFile {
        for (String account : accounts.keys()) {
            YamlMap users = accounts.map(account).map("users");
            for (String user : users.keys()) {
                first.putIfAbsent(user, account);
                if (users.at(user).isObject() && users.map(user).flag(MARK)) {
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

    /// `next` with the users' default accounts of `before`, which an account that now names a user
    /// further up would change: the ones that nobody marks, and that still name him, are marked.
    ///
    /// @throws InvalidClusterFile never, where `next` breaks no rule
    static ClusterFile kept(ClusterFile before, ClusterFile next) throws InvalidClusterFile {
        var was = of(before);
        var is = of(next);
        ObjectNode tree = next.tree().deepCopy();
        for (Map.Entry<String, String> it : was.first.entrySet()) {
            String user = it.getKey();
            JsonNode account = tree.path("accounts").path(it.getValue());
            if (account.path("users") instanceof ObjectNode users
                    && users.has(user)
                    && !was.marked.containsKey(user)
                    && !is.marked.containsKey(user)
                    && !it.getValue().equals(is.of(user))) {
                mark(users, user);
            }
        }
        return tree.equals(next.tree()) ? next : ClusterFile.of(tree);
    }

    private static DefaultAccounts of(ClusterFile file) throws InvalidClusterFile {
        return new DefaultAccounts(YamlMap.of("", file.tree()).map("accounts"));
    }

    private static void mark(ObjectNode users, String user) {
        if (!users.path(user).isObject()) {
            JsonNode shares = users.path(user);
            users.putObject(user).set("shares", shares);
        }
        users.withObjectProperty(user).put(MARK, true);
    }
}
