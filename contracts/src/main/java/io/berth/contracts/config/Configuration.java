package io.berth.contracts.config;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ConfigEntry.Switch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// One whole revision of the cluster's configuration. Maps keep the order of the revision's
/// records.
public record Configuration(
        long revision,
        Cluster cluster,
        SequencedMap<String, Partition> partitions,
        SequencedMap<String, Account> accounts,
        List<Association> associations,
        SequencedMap<String, Qos> qos,
        SequencedMap<String, Reservation> reservations,
        SequencedMap<String, Switch> switches,
        SequencedMap<String, License> licenses) {

    /// The whole revision that these records make.
    ///
    /// @throws IllegalArgumentException if there is no cluster record among them
    public static Configuration of(long revision, Collection<ConfigEntry> entries) {
        var builder = new ConfigurationBuilder();
        for (ConfigEntry entry : entries) {
            builder.add(entry);
        }
        return builder.build(revision);
    }

    /// All records that make it.
    public List<ConfigEntry> entries() {
        var entries = new ArrayList<ConfigEntry>();
        entries.add(cluster);
        entries.addAll(partitions.values());
        entries.addAll(accounts.values());
        entries.addAll(associations);
        entries.addAll(qos.values());
        entries.addAll(reservations.values());
        entries.addAll(switches.values());
        entries.addAll(licenses.values());
        return entries;
    }

    /// The partition of jobs that name none.
    public Optional<Partition> defaultPartition() {
        return partitions.values().stream().filter(Partition::isDefault).findFirst();
    }

    /// The account of this user's jobs that name none: the default association, else the first one,
    /// else the cluster's default account.
    public String accountOf(String user) {
        return associations.stream()
                .filter(association -> association.user().equals(user))
                .sorted((a, b) -> Boolean.compare(b.isDefault(), a.isDefault()))
                .map(Association::account)
                .findFirst()
                .orElse(cluster.defaultAccount());
    }

    /// The names of an account and of those above it, upwards; of an unknown one its own alone.
    public List<String> lineage(String account) {
        var names = new ArrayList<String>();
        for (@Nullable String name = account; name != null; ) {
            names.add(name);
            Account it = accounts.get(name);
            name = it == null ? null : it.parent();
        }
        return names;
    }

    /// Whether the user is a coordinator of the account or of one above it.
    public boolean coordinates(String user, String account) {
        for (String name : lineage(account)) {
            Account it = accounts.get(name);
            if (it != null && it.ownDetails().coordinators().contains(user)) {
                return true;
            }
        }
        return false;
    }

    /// What the user may do beyond what is his own, whatever his token says.
    public AdminLevel adminLevel(String user) {
        return cluster.adminLevels().getOrDefault(user, AdminLevel.NONE);
    }

    /// Whether the user may charge the account: by an association, or because the account is the
    /// one of users without any.
    public boolean mayUse(String user, String account) {
        return accountOf(user).equals(account)
                || associations.stream()
                        .anyMatch(a -> a.user().equals(user) && a.account().equals(account));
    }
}
