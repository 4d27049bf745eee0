package io.berth.contracts.config;

import io.berth.contracts.event.ConfigEntry;
import java.util.Optional;
import java.util.TreeMap;

/// Puts the records of the `config` topic together: a revision shows only when all its records are
/// here, and never an older one after a newer.
///
/// Not safe for use by several threads.
public final class ConfigurationAssembler {

    private final TreeMap<Integer, ConfigEntry> parts = new TreeMap<>();
    private long assembling;
    private long complete;

    /// Takes the next record of the topic; the revision that it completes, if it does.
    public Optional<Configuration> add(ConfigEntry entry) {
        long revision = entry.part().revision();
        if (revision < assembling || revision <= complete) {
            return Optional.empty();
        }
        if (revision > assembling) {
            assembling = revision;
            parts.clear();
        }
        parts.put(entry.part().number(), entry);
        if (parts.size() < entry.part().of()) {
            return Optional.empty();
        }
        complete = revision;
        return Optional.of(Configuration.of(revision, parts.values()));
    }
}
