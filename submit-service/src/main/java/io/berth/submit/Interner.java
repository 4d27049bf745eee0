package io.berth.submit;

import java.util.HashMap;
import java.util.Map;

/// One object for each value: what many jobs have in common is kept once.
///
/// Not safe for use by several threads.
final class Interner {
    private static final int MAX_VALUES = 100_000;

    private final Map<Object, Object> values = new HashMap<>();

    @SuppressWarnings("unchecked")
    <T> T one(T value) {
        if (values.size() >= MAX_VALUES) {
            values.clear();
        }
        Object first = values.putIfAbsent(value, value);
        return first == null ? value : (T) first;
    }
}
