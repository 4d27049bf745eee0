package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What a coordinator of an account may change: its users, and the accounts below it with theirs.
/// He can give none of them more than those above have: no limit that is higher than the nearest
/// one above, no QOS that is not theirs, and no priority.
///
/// Source: sacctmgr(1), "Coordinators".
public final class Coordination {

    private final String user;
    private final Configuration before;
    private final Configuration after;

    private Coordination(String user, ClusterFile before, ClusterFile after) {
        this.user = user;
        this.before = configuration(before);
        this.after = configuration(after);
    }

    private static Configuration configuration(ClusterFile file) {
        return Configuration.of(0, file.entries(0));
    }

    /// Whether the user coordinates any account.
    public static boolean exists(String user, ClusterFile file) {
        return configuration(file).accounts().values().stream()
                .anyMatch(it -> it.ownDetails().coordinators().contains(user));
    }

    /// The changed file.
    ///
    /// @throws NotAllowed if it differs in something that is not this coordinator's to change
    public static ClusterFile checked(String user, ClusterFile before, ClusterFile after)
            throws NotAllowed {
        for (String section : keys(before.tree(), after.tree())) {
            boolean same = before.tree().path(section).equals(after.tree().path(section));
            if (!section.equals("accounts") && !same) {
                throw new NotAllowed("a coordinator may not change " + section);
            }
        }
        var change = new Coordination(user, before, after);
        change.check(before.tree().path("accounts"), after.tree().path("accounts"));
        change.checkDefaults();
        return after;
    }

    private void check(JsonNode old, JsonNode now) throws NotAllowed {
        for (String name : keys(old, now)) {
            JsonNode was = old.path(name);
            JsonNode is = now.path(name);
            if (!withoutUsers(was).equals(withoutUsers(is))) {
                checkAccount(name);
            }
            for (String member : keys(was.path("users"), is.path("users"))) {
                if (!unmarked(was.path("users"), member)
                        .equals(unmarked(is.path("users"), member))) {
                    checkMember(name, member);
                }
            }
        }
    }

    /// A user's entry, in the longer form, but for whether the account is his default.
    private static JsonNode unmarked(JsonNode users, String member) {
        JsonNode entry = users.path(member);
        if (entry.isMissingNode()) {
            return entry;
        }
        ObjectNode longer = JsonNodeFactory.instance.objectNode();
        if (entry instanceof ObjectNode it) {
            longer.setAll(it);
            longer.remove(DefaultAccounts.MARK);
        } else {
            longer.set("shares", entry);
        }
        return longer;
    }

    private void checkDefaults() throws NotAllowed {
        for (Association it : before.associations()) {
            String member = it.user();
            if (it.isDefault()
                    && !after.accountOf(member).equals(it.account())
                    && !coordinates(before, it.account())) {
                throw new NotAllowed(
                        "accounts.%s.users.%s.default: his default account is %s, which %s does not coordinate"
                                .formatted(after.accountOf(member), member, it.account(), user));
            }
        }
    }

    private void checkAccount(String name) throws NotAllowed {
        String place = "accounts." + name;
        for (Configuration one : List.of(before, after)) {
            Account account = one.accounts().get(name);
            if (account != null
                    && (account.parent() == null || !coordinates(one, account.parent()))) {
                throw new NotAllowed(place + ": " + user + " coordinates no account above it");
            }
        }
        Account account = after.accounts().get(name);
        if (account != null) {
            Account was = before.accounts().get(name);
            checkTerms(
                    place,
                    was == null ? Terms.NONE : was.ownTerms(),
                    account.ownTerms(),
                    after.lineage(name).stream().skip(1).toList());
        }
    }

    private void checkMember(String account, String member) throws NotAllowed {
        String place = "accounts." + account + ".users." + member;
        if (!coordinates(after.accounts().containsKey(account) ? after : before, account)) {
            throw new NotAllowed(place + ": " + user + " does not coordinate the account");
        }
        @Nullable Terms is = terms(after, account, member);
        if (is != null) {
            @Nullable Terms was = terms(before, account, member);
            checkTerms(place, was == null ? Terms.NONE : was, is, after.lineage(account));
        }
    }

    /// By the coordinators that there were before the change.
    private boolean coordinates(Configuration tree, String account) {
        return tree.lineage(account).stream()
                .map(before.accounts()::get)
                .filter(Objects::nonNull)
                .anyMatch(it -> it.ownDetails().coordinators().contains(user));
    }

    private static @Nullable Terms terms(Configuration tree, String account, String member) {
        for (Association it : tree.associations()) {
            if (it.account().equals(account) && it.user().equals(member)) {
                return it.ownTerms();
            }
        }
        return null;
    }

    /// @param lineage the accounts above, upwards
    private void checkTerms(String place, Terms was, Terms is, List<String> lineage)
            throws NotAllowed {
        List<Terms> above = new ArrayList<>();
        for (String name : lineage) {
            Account account = after.accounts().get(name);
            if (account != null) {
                above.add(account.ownTerms());
            }
        }
        if (was.priority() != is.priority()) {
            throw new NotAllowed(place + ".priority: only an operator may change it");
        }
        if (!was.guarantee().equals(is.guarantee())) {
            throw new NotAllowed(place + ".guarantee: only an operator may change it");
        }
        checkQos(place, is, above);
        checkLimits(place + ".limits", is.limits(), above.stream().map(Terms::limits).toList());
        for (var it : is.byPartition().entrySet()) {
            List<Limits> there =
                    above.stream()
                            .map(terms ->
                                    terms.byPartition()
                                            .getOrDefault(it.getKey(), Limits.NONE)
                                            .orElse(terms.limits()))
                            .toList();
            checkLimits(place + ".partitions." + it.getKey(), it.getValue(), there);
        }
    }

    private static void checkQos(String place, Terms is, List<Terms> above) throws NotAllowed {
        List<String> theirs =
                above.stream()
                        .map(Terms::qos)
                        .filter(it -> !it.isEmpty())
                        .findFirst()
                        .orElse(List.of());
        var named = new TreeSet<>(is.qos());
        if (is.defaultQos() != null) {
            named.add(is.defaultQos());
        }
        for (String qos : named) {
            if (!theirs.isEmpty() && !theirs.contains(qos)) {
                throw new NotAllowed(
                        place + ".qos: '" + qos + "' is not one of the account above: " + theirs);
            }
        }
    }

    /// @param above those of each account above, upwards
    private static void checkLimits(String place, Limits is, List<Limits> above) throws NotAllowed {
        Map<String, Long> bounds = new TreeMap<>();
        above.forEach(limits -> flat(limits).forEach(bounds::putIfAbsent));
        for (var limit : flat(is).entrySet()) {
            Long bound = bounds.get(limit.getKey());
            if (bound != null && limit.getValue() > bound) {
                throw new NotAllowed(
                        "%s.%s: %d is above the %d of the account above"
                                .formatted(place, limit.getKey(), limit.getValue(), bound));
            }
        }
    }

    /// Each limit, and each resource of one, by its name.
    private static Map<String, Long> flat(Limits limits) {
        Map<String, Long> flat = new TreeMap<>();
        limits.counts().forEach((limit, value) -> flat.put(limit.slurmName(), value));
        for (Limit limit : limits.tres().keySet()) {
            limits.amounts(limit)
                    .forEach((tres, value) -> flat.put(limit.slurmName() + "." + tres, value));
        }
        return flat;
    }

    private static JsonNode withoutUsers(JsonNode account) {
        return account instanceof ObjectNode map ? map.deepCopy().without("users") : account;
    }

    static TreeSet<String> keys(JsonNode one, JsonNode other) {
        var keys = new TreeSet<String>();
        one.fieldNames().forEachRemaining(keys::add);
        other.fieldNames().forEachRemaining(keys::add);
        return keys;
    }
}
