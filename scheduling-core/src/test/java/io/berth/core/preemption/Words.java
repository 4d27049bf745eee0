package io.berth.core.preemption;

import io.berth.contracts.PreemptMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A line of a case after its verb: `name` and `key=value`.
record Words(List<String> plain, Map<String, String> named) {

    static Words of(List<String> words) {
        Map<String, String> named = new LinkedHashMap<>();
        var plain = new ArrayList<String>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 0) {
                plain.add(word);
            } else {
                named.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        return new Words(plain, named);
    }

    int number(String key, int absent) {
        return Integer.parseInt(named.getOrDefault(key, Integer.toString(absent)));
    }

    @Nullable PreemptMode mode(String key) {
        String mode = named.get(key);
        return mode == null ? null : PreemptMode.valueOf(mode.toUpperCase(Locale.ROOT));
    }

    String text(String key) {
        return Objects.requireNonNull(named.get(key), () -> key + "= is missing");
    }

    String first() {
        return plain.getFirst();
    }
}
