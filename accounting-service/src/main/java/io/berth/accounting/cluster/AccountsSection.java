package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.Limits;
import io.berth.contracts.event.AccountDetails;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.Terms;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The account tree of a cluster file, with its users.
final class AccountsSection {

    private static final String[] TERMS = {"defaultQos", "qos", "priority", "limits", "partitions"};

    private final YamlMap accounts;
    private final List<String> qos;
    private final List<String> partitions;
    private final GuaranteesSection guarantees;
    private final List<Unnumbered> records = new ArrayList<>();

    private AccountsSection(YamlMap root) throws InvalidClusterFile {
        accounts = root.map("accounts");
        guarantees = new GuaranteesSection(accounts);
        qos = root.map("qos").keys();
        partitions = root.map("partitions").keys();
    }

    static List<Unnumbered> of(YamlMap root) throws InvalidClusterFile {
        return new AccountsSection(root).records();
    }

    private List<Unnumbered> records() throws InvalidClusterFile {
        for (String name : accounts.names()) {
            addAccount(name, accounts.map(name));
        }
        for (String name : accounts.keys()) {
            refuseCycle(name);
        }
        guarantees.check();
        var defaults = new DefaultAccounts(accounts);
        for (String account : accounts.keys()) {
            YamlMap users = accounts.map(account).map("users");
            for (String user : users.names()) {
                addUser(account, users, user, account.equals(defaults.of(user)));
            }
        }
        return records;
    }

    private void addAccount(String name, YamlMap map) throws InvalidClusterFile {
        if (name.equals(ConfigEntry.ROOT_ACCOUNT)) {
            map.only("users");
            return;
        }
        map.only(
                with(
                        TERMS,
                        "parent",
                        "guarantee",
                        "shares",
                        "users",
                        "description",
                        "organization",
                        "coordinators"));
        int shares = shares(map.place("shares"), map.at("shares"));
        @Nullable String parent = parent(accounts, map);
        @Nullable Terms terms = terms(map, guarantees.of(name));
        AccountDetails details =
                new AccountDetails(
                        Objects.requireNonNullElse(map.text("description"), ""),
                        Objects.requireNonNullElse(map.text("organization"), ""),
                        map.nameList("coordinators"));
        @Nullable AccountDetails stored = details.equals(AccountDetails.NONE) ? null : details;
        records.add(part -> new Account(part, name, parent, shares, terms, stored));
    }

    private void addUser(String account, YamlMap users, String user, boolean isDefault)
            throws InvalidClusterFile {
        if (!users.at(user).isObject()) {
            int shares = shares(users.place(user), users.at(user));
            records.add(part -> new Association(part, account, user, shares, isDefault));
            return;
        }
        YamlMap map = users.map(user);
        map.only(with(TERMS, "shares", "default"));
        int shares = shares(map.place("shares"), map.at("shares"));
        @Nullable Terms terms = terms(map, Map.of());
        records.add(part -> new Association(part, account, user, shares, isDefault, terms));
    }

    private @Nullable Terms terms(YamlMap map, Map<String, Long> guarantee)
            throws InvalidClusterFile {
        @Nullable String defaultQos = map.has("defaultQos") ? map.name("defaultQos") : null;
        if (defaultQos != null) {
            YamlMap.refuseUnknown(map.place("defaultQos"), "QOS", List.of(defaultQos), qos);
        }
        List<String> allowed = map.nameList("qos");
        YamlMap.refuseUnknown(map.place("qos"), "QOS", allowed, qos);
        if (defaultQos != null && !allowed.isEmpty() && !allowed.contains(defaultQos)) {
            throw new InvalidClusterFile(
                    map.place("defaultQos"), "'" + defaultQos + "' is not among its qos");
        }
        Map<String, Limits> byPartition = new TreeMap<>();
        YamlMap inPartitions = map.map("partitions");
        YamlMap.refuseUnknown(inPartitions.where(), "partition", inPartitions.keys(), partitions);
        for (String partition : inPartitions.keys()) {
            byPartition.put(partition, LimitsSection.ofPartition(inPartitions.map(partition)));
        }
        var terms =
                new Terms(
                        defaultQos,
                        allowed,
                        map.number("priority", 0),
                        LimitsSection.of(map.map("limits"), false),
                        byPartition,
                        guarantee);
        return terms.equals(Terms.NONE) ? null : terms;
    }

    /// The account right above one; null right under the root.
    static @Nullable String parent(YamlMap accounts, YamlMap account) throws InvalidClusterFile {
        String parent = account.text("parent");
        if (parent == null || parent.equals(ConfigEntry.ROOT_ACCOUNT)) {
            return null;
        }
        if (!accounts.has(parent)) {
            throw new InvalidClusterFile(
                    account.place("parent"), "there is no account '" + parent + "'");
        }
        return parent;
    }

    private void refuseCycle(String account) throws InvalidClusterFile {
        Set<String> above = new HashSet<>();
        for (@Nullable String at = account; at != null; at = parent(accounts, accounts.map(at))) {
            if (!above.add(at)) {
                throw new InvalidClusterFile(
                        accounts.place(account) + ".parent", "the account is below itself");
            }
        }
    }

    /// A number, or `parent`; 1 where there is none.
    private static int shares(String place, JsonNode value) throws InvalidClusterFile {
        if (value.isMissingNode() || value.isNull()) {
            return 1;
        }
        if (value.isTextual() && value.textValue().equals("parent")) {
            return ConfigEntry.PARENT_SHARES;
        }
        try {
            return YamlMap.number(place, value);
        } catch (InvalidClusterFile e) {
            throw new InvalidClusterFile(
                    place,
                    "shares '" + value.asText() + "' are neither a whole number from 0 nor parent");
        }
    }

    private static String[] with(String[] some, String... more) {
        var all = new ArrayList<>(List.of(some));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }
}
