package io.berth.accounting.cluster;

import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Tres;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a cluster file guarantees to its accounts: amounts of resources as a map or as a text such
/// as `gres/gpu=16`. An account is guaranteed no more than it may have, and accounts below another
/// one no more together than that one.
final class GuaranteesSection {

    private final YamlMap accounts;

    GuaranteesSection(YamlMap accounts) {
        this.accounts = accounts;
    }

    /// Empty where nothing is guaranteed.
    Map<String, Long> of(String account) throws InvalidClusterFile {
        YamlMap map = accounts.map(account);
        Map<String, Long> amounts =
                map.has("guarantee")
                        ? new TreeMap<>(LimitsSection.amounts(map, "guarantee"))
                        : new TreeMap<>();
        amounts.values().removeIf(it -> it == 0);
        return amounts;
    }

    /// @throws InvalidClusterFile for the first that is more than it can be. Only for a tree
    void check() throws InvalidClusterFile {
        Map<String, Map<String, Long>> below = new TreeMap<>();
        for (String name : accounts.keys()) {
            Map<String, Long> own = of(name);
            refuseBeyondLimit(name, own, name);
            boolean counted = false;
            for (String above : above(name)) {
                refuseBeyondLimit(name, own, above);
                if (!counted && !of(above).isEmpty()) {
                    Map<String, Long> sum = below.computeIfAbsent(above, _ -> new TreeMap<>());
                    own.forEach((resource, amount) -> sum.merge(resource, amount, Long::sum));
                    counted = true;
                }
            }
        }
        for (var its : below.entrySet()) {
            refuseBeyondParent(its.getKey(), its.getValue());
        }
    }

    /// The accounts above one, upwards.
    private List<String> above(String account) throws InvalidClusterFile {
        var above = new ArrayList<String>();
        for (@Nullable String at = parent(account); at != null; at = parent(at)) {
            above.add(at);
        }
        return above;
    }

    private @Nullable String parent(String account) throws InvalidClusterFile {
        return AccountsSection.parent(accounts, accounts.map(account));
    }

    private void refuseBeyondLimit(String account, Map<String, Long> own, String above)
            throws InvalidClusterFile {
        Limits limits = LimitsSection.of(accounts.map(above).map("limits"), false);
        for (var limit : limits.amounts(Limit.GRP_TRES).entrySet()) {
            long amount = own.getOrDefault(limit.getKey(), 0L);
            if (amount > limit.getValue()) {
                throw new InvalidClusterFile(
                        accounts.map(account).place("guarantee"),
                        text(limit.getKey(), amount)
                                + " is more than the GrpTRES of account '"
                                + above
                                + "', "
                                + text(limit.getKey(), limit.getValue()));
            }
        }
    }

    private void refuseBeyondParent(String account, Map<String, Long> below)
            throws InvalidClusterFile {
        Map<String, Long> own = of(account);
        for (var sum : below.entrySet()) {
            long amount = own.getOrDefault(sum.getKey(), 0L);
            if (sum.getValue() > amount) {
                throw new InvalidClusterFile(
                        accounts.map(account).place("guarantee"),
                        text(sum.getKey(), amount)
                                + " is less than the accounts below it are guaranteed together, "
                                + text(sum.getKey(), sum.getValue()));
            }
        }
    }

    private static String text(String resource, long amount) {
        return Tres.text(Map.of(resource, amount));
    }
}
