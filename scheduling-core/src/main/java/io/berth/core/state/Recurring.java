package io.berth.core.state;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One object for equal values that come near one another: a table with one place for each hash,
/// the last comer in it. What does not recur costs nothing.
///
/// Not safe for use by several threads.
public final class Recurring {

    private static final int PLACES = 1 << 12;

    private final @Nullable Object[] last = new Object[PLACES];

    public <T> T one(T value) {
        return one(value, UnaryOperator.identity());
    }

    /// @param lasting makes what is kept of a value that is not there; it is equal to the value
    public <T> T one(T value, UnaryOperator<T> lasting) {
        int hash = value.hashCode();
        int place = (hash ^ hash >>> 16) & (PLACES - 1);
        Object there = last[place];
        if (there != null && value.equals(there)) {
            @SuppressWarnings("unchecked")
            T known = (T) there;
            return known;
        }
        T kept = lasting.apply(value);
        last[place] = kept;
        return kept;
    }

    public <T> @Nullable T orNull(@Nullable T value) {
        return value == null ? null : one(value);
    }
}
