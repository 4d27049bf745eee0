package io.berth.submit;

import java.util.LinkedHashMap;
import java.util.Map;

/// Maps that are bounded: the entry that was asked for least lately is forgotten when there are
/// more. For one thread at a time.
public final class RecentlyUsed {
    private RecentlyUsed() {}

    /// An empty one of so many entries.
    public static <K, V> Map<K, V> atMost(int most) {
        return new LinkedHashMap<>(64, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        };
    }
}
