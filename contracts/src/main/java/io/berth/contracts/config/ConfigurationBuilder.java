package io.berth.contracts.config;

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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

final class ConfigurationBuilder {

    private final SequencedMap<String, Partition> partitions = new LinkedHashMap<>();
    private final SequencedMap<String, Account> accounts = new LinkedHashMap<>();
    private final List<Association> associations = new ArrayList<>();
    private final SequencedMap<String, Qos> qos = new LinkedHashMap<>();
    private final SequencedMap<String, Reservation> reservations = new LinkedHashMap<>();
    private final SequencedMap<String, Switch> switches = new LinkedHashMap<>();
    private final SequencedMap<String, License> licenses = new LinkedHashMap<>();
    private @Nullable Cluster cluster;

    void add(ConfigEntry entry) {
        switch (entry) {
            case Cluster it -> cluster = it;
            case Partition it -> partitions.put(it.name(), it);
            case Account it -> accounts.put(it.name(), it);
            case Association it -> associations.add(it);
            case Qos it -> qos.put(it.name(), it);
            case Reservation it -> reservations.put(it.name(), it);
            case Switch it -> switches.put(it.name(), it);
            case License it -> licenses.put(it.name(), it);
        }
    }

    Configuration build(long revision) {
        if (cluster == null) {
            throw new IllegalArgumentException(
                    "configuration revision " + revision + " has no cluster record");
        }
        return new Configuration(
                revision,
                cluster,
                Collections.unmodifiableSequencedMap(partitions),
                Collections.unmodifiableSequencedMap(accounts),
                List.copyOf(associations),
                Collections.unmodifiableSequencedMap(qos),
                Collections.unmodifiableSequencedMap(reservations),
                Collections.unmodifiableSequencedMap(switches),
                Collections.unmodifiableSequencedMap(licenses));
    }
}
