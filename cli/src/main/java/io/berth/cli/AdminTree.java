package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.contracts.AdminLevel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The account tree of a configuration as `sacctmgr show assoc` lists it: each account before its
/// users, and these before the accounts below it, all by name.
record AdminTree(JsonObject document) {

    private static final String ROOT = "root";

    /// An account, a user in one, or what holds for him in a partition.
    ///
    /// @param user "" for an account
    /// @param partition "" outside of one
    /// @param terms as the configuration writes them
    /// @param limits of these, or of the partition
    record Row(
            int depth,
            String account,
            String user,
            String partition,
            JsonObject terms,
            JsonObject limits) {

        /// A number, or `parent`; 1 where nothing is said.
        String shares() {
            Object shares = terms.fields().get("shares");
            return shares == null ? "1" : shares.toString();
        }
    }

    /// The accounts of a user.
    record Membership(String defaultAccount, List<String> accounts) {}

    private JsonObject account(String name) {
        return document.object("accounts").object(name);
    }

    List<Row> rows() {
        Map<String, List<String>> below =
                document.object("accounts").fields().keySet().stream()
                        .filter(it -> !it.equals(ROOT))
                        .sorted()
                        .collect(Collectors.groupingBy(this::parent));
        var rows = new ArrayList<Row>();
        add(rows, below, ROOT, 0);
        return rows;
    }

    private void add(List<Row> rows, Map<String, List<String>> below, String name, int depth) {
        add(rows, depth, name, "", account(name));
        JsonObject users = account(name).object("users");
        for (String user : users.fields().keySet().stream().sorted().toList()) {
            add(rows, depth + 1, name, user, users.object(user));
        }
        for (String child : below.getOrDefault(name, List.of())) {
            add(rows, below, child, depth + 1);
        }
    }

    /// What the user may do beyond what is his own.
    AdminLevel level(String user) {
        String level = document.object("adminLevels").text(user).toUpperCase(Locale.ROOT);
        return Stream.of(AdminLevel.values())
                .filter(it -> it.name().equals(level))
                .findFirst()
                .orElse(AdminLevel.NONE);
    }

    private static void add(
            List<Row> rows, int depth, String account, String user, JsonObject terms) {
        rows.add(new Row(depth, account, user, "", terms, terms.object("limits")));
        JsonObject partitions = terms.object("partitions");
        for (String partition : partitions.fields().keySet()) {
            rows.add(new Row(depth, account, user, partition, terms, partitions.object(partition)));
        }
    }

    String parent(String name) {
        return account(name).has("parent") ? account(name).text("parent") : ROOT;
    }

    /// The account that a row stands below; "" for the root.
    String above(Row row) {
        if (!row.user().isEmpty()) {
            return row.account();
        }
        return row.account().equals(ROOT) ? "" : parent(row.account());
    }

    /// The account and those above it, the root last.
    List<String> upwards(String account) {
        var chain = new ArrayList<>(List.of(account));
        while (!chain.getLast().equals(ROOT)) {
            chain.add(parent(chain.getLast()));
        }
        return chain;
    }

    /// All users by name. A user's default account is the one marked so, else the first that names
    /// him.
    Map<String, Membership> members() {
        Map<String, List<String>> accounts = new TreeMap<>();
        Map<String, String> defaults = new LinkedHashMap<>();
        for (String name : document.object("accounts").fields().keySet()) {
            JsonObject users = account(name).object("users");
            for (String user : users.fields().keySet()) {
                accounts.computeIfAbsent(user, _ -> new ArrayList<>()).add(name);
                if (users.object(user).flag("default")) {
                    defaults.put(user, name);
                }
            }
        }
        var members = new LinkedHashMap<String, Membership>();
        accounts.forEach((user, of) ->
                members.put(user, new Membership(defaults.getOrDefault(user, of.getFirst()), of)));
        return members;
    }
}
