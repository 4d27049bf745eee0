package io.berth.accounting.cluster;

import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Tres;
import io.berth.contracts.event.ConfigEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
            if (own.isEmpty()) {
                continue;
            }
            for (String above : lineage(name)) {
                refuseBeyondLimit(name, own, above);
            }
            List<String> above = lineage(name);
            for (int i = 1; i < above.size(); i++) {
                if (!of(above.get(i)).isEmpty()) {
                    Map<String, Long> sum =
                            below.computeIfAbsent(above.get(i), _ -> new TreeMap<>());
                    own.forEach((resource, amount) -> sum.merge(resource, amount, Long::sum));
                    break;
                }
            }
        }
        for (String name : below.keySet()) {
            refuseBeyondParent(name, below.getOrDefault(name, Map.of()));
        }
    }

    /// The account and those above it, upwards.
    private List<String> lineage(String account) throws InvalidClusterFile {
        var names = new ArrayList<String>();
        for (String name = account; accounts.has(name); ) {
            names.add(name);
            String parent = accounts.map(name).text("parent");
            name = parent == null ? ConfigEntry.ROOT_ACCOUNT : parent;
            if (name.equals(ConfigEntry.ROOT_ACCOUNT)) {
                break;
            }
        }
        return names;
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
