package io.berth.submit;

import io.berth.contracts.event.Trigger;
import io.berth.contracts.event.Trigger.Asked;
import io.berth.contracts.event.Trigger.Progress;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The triggers that are set, as the log tells them: one thread replays records into it, many read
/// it.
public final class Triggers {

    private final NavigableMap<Long, Asked> asked = new ConcurrentSkipListMap<>();
    private final NavigableMap<Long, Progress> progress = new ConcurrentSkipListMap<>();

    void replay(Trigger record) {
        switch (record) {
            case Asked it -> asked.put(it.number(), it);
            case Progress it -> progress.put(it.number(), it);
        }
    }

    /// @param key of a record that is deleted
    void forget(String key) {
        asked.values().removeIf(it -> it.key().equals(key));
        progress.values().removeIf(it -> it.key().equals(key));
    }

    /// In the order of their numbers.
    public Collection<Asked> all() {
        return Collections.unmodifiableCollection(asked.values());
    }

    public @Nullable Asked get(long number) {
        return asked.get(number);
    }

    /// How far a trigger is; null if nobody has looked at it.
    public @Nullable Progress of(Asked trigger) {
        return progress.get(trigger.number());
    }

    /// What is said of triggers that are gone.
    public List<Progress> leftOver() {
        return progress.values().stream().filter(it -> !asked.containsKey(it.number())).toList();
    }
}
