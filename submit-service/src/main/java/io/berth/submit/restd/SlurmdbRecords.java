package io.berth.submit.restd;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.Terms;
import io.berth.core.request.Sight;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Accounts, users, associations and QOS in the words of slurmrestd's `/slurmdb`. Limits are left
/// out; `/v1/accounts` of the accounting service has them.
///
/// @param sight what of them he who asks may see
record SlurmdbRecords(Configuration configuration, Sight sight) {

    List<Map<String, Object>> accounts() {
        return configuration.accounts().values().stream()
                .filter(it -> sight.account(it.name()))
                .map(this::account)
                .toList();
    }

    Map<String, Object> account(Account account) {
        var details = account.ownDetails();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("name", account.name());
        fields.put("description", details.description());
        fields.put("organization", details.organization());
        fields.put(
                "coordinators",
                details.coordinators().stream()
                        .map(it -> Map.of("name", it, "direct", true))
                        .toList());
        fields.put("associations", List.of(key(account.name(), "")));
        fields.put("flags", List.of());
        return fields;
    }

    /// The users that have an account.
    List<Map<String, Object>> users() {
        var names = new TreeSet<String>();
        memberships().forEach(it -> names.add(it.user()));
        return names.stream().map(this::user).toList();
    }

    /// The user of that name; none if he has no account.
    List<Map<String, Object>> users(String name) {
        boolean known = memberships().anyMatch(it -> it.user().equals(name));
        return known ? List.of(user(name)) : List.of();
    }

    private Map<String, Object> user(String name) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("name", name);
        fields.put("administrator_level", List.of(configuration.adminLevel(name).slurmName()));
        fields.put("default", Map.of("account", configuration.accountOf(name), "wckey", ""));
        fields.put(
                "associations",
                memberships()
                        .filter(it -> it.user().equals(name))
                        .map(it -> key(it.account(), name))
                        .toList());
        fields.put(
                "coordinators",
                configuration.accounts().values().stream()
                        .filter(it -> it.ownDetails().coordinators().contains(name))
                        .map(it -> Map.of("name", it.name(), "direct", true))
                        .toList());
        fields.put("flags", List.of());
        return fields;
    }

    /// Those of accounts, whose user is empty, and those of users.
    List<Map<String, Object>> associations() {
        var all = new ArrayList<Map<String, Object>>();
        for (Account it : configuration.accounts().values()) {
            if (sight.account(it.name())) {
                all.add(association(it.name(), "", it.parent(), it.shares(), false, it.ownTerms()));
            }
        }
        memberships()
                .map(it ->
                        association(
                                it.account(),
                                it.user(),
                                null,
                                it.shares(),
                                it.isDefault(),
                                it.ownTerms()))
                .forEach(all::add);
        return all;
    }

    private Stream<Association> memberships() {
        return configuration.associations().stream()
                .filter(it -> sight.member(it.account(), it.user()));
    }

    private Map<String, Object> association(
            String account,
            String user,
            @Nullable String parent,
            int shares,
            boolean isDefault,
            Terms terms) {
        var fields = new LinkedHashMap<>(key(account, user));
        fields.put("parent_account", user.isEmpty() ? parent == null ? "root" : parent : "");
        fields.put("shares_raw", shares);
        fields.put("is_default", isDefault);
        fields.put("priority", SlurmNumber.of(terms.priority()));
        fields.put("qos", terms.qos());
        String qos = terms.defaultQos();
        fields.put("default", Map.of("qos", qos == null ? "" : qos));
        return fields;
    }

    private Map<String, Object> key(String account, String user) {
        var key = new LinkedHashMap<String, Object>();
        key.put("account", account);
        key.put("cluster", configuration.cluster().name());
        key.put("partition", "");
        key.put("user", user);
        return key;
    }

    List<Map<String, Object>> qos() {
        return configuration.qos().values().stream().map(SlurmdbRecords::qos).toList();
    }

    static Map<String, Object> qos(Qos qos) {
        var rules = qos.ownRules();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("name", qos.name());
        fields.put("description", rules.description());
        fields.put("priority", SlurmNumber.of(qos.priority()));
        fields.put("flags", rules.flags().stream().map(Enum::name).toList());
        fields.put("usage_factor", rules.usageFactorThousandths() / 1000.0);
        fields.put(
                "preempt",
                Map.of(
                        "list",
                        rules.preempt(),
                        "mode",
                        rules.preemptMode() == null
                                ? List.of()
                                : List.of(rules.preemptMode().name())));
        fields.put("limits", Map.of("grace_time", rules.graceSeconds()));
        return fields;
    }
}
